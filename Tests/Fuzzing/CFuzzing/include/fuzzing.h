#ifndef FUZZING_H
#define FUZZING_H

#include <stddef.h>
#include <stdint.h>

/// One execution: returns 0, or ends the process where it finds something.
typedef int (*fuzzing_callback)(const uint8_t *_Nullable bytes, size_t count);

/// Runs libFuzzer as its own main would; see LLVMFuzzerRunDriver.
int fuzzing_run(int *_Nonnull count, char *_Nullable *_Nullable *_Nonnull arguments,
                fuzzing_callback _Nonnull callback);

#endif
