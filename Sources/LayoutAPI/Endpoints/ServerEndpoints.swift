import CResources
import HTTPMessages

/// Questions about the server itself.
extension Call {
  func health(_ status: StaticString) throws(Failure) -> HTTPResponse {
    var json = JSONWriter(capacity: 64)
    json.beginObject()
    json.key("status")
    json.string(status.description)
    json.endObject()
    return self.json(json.finish())
  }

  func readiness(isReady: Bool) throws(Failure) -> HTTPResponse {
    guard isReady else {
      throw .problem(
        Problem(
          .unavailable, "the server is stopping",
          fields: [HTTPField(name: "Retry-After", value: "1")]))
    }
    return try health("ready")
  }

  func contract() throws(Failure) -> HTTPResponse {
    HTTPResponse(
      status: .ok, fields: [HTTPField(name: "Content-Type", value: "application/yaml")],
      body: Resources.openAPI)
  }
}

/// Files that the program carries inside itself.
enum Resources {
  /// openapi.yaml.
  static let openAPI: [UInt8] = {
    var count = 0
    let bytes = unsafe layoutd_openapi_yaml(&count)
    // The resource is static and has that many bytes.
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
  }()
}
