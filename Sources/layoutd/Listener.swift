import HTTPMessages
import MicroHTTP

/// A server with the address that it listens on.
struct Listener {
  let server: HTTPServer
  let address: String

  init(
    _ configuration: HTTPServerConfiguration, _ handler: any HTTPHandler
  ) throws(Configuration.Failure) {
    do throws(HTTPServerError) {
      server = try HTTPServer(configuration: configuration, handler: handler)
    } catch {
      throw Configuration.Failure(message: error.description)
    }
    let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
    address = "\(configuration.tls == nil ? "http" : "https")://\(host):\(server.port)"
  }
}
