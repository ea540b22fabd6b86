/** The playground: controls around one `<collection-view>`. All that is laid out is laid out by the server. */
import "../client/collection-view.js";

/** Where the server is, of which a proxy may show a path of its own. */
const SERVER = new URL("..", import.meta.url).href;

const $ = (id) => document.getElementById(id);
const view = $("view");
const controls = $("controls");
const stage = $("stage");

const HORIZONTAL = new Set(["pagedGrid", "coverFlow", "wheel", "banner"]);
/** Which metrics mean something to which layout. */
const METRICS = {
  flow: ["direction", "size", "spacing", "inset", "pin"],
  waterfall: ["direction", "columns", "spacing", "inset", "pin"],
  pagedGrid: ["direction", "columns", "rows", "spacing", "inset"],
  list: ["direction", "size", "spacing", "inset", "pin"],
  coverFlow: ["direction", "size", "spacing", "inset"],
  wheel: ["size", "radius"],
  banner: ["size", "spacing", "inset"],
};
/** What each layout looks good with, until somebody says otherwise. */
const DEFAULTS = {
  flow: { direction: "vertical", size: 84, spacing: 10, inset: 12, pin: false },
  waterfall: { direction: "vertical", columns: 4, spacing: 10, inset: 12, pin: false },
  pagedGrid: { direction: "horizontal", columns: 5, rows: 4, spacing: 12, inset: 16 },
  list: { direction: "vertical", size: 48, spacing: 6, inset: 10, pin: true },
  coverFlow: { direction: "horizontal", size: 150, spacing: 40, inset: 24 },
  wheel: { size: 170, radius: 520 },
  banner: { size: 240, spacing: 10, inset: 28 },
};
const NOTES = {
  gallery: "7,683 pictures in sections with headers and footers, each with its own size.",
  random: "600 items with names and sizes made up.",
  million: "A million items, each with a length of its own. Only what is on the screen is in the document.",
  json: "Anything openapi.yaml calls a Collection, or a whole description.",
};
const EXAMPLE = {
  sections: [
    {
      items: { sizes: [[120, 160], [120, 90], [200, 120], [80, 80], [160, 200]], ids: ["a", "b", "c", "d", "e"] },
      header: { width: 0, height: 36 }, sectionInset: { top: 12, left: 12, bottom: 12, right: 12 },
    },
    { items: { count: 40, size: { width: 90, height: 110 } }, header: { width: 0, height: 36 } },
  ],
};

// MARK: State

const state = {
  layout: "waterfall", collection: "gallery", theme: "", json: JSON.stringify(EXAMPLE, null, 1), curl: "session",
  /** By kind, what was changed from the defaults. */
  metrics: {}, size: null, offset: null,
};

const kindOf = (layout) => layout.split("-")[0];
const metricsOf = (layout) => ({ ...DEFAULTS[kindOf(layout)], ...state.metrics[kindOf(layout)] });

/** What a link says is taken where somebody could have chosen it here. */
const isChoice = (name, value) => [...controls.elements[name]].some((input) => input.value === value);
const isInReach = (name, value) => {
  const { min, max, step } = controls.elements[name];
  return value >= Number(min) && value <= Number(max) && (value - min) % (step || 1) === 0;
};

function readHash() {
  const hash = new URLSearchParams(location.hash.slice(1));
  for (const name of ["layout", "collection"]) {
    if (isChoice(name, hash.get(name))) state[name] = hash.get(name);
  }
  if (["light", "dark"].includes(hash.get("theme"))) state.theme = hash.get("theme");
  if (hash.has("json")) state.json = hash.get("json");
  const metrics = {};
  for (const name of METRICS[kindOf(state.layout)]) {
    if (!hash.has(name)) continue;
    const value = hash.get(name);
    const known = DEFAULTS[kindOf(state.layout)][name];
    if (typeof known === "boolean") metrics[name] = value === "true";
    else if (typeof known === "string") metrics[name] = isChoice(name, value) ? value : known;
    else if (value && isInReach(name, Number(value))) metrics[name] = Number(value);
  }
  state.metrics[kindOf(state.layout)] = metrics;
  const pair = (name) => {
    const numbers = hash.get(name)?.split(",").map(Number) ?? [];
    return numbers.length === 2 && numbers.every(Number.isFinite) ? numbers : null;
  };
  // Which older links have in the place of the items' size.
  state.size = pair("viewport") ?? pair("size");
  state.offset = pair("at");
}

