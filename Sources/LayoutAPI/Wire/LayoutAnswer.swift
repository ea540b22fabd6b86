import LayoutCore

/// What `POST /v1/layout` says of one viewport.
struct LayoutAnswer {
  var description: Description
  var contentSize: Size
  var elements: [LayoutAttributes]
  var snap: SnapTarget?
  var prefetch: [ItemRange]
}
