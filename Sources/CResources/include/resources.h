// Files that the program carries inside itself.
#ifndef LAYOUTD_RESOURCES_H
#define LAYOUTD_RESOURCES_H

#include <stddef.h>

enum layoutd_resource {
  LAYOUTD_OPENAPI_YAML,
  LAYOUTD_INDEX_HTML,
  LAYOUTD_COLLECTION_VIEW_JS,
  LAYOUTD_COLLECTION_VIEW_D_TS,
  LAYOUTD_PLAYGROUND_JS,
  LAYOUTD_PLAYGROUND_CSS,
  LAYOUTD_FAVICON_SVG,
  LAYOUTD_GALLERY_JSON,
};

// The bytes of a file as it was when the program was built; static, never freed.
const unsigned char *_Nonnull layoutd_resource(enum layoutd_resource which, size_t *_Nonnull count);

#endif