let hashTimer = 0;
/** The address says what is shown; browsers refuse more than a few changes a second. */
function writeHash() {
  clearTimeout(hashTimer);
  hashTimer = setTimeout(() => {
    const hash = new URLSearchParams({ layout: state.layout, collection: state.collection });
    const defaults = DEFAULTS[kindOf(state.layout)];
    for (const [name, value] of Object.entries(metricsOf(state.layout))) {
      if (value !== defaults[name]) hash.set(name, value);
    }
    if (state.theme) hash.set("theme", state.theme);
    if (state.size) hash.set("viewport", state.size.join());
    const { x, y } = view.contentOffset;
    if (x || y) hash.set("at", `${Math.round(x)},${Math.round(y)}`);
    if (state.collection === "json" && isJSONInLink()) hash.set("json", compact(state.json));
    history.replaceState(null, "", `#${hash}`);
  }, 300);
}

/** Longer ones would be cut off on their way by mail and chat. */
const isJSONInLink = () => compact(state.json).length < 6000;

function compact(json) {
  try {
    return JSON.stringify(JSON.parse(json));
  } catch {
    return json;
  }
}

// MARK: Collections

/** The same numbers for everyone who opens the same link. */
function random(seed) {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const COLLECTIONS = {
  async gallery() {
    const response = await fetch(`${SERVER}playground/gallery.json`);
    if (!response.ok) throw new Error(`The gallery cannot be had: ${response.status}`);
    return (await response.json()).collection;
  },
  random() {
    const next = random(7);
    const sizes = Array.from({ length: 600 }, () => [60 + Math.floor(next() * 140), 60 + Math.floor(next() * 160)]);
    return { sections: [{ items: { sizes, ids: sizes.map((_, index) => `r${index + 1}`) } }] };
  },
  million() {
    const next = random(11);
    return { sections: [{ items: { lengths: Array.from({ length: 1e6 }, () => 48 + Math.floor(next() * 152)) } }] };
  },
  json() {
    const json = JSON.parse(state.json);
    return json?.collection ?? json;
  },
};

let insertedCount = 0;
/** Something new, described as its neighbours are. */
function newItems(count, section) {
  const sizes = Array.from({ length: count }, () => [80 + Math.random() * 100, 80 + Math.random() * 120].map(Math.round));
  switch (state.collection) {
    case "gallery": case "random": return { sizes, ids: sizes.map(() => `new ${++insertedCount}`) };
    case "million": return { lengths: sizes.map(([, height]) => height) };
    default: {
      const { ids, size, sizes: given, lengths, aspectRatios } = view.collection?.sections?.[section]?.items ?? {};
      return {
        count, ...(size && { size }), ...(given && { sizes }),
        ...(lengths && { lengths: sizes.map(([, height]) => height) }),
        ...(aspectRatios && { aspectRatios: sizes.map(([width, height]) => width / height) }),
        ...(ids && { ids: sizes.map(() => `new ${++insertedCount}`) }),
      };
    }
  }
}

// MARK: Layouts

/** The layout as the server takes it. */
function layoutOf(layout) {
  const kind = kindOf(layout);
  const { direction, size, columns, rows, spacing, inset, radius, pin } = metricsOf(layout);
  const sectionInset = { top: inset, left: inset, bottom: inset, right: inset };
  const { clientWidth, clientHeight } = stage;
  const pinned = pin ? { sectionHeadersPinToVisibleBounds: true } : {};
  const scroll = direction && direction !== (HORIZONTAL.has(kind) ? "horizontal" : "vertical")
    ? { scrollDirection: direction } : {};
  switch (kind) {
    case "flow":
      return {
        kind, ...scroll, itemSize: { width: size, height: size }, minimumLineSpacing: spacing,
        minimumInteritemSpacing: spacing, sectionInset, ...pinned,
      };
    case "waterfall": {
      const directions = { "waterfall-ltr": "leftToRight", "waterfall-rtl": "rightToLeft" };
      return {
        kind, ...scroll, columnCount: columns, minimumColumnSpacing: spacing, minimumInteritemSpacing: spacing,
        sectionInset, ...(directions[layout] ? { itemRenderDirection: directions[layout] } : {}), ...pinned,
      };
    }
    case "pagedGrid":
      return {
        kind, ...scroll, columns, rows, minimumInteritemSpacing: spacing, minimumLineSpacing: spacing, sectionInset,
      };
    case "list":
      return { kind, ...scroll, itemLength: size, itemSpacing: spacing, sectionInset, ...pinned };
    case "coverFlow":
      return {
        kind, ...scroll, itemSize: { width: size, height: Math.round(size * 1.3) }, minimumLineSpacing: spacing,
        sectionInset, maximumScale: 1.4, minimumScale: 0.6,
      };
    case "wheel":
      return { kind, itemSize: { width: size, height: Math.round(size * 1.3) }, radius };
    case "banner": {
      // The next card shall be seen, on a phone too.
      const width = Math.min(Math.round(size * 1.6), Math.round(clientWidth * 0.8));
      const itemSize = { width, height: Math.round(width / 1.6) };
      const top = Math.max(0, Math.round((clientHeight - itemSize.height) / 2));
      return { kind, itemSize, itemSpacing: spacing, sectionInset: { top, left: inset, bottom: 0, right: inset } };
    }
  }
}

function applyLayout() {
  const layout = layoutOf(state.layout);
  stage.dataset.layout = layout.kind;
  return view.setLayout(layout).then(() => say(""), fail);
}

// MARK: What an item looks like

function hueOf(text) {
  let hash = 2166136261;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 16777619);
  // Names that differ only at their end shall not look alike.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % 360;
}

