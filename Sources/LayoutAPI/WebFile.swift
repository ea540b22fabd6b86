import CResources
import HTTPMessages

/// What is served as it is: the contract, and to browsers the playground and the component that it is made with.
///
/// Anybody may ask for it, and take it slowly: all are sent the same bytes, which are held once.
enum WebFile: Int, CaseIterable {
  case contract
  case page
  case client
  case clientTypes
  case playgroundScript
  case playgroundStyle
  case icon
  case gallery

  /// Its last path component below `/playground/`; nil for what has a path of its own.
  var playgroundName: String? {
    switch self {
    case .contract, .page, .client, .clientTypes: nil
    case .playgroundScript: "playground.js"
    case .playgroundStyle: "playground.css"
    case .icon: "favicon.svg"
    case .gallery: "gallery.json"
    }
  }

  /// The file, ready to be sent.
  var content: HTTPContent { WebFile.contents[rawValue] }

  /// Header fields beside type and tag.
  var fields: [HTTPField] { self == .page ? WebFile.pageFields : WebFile.fileFields }

  private static let contents = allCases.map { file in
    var count = 0
    let start = unsafe layoutd_resource(file.resource, &count)
    // Safe: the resource is static and has that many bytes.
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    return HTTPContent(
      bytes, type: file.type, tag: HTTPEntityTag(UInt(truncatingIfNeeded: Checksum.of(bytes.span))),
      isKept: true)
  }

  private static let fileFields = [
    HTTPField(name: "Cache-Control", value: "no-cache"),
    HTTPField(name: "X-Content-Type-Options", value: "nosniff"),
  ]

  /// Nothing from elsewhere, nothing inline, no frames: a page that shows other people's JSON has no
  /// use for any of it.
  private static let pageFields =
    fileFields + [
      HTTPField(
        name: "Content-Security-Policy",
        value: """
          default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
          img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
          """),
      HTTPField(name: "Referrer-Policy", value: "no-referrer"),
    ]

  private var resource: layoutd_resource {
    switch self {
    case .contract: LAYOUTD_OPENAPI_YAML
    case .page: LAYOUTD_INDEX_HTML
    case .client: LAYOUTD_COLLECTION_VIEW_JS
    case .clientTypes: LAYOUTD_COLLECTION_VIEW_D_TS
    case .playgroundScript: LAYOUTD_PLAYGROUND_JS
    case .playgroundStyle: LAYOUTD_PLAYGROUND_CSS
    case .icon: LAYOUTD_FAVICON_SVG
    case .gallery: LAYOUTD_GALLERY_JSON
    }
  }

  private var type: StaticString {
    switch self {
    case .contract: "application/yaml"
    case .page: "text/html; charset=utf-8"
    case .client, .playgroundScript: "text/javascript; charset=utf-8"
    case .clientTypes: "text/typescript; charset=utf-8"
    case .playgroundStyle: "text/css; charset=utf-8"
    case .icon: "image/svg+xml"
    case .gallery: "application/json"
    }
  }
}
