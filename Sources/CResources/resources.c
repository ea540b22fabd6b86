#include "resources.h"

// #embed (C23) rather than SwiftPM's resources: those need Foundation's Bundle at run time, and the
// files have to stay where people look for them and can read them.
static const unsigned char openapi_yaml[] = {
#embed "../../openapi.yaml"
};
static const unsigned char index_html[] = {
#embed "web/index.html"
};
static const unsigned char collection_view_js[] = {
#embed "web/collection-view.js"
};
static const unsigned char collection_view_d_ts[] = {
#embed "web/collection-view.d.ts"
};
static const unsigned char playground_js[] = {
#embed "web/playground.js"
};
static const unsigned char playground_css[] = {
#embed "web/playground.css"
};
static const unsigned char favicon_svg[] = {
#embed "web/favicon.svg"
};
// The tests' own, so that what the playground shows is what is tested.
static const unsigned char gallery_json[] = {
#embed "../../Tests/LayoutAPITests/Fixtures/gallery.json"
};

static const struct {
  const unsigned char *bytes;
  size_t count;
} resources[] = {
    [LAYOUTD_OPENAPI_YAML] = {openapi_yaml, sizeof openapi_yaml},
    [LAYOUTD_INDEX_HTML] = {index_html, sizeof index_html},
    [LAYOUTD_COLLECTION_VIEW_JS] = {collection_view_js, sizeof collection_view_js},
    [LAYOUTD_COLLECTION_VIEW_D_TS] = {collection_view_d_ts, sizeof collection_view_d_ts},
    [LAYOUTD_PLAYGROUND_JS] = {playground_js, sizeof playground_js},
    [LAYOUTD_PLAYGROUND_CSS] = {playground_css, sizeof playground_css},
    [LAYOUTD_FAVICON_SVG] = {favicon_svg, sizeof favicon_svg},
    [LAYOUTD_GALLERY_JSON] = {gallery_json, sizeof gallery_json},
};

const unsigned char *layoutd_resource(enum layoutd_resource which, size_t *count) {
  *count = resources[which].count;
  return resources[which].bytes;
}
