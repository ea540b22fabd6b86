// Compares what is in the document with what the server says is visible where the view is, and where that is.
const view = document.querySelector("collection-view");
await view.idle();
const scroller = view.shadowRoot.querySelector(".scroller");
const box = scroller.getBoundingClientRect();
const offset = view.contentOffset;
// Not where the server has been told that it is.
const place = new URLSearchParams({ contentOffsetX: offset.x, contentOffsetY: offset.y });
const { attributes } = await (await fetch(`${view.sessionURL}/attributes?${place}`)).json();
const elements = new Map();
const extra = [];
for (const element of view.querySelectorAll("[data-index-path]")) {
  const key = `${element.dataset.kind} ${element.dataset.indexPath}`;
  if (elements.has(key)) extra.push(`${key} again`);
  elements.set(key, element);
}
let worst = 0;
const missing = [];
for (const { kind, indexPath, frame, transform, anchorPoint, id } of attributes) {
  const key = `${kind} ${indexPath.join()}`;
  const element = elements.get(key);
  elements.delete(key);
  if (!element) {
    missing.push(key);
    continue;
  }
  const [a, b, c, d, tx, ty] = transform ?? [1, 0, 0, 1, 0, 0];
  const ox = frame.x + frame.width * (anchorPoint?.x ?? 0.5);
  const oy = frame.y + frame.height * (anchorPoint?.y ?? 0.5);
  const xs = [];
  const ys = [];
  for (const x of [frame.x, frame.x + frame.width]) {
    for (const y of [frame.y, frame.y + frame.height]) {
      xs.push(a * (x - ox) + c * (y - oy) + tx + ox - offset.x + box.left);
      ys.push(b * (x - ox) + d * (y - oy) + ty + oy - offset.y + box.top);
    }
  }
  const real = element.getBoundingClientRect();
  worst = Math.max(
    worst, Math.abs(real.left - Math.min(...xs)), Math.abs(real.right - Math.max(...xs)),
    Math.abs(real.top - Math.min(...ys)), Math.abs(real.bottom - Math.max(...ys)));
  // The playground's have something to drag them by, too.
  if (kind === "cell" && id !== undefined && ![id, `${id}⠿`].includes(element.textContent)) {
    missing.push(`${key} shows "${element.textContent}" instead of ${id}`);
  }
}
return { count: attributes.length, worst, missing, extra: [...extra, ...elements.keys()], offset };
