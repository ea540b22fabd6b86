// Files that the program carries inside itself.
#ifndef LAYOUTD_RESOURCES_H
#define LAYOUTD_RESOURCES_H

#include <stddef.h>

// The bytes of openapi.yaml as it was when the program was built; static, never freed.
const unsigned char *_Nonnull layoutd_openapi_yaml(size_t *_Nonnull count);

#endif
