#include "fuzzing.h"

// libFuzzer as a library: libclang_rt.fuzzer_no_main. It has no header of its own.
int LLVMFuzzerRunDriver(int *count, char ***arguments, fuzzing_callback callback);

int fuzzing_run(int *count, char ***arguments, fuzzing_callback callback) {
  return LLVMFuzzerRunDriver(count, arguments, callback);
}