view.renderItem = (element, { kind, id, indexPath: [section, item] }, reuse) => {
  if (kind !== "cell") {
    const count = view.itemCounts[section];
    const name = sectionName(section);
    element.textContent = kind === "header"
      ? `${name}${count === undefined ? "" : ` · ${count.toLocaleString("en")}`}` : `End of ${name}`;
    return;
  }
  if (!element.firstChild) {
    const name = document.createElement("span");
    name.className = "name";
    const grip = document.createElement("span");
    grip.className = "grip";
    grip.dataset.dragHandle = "";
    grip.setAttribute("aria-hidden", "true");
    grip.textContent = "⠿";
    element.append(name, grip);
  }
  const label = id ?? (item + 1).toLocaleString("en");
  element.firstChild.textContent = label;
  // An item that has moved keeps its colour, even where only its number names it.
  if (reuse !== "moved" || id !== undefined) element.style.setProperty("--hue", hueOf(id ?? `${section}/${item}`));
};

function sectionName(section) {
  return view.collection?.sections?.[section]?.id ?? `Section ${section + 1}`;
}

/** Headers say how many items there are, which batches change. */
function nameSections() {
  for (const { element, attributes } of view.visibleItems) {
    if (attributes.kind === "header") view.renderItem(element, attributes, "moved");
  }
}

// MARK: Saying things

function say(text) {
  $("status").textContent = text;
  $("failed").hidden = true;
}

function fail(error) {
  const problem = error.problem;
  const pointer = problem?.pointer ? ` (${problem.pointer})` : "";
  $("failure").textContent = `${error.message}${pointer}`;
  $("key").hidden = error.status !== 401;
  $("failed").hidden = false;
}

// Kept for as long as the page is there, and nowhere else.
$("key").addEventListener("submit", (event) => {
  event.preventDefault();
  view.headers = { Authorization: `Bearer ${$("secret").value}` };
  showCollection();
});

const format = (number) => number.toLocaleString("en", { maximumFractionDigits: 1 });
const short = (time) => (time < 10 ? time.toFixed(1) : Math.round(time));
const rangeText = ({ section, start, end }) => `${section}: ${format(start)}–${format(end - 1)}`;
const rangesText = (ranges) =>
  ranges.length === 0 ? "–" : ranges.slice(0, 3).map(rangeText).join("\n") + (ranges.length > 3 ? ` +${ranges.length - 3}` : "");

// MARK: The live panel

const live = { ticks: [], frames: [], prefetch: [], cancelled: [], snap: null, isStale: true, lastFrame: 0 };
/** For tests and the curious: how long frames took, in milliseconds. */
globalThis.playground = { view, live };

function frame(now) {
  if (live.lastFrame) {
    live.frames.push(now - live.lastFrame);
    if (live.frames.length > 600) live.frames.shift();
  }
  live.lastFrame = now;
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);

