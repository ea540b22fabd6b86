import HTTPMessages

/// The playground, and the client for browsers.
extension Call {
  /// A file, or 304 to who has it already.
  func webFile(_ file: WebFile) -> HTTPResponse {
    let content = file.content
    if let tag = content.tag, isCurrent(tag) {
      return HTTPResponse(
        status: .notModified, content: HTTPContent([], tag: tag), otherFields: file.fields)
    }
    return HTTPResponse(status: .ok, content: content, otherFields: file.fields)
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
