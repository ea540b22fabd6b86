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
for (const { kind, indexPath, frame, transform, anchorPoint, id, alpha = 1, zIndex = 0 } of attributes) {
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
  // Boxes say neither how it is drawn nor what readers are told of it.
  const { style, dataset } = element;
  if (Math.abs(style.opacity - alpha) > 1e-3) missing.push(`${key} has opacity ${style.opacity} instead of ${alpha}`);
  if (kind === "cell" && !("dragging" in dataset) && Number(style.zIndex) !== zIndex) {
    missing.push(`${key} is at height ${style.zIndex} instead of ${zIndex}`);
  }
  if (kind === "cell") {
    const told = ["aria-posinset", "aria-setsize"].map((name) => Number(element.getAttribute(name))).join(" of ");
    const expected = `${indexPath[1] + 1} of ${view.itemCounts[indexPath[0]]}`;
    if (told !== expected) missing.push(`${key} is told as ${told} instead of ${expected}`);
    if ("leaving" in dataset || element.hasAttribute("aria-hidden")) missing.push(`${key} is told as leaving`);
  }
  // The playground's have something to drag them by, too.
  if (kind === "cell" && id !== undefined && ![id, `${id}⠿`].includes(element.textContent)) {
    missing.push(`${key} shows "${element.textContent}" instead of ${id}`);
  }
}
// Readers go by the order in the document.
const keys = new Set(attributes.map(({ kind, indexPath }) => `${kind} ${indexPath.join()}`));
const order = [...view.querySelectorAll("[data-index-path]")]
  .map(({ dataset }) => `${dataset.kind} ${dataset.indexPath}`).filter((key) => keys.has(key));
if (missing.length === 0 && order.join(" ") !== [...keys].join(" ")) missing.push(`this order: ${order}`);
return { count: attributes.length, worst, missing, extra: [...extra, ...elements.keys()], offset };