view.addEventListener("tick", ({ detail }) => {
  live.ticks.push(detail.seconds * 1000);
  if (live.ticks.length > 140) live.ticks.shift();
  live.isStale = true;
  writeHash();
});
view.addEventListener("prefetch", ({ detail }) => {
  live.prefetch = detail.ranges;
  live.isStale = true;
});
view.addEventListener("cancelprefetch", ({ detail }) => {
  live.cancelled = detail.ranges;
  live.isStale = true;
});
view.addEventListener("snap", ({ detail }) => {
  live.snap = detail;
  live.isStale = true;
});
view.addEventListener("ready", () => {
  live.prefetch = [];
  live.cancelled = [];
  live.snap = null;
  live.isStale = true;
  say("");
});
view.addEventListener("error", ({ detail }) => fail(detail.error));
view.addEventListener("reorder", ({ detail: { from, to } }) => {
  live.isStale = true;
  nameSections();
  say(`Moved from ${from[1] + 1} to ${to[1] + 1}.`);
});

// Numbers that change faster than anyone reads cost frames.
setInterval(() => {
  if (!live.isStale || document.hidden) return;
  live.isStale = false;
  const { contentSize, contentOffset, viewportSize, itemCounts } = view;
  $("content").textContent = `${format(contentSize.width)} × ${format(contentSize.height)}`;
  $("offset").textContent = `${format(contentOffset.x)}, ${format(contentOffset.y)}`;
  $("viewport").textContent = `${viewportSize.width} × ${viewportSize.height}`;
  $("visible").textContent = `${view.visibleItems.length} elements`;
  $("items").textContent = format(itemCounts.reduce((sum, count) => sum + count, 0));
  $("version").textContent = view.version || "–";
  const ticks = live.ticks.toSorted((a, b) => a - b);
  if (ticks.length) {
    $("tick").textContent = `${short(ticks[ticks.length >> 1])} ms, max ${short(ticks.at(-1))}`;
  }
  const recent = live.frames.slice(-60);
  const mean = recent.reduce((sum, time) => sum + time, 0) / recent.length;
  if (recent.length) $("frames").textContent = `${Math.round(1000 / mean)} a second`;
  $("prefetch").textContent = rangesText(live.prefetch);
  $("cancelled").textContent = rangesText(live.cancelled);
  const { snap } = live;
  $("snap").textContent = snap
    ? `${snap.indexPath ? `[${snap.indexPath}] ` : ""}${format(snap.target.x)}, ${format(snap.target.y)}` : "–";
  drawGraph();
  showCurl();
  $("item").max = Math.max(1, itemCounts.reduce((sum, count) => sum + count, 0));
}, 120);

function drawGraph() {
  const canvas = $("graph");
  const context = canvas.getContext("2d");
  const { width, height } = canvas;
  const style = getComputedStyle(canvas);
  context.clearRect(0, 0, width, height);
  context.fillStyle = style.color;
  const worst = Math.max(8, ...live.ticks);
  live.ticks.forEach((time, index) => {
    const length = Math.max(2, (time / worst) * (height - 8));
    context.fillRect(index * 4, height - length, 3, length);
  });
}

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

function curlText() {
  const { x, y } = view.contentOffset;
  // Commands are shown, copied and kept in histories; a key is not.
  const key = view.headers.Authorization ? '-H "Authorization: Bearer $LAYOUTD_KEY" ' : "";
  if (state.curl === "session") {
    if (!view.sessionURL) return "";
    return `curl ${key}${quoted(`${view.sessionURL}/attributes?contentOffsetX=${x}&contentOffsetY=${y}`)}`;
  }
  const description = {
    collection: null, layout: view.layout, viewport: { ...view.viewportSize, contentOffset: { x, y } },
  };
  const head = `curl ${key}-H 'Content-Type: application/json' ${SERVER}v1/layout`;
  const rest = JSON.stringify(description).replace('"collection":null,', "");
  if (state.collection === "gallery" && !isChanged) {
    return `curl -s ${SERVER}playground/gallery.json |\n  jq -c ${quoted(`{collection} + ${rest}`)} |\n  ${head} -d @-`;
  }
  // Not to write millions of items down only to see that they are too many.
  const count = view.itemCounts.reduce((sum, count) => sum + count, 0);
  if (count <= 2000 || state.collection === "json") {
    return `${head} -d ${quoted(JSON.stringify({ ...description, collection: view.collection }))}`;
  }
  return "This collection is too large to be pasted into a shell. Ask its session instead.";
}

/** What the page has given, and whether the collection is another than that. */
let given = null;
let isChanged = false;
view.addEventListener("request", ({ detail: { method, url, status } }) => {
  if (method === "POST" && url.endsWith("/v1/sessions")) isChanged = view.collection !== given;
  else if (status === 200 && /\/(updates|movement\/end)$/.test(url)) isChanged = true;
  if (method !== "GET") live.isStale = true;
});

