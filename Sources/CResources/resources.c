#include "resources.h"

// #embed (C23) rather than SwiftPM's resources: those need Foundation's Bundle at run time, and the
// file has to stay at the top of the repository, where people look for it.
static const unsigned char openapi_yaml[] = {
#embed "../../openapi.yaml"
};

const unsigned char *layoutd_openapi_yaml(size_t *count) {
  *count = sizeof openapi_yaml;
  return openapi_yaml;
}
