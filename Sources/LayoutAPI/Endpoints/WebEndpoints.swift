import HTTPMessages

/// The playground, and the client for browsers.
extension Call {
  /// A file.
  func webFile(_ file: WebFile) -> HTTPResponse {
    HTTPResponse(status: .ok, content: file.content, otherFields: file.fields)
  }

  /// One of the files that the playground is made of, by its name.
  func playgroundFile() throws(Failure) -> HTTPResponse {
    let name = parameterText(0)
    guard let file = WebFile.allCases.first(where: { $0.playgroundName == name }) else {
      throw .problem(.notFound("the playground has no such file"))
    }
    return webFile(file)
  }
}