function showCurl() {
  const text = curlText();
  if ($("curl").textContent !== text) $("curl").textContent = text;
}

// MARK: Controls

function showState() {
  for (const input of controls.elements) {
    if (input.name === "layout") {
      input.checked = input.value === state.layout;
      // On a phone they are in a row that scrolls.
      const label = input.parentElement;
      const row = label.parentElement;
      if (input.checked) row.scrollLeft = label.offsetLeft - (row.clientWidth - label.offsetWidth) / 2;
    }
    if (input.name === "collection") input.checked = input.value === state.collection;
  }
  const kind = kindOf(state.layout);
  const metrics = metricsOf(state.layout);
  for (const label of controls.querySelectorAll("[data-for]")) {
    const name = label.dataset.for;
    label.hidden = !METRICS[kind].includes(name);
    const input = controls.elements[name];
    if (input.type === "checkbox") input.checked = Boolean(metrics[name]);
    else if (metrics[name] !== undefined) input.value = metrics[name];
    const output = label.querySelector("output");
    if (output) output.value = metrics[name] ?? "";
  }
  $("collection-note").textContent = NOTES[state.collection];
  $("own").hidden = state.collection !== "json";
  $("json").value = state.json;
  document.documentElement.dataset.theme = state.theme;
  $("theme").setAttribute("aria-label", `Theme: ${state.theme || "as the system"}`);
}

async function showCollection() {
  $("json-problem").textContent = "";
  const chosen = state.collection;
  try {
    const collection = await COLLECTIONS[chosen]();
    // One that has come over the network may come after another has been chosen.
    if (state.collection !== chosen) return;
    given = collection;
    view.description = { collection, layout: layoutOf(state.layout), prefetch: { ahead: 1, behind: 0.5 } };
    stage.dataset.layout = kindOf(state.layout);
  } catch (error) {
    if (state.collection !== chosen) return;
    // What is beside the text is seen with it only.
    if (chosen === "json") $("json-problem").textContent = String(error.message);
    else fail(error);
  }
}

let layoutTimer = 0;
controls.addEventListener("input", ({ target }) => {
  const { name } = target;
  if (name === "layout") {
    state.layout = target.value;
    showState();
    applyLayout();
    say(`Layout: ${target.parentNode.textContent.trim()}`);
  } else if (name === "collection") {
    state.collection = target.value;
    showState();
    view.setContentOffset({ x: 0, y: 0 }, false);
    showCollection();
  } else if (name && target.closest("[data-for]")) {
    const value = target.type === "checkbox" ? target.checked : target.type === "range" ? Number(target.value) : target.value;
    const kind = kindOf(state.layout);
    state.metrics[kind] = { ...state.metrics[kind], [name]: value };
    showState();
    clearTimeout(layoutTimer);
    layoutTimer = setTimeout(applyLayout, 60);
  }
  writeHash();
});
controls.addEventListener("submit", (event) => event.preventDefault());
$("json").addEventListener("input", ({ target }) => { state.json = target.value; });
$("apply").addEventListener("click", showCollection);

const THEMES = ["", "light", "dark"];
$("theme").addEventListener("click", () => {
  state.theme = THEMES[(THEMES.indexOf(state.theme) + 1) % THEMES.length];
  showState();
  writeHash();
  live.isStale = true;
});

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied.`);
    return true;
  } catch {
    say("The browser does not allow copying here.");
    return false;
  }
}
async function copyBy(button, text, what) {
  if (!(await copy(text, what))) return;
  // It may say "Copied" still.
  const label = (button.dataset.label ??= button.textContent);
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = label; }, 1200);
}
$("share").addEventListener("click", ({ currentTarget }) => {
  const isWhole = state.collection !== "json" || isJSONInLink();
  copyBy(currentTarget, location.href, isWhole ? "Link" : "Link, but not the JSON, which is too long for it,");
});
$("copy").addEventListener("click", ({ currentTarget }) => copyBy(currentTarget, curlText(), "Command"));
for (const input of document.getElementsByName("curl")) {
  input.addEventListener("change", () => {
    state.curl = input.value;
    showCurl();
  });
}

// MARK: Changes

const visibleCells = () => view.visibleItems.map(({ attributes }) => attributes).filter(({ kind }) => kind === "cell");

/** The cell that is meant: where the keyboard is, if that can be seen, else the one in the middle. */
function chosenCell() {
  const cells = visibleCells();
  const current = view.currentIndexPath?.join();
  return cells.find(({ indexPath }) => indexPath.join() === current) ?? cells[cells.length >> 1];
}

$("insert").addEventListener("click", () => {
  const [section, at] = chosenCell()?.indexPath ?? [0, 0];
  view.applyUpdates({
    insertItems: [{ section, at, items: newItems(2, section) }], insertAnimation: { alpha: 0, scale: 0.3 },
  }).then(() => { nameSections(); say("2 items inserted."); }, fail);
});
$("delete").addEventListener("click", () => {
  const cell = chosenCell();
  if (!cell) return;
  const [section, start] = cell.indexPath;
  view.applyUpdates({
    deleteItems: [{ section, start, end: start + 1 }], deleteAnimation: { alpha: 0, scale: 0.3 },
  }).then(() => { nameSections(); say(`Item ${cell.id ?? start + 1} deleted.`); }, fail);
});
$("shuffle").addEventListener("click", () => {
  const paths = visibleCells().map(({ indexPath }) => indexPath);
  const places = [...paths];
  for (let index = places.length - 1; index > 0; index--) {
    const other = Math.floor(Math.random() * (index + 1));
    [places[index], places[other]] = [places[other], places[index]];
  }
  const moveItems = paths.map((from, index) => ({ from, to: places[index] }))
    .filter(({ from, to }) => from.join() !== to.join());
  if (moveItems.length) view.applyUpdates({ moveItems }).then(() => say("Shuffled."), fail);
});

const sectionWithItems = (isLast) =>
  isLast ? view.itemCounts.findLastIndex((count) => count > 0) : view.itemCounts.findIndex((count) => count > 0);
$("first").addEventListener("click", () => view.setContentOffset({ x: 0, y: 0 }));
$("last").addEventListener("click", () => {
  const section = sectionWithItems(true);
  if (section >= 0) view.scrollToItem(section, view.itemCounts[section] - 1, "end").catch(fail);
});
$("jump").addEventListener("submit", (event) => {
  event.preventDefault();
  // Numbers go through all sections.
  let item = Number($("item").value) - 1;
  for (const [section, count] of view.itemCounts.entries()) {
    if (item < count) {
      view.scrollToItem(section, item, "center").catch(fail);
      return;
    }
    item -= count;
  }
  say("There are not so many items.");
});

// MARK: The size of the viewport

const handle = $("handle");
let isSized = false;
function resize(width, height) {
  const area = stage.parentElement;
  state.size = [
    Math.round(Math.min(Math.max(width, 200), area.clientWidth)),
    Math.round(Math.min(Math.max(height, 200), area.clientHeight)),
  ];
  stage.style.width = `${state.size[0]}px`;
  stage.style.height = `${state.size[1]}px`;
  writeHash();
}
handle.addEventListener("pointerdown", (event) => {
  handle.setPointerCapture(event.pointerId);
  const { offsetWidth, offsetHeight } = stage;
  const { clientX, clientY } = event;
  const move = (next) => resize(offsetWidth + next.clientX - clientX, offsetHeight + next.clientY - clientY);
  handle.addEventListener("pointermove", move);
  handle.addEventListener("lostpointercapture", () => handle.removeEventListener("pointermove", move), { once: true });
});
handle.addEventListener("keydown", (event) => {
  const [dx, dy] = { ArrowLeft: [-20, 0], ArrowRight: [20, 0], ArrowUp: [0, -20], ArrowDown: [0, 20] }[event.key] ?? [0, 0];
  if (!dx && !dy) return;
  event.preventDefault();
  resize(stage.offsetWidth + dx, stage.offsetHeight + dy);
});
new ResizeObserver(() => {
  live.isStale = true;
  // Cards of a banner stand in the middle, which has moved.
  if (isSized && kindOf(state.layout) === "banner") {
    clearTimeout(layoutTimer);
    layoutTimer = setTimeout(applyLayout, 200);
  }
  isSized = true;
}).observe(stage);

// MARK: Beginning

// Another link in the same tab; what writeHash does is not noticed here.
addEventListener("hashchange", () => {
  // The link that skips the controls leads to a place on this page.
  if (location.hash === "#stage") writeHash();
  else location.reload();
});
readHash();
showState();
if (state.size) resize(...state.size);
if (state.offset) {
  const [x, y] = state.offset;
  view.addEventListener("ready", () => view.setContentOffset({ x, y }, false), { once: true });
}
await showCollection();
