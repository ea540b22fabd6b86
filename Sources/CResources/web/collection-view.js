/**
 * `<collection-view>`: a UICollectionView for web pages, laid out by a layoutd server.
 *
 *     <script type="module" src="https://layout.example/client/collection-view.js"></script>
 *     <collection-view src="/photos.json" layout="waterfall" label="Photos" style="height: 100vh"></collection-view>
 *     <script type="module">
 *       document.querySelector("collection-view").renderItem = (element, attributes) => {
 *         element.textContent = attributes.id;
 *       };
 *     </script>
 *
 * The server knows where everything is; this element scrolls, asks, and puts into the document what the
 * answers say is visible, and nothing else. It has no dependencies. Types are in `collection-view.d.ts`.
 *
 * Give the element a height: by itself it has none, and shows nothing. Its children are the collection's
 * elements, to be styled by the page: each has `data-kind` (`cell`, `header`, `footer`, or a decoration's name)
 * and `data-index-path` (`section,item`); `data-dragging` while a finger has it, `data-leaving` while it fades
 * away. Their place and size are set as inline styles; leave `position`, `transform`, `transform-origin`, `width`,
 * `height`, `opacity` and `z-index` alone.
 * Where items can be moved, what has `data-drag-handle` in one lifts it at once; links, labels, and what is pressed,
 * filled in or played lift nothing.
 *
 * A page's server can draw the first screen: it puts the answer of one `POST /v1/layout` into a child
 * `<script type="application/json">`, with `\u003c` for each `<` (an id may have one, and end the script with it), and
 * the elements beside it, each with `data-index-path` (and `data-kind` unless it is a cell). They are taken over where
 * they are, and stay there if the answer is for a viewport as broad as the element, with its `displayScale` if
 * `display-scale` gives it one.
 *
 * @module
 */

/**
 * What is longer is scrolled piecewise. Firefox ends at 17.8 million pixels, Chromium at 33.5; both count
 * some of them in 32-bit floats, which from here on know no quarters of a pixel.
 */
const SCROLLABLE = 4_000_000;
/** So near its ends, long content is scrolled pixel by pixel, so that both ends are met exactly. */
const EXACT = 500_000;
/** No element is placed farther than this from the origin of its layer, to stay exact in 32-bit floats. */
const NEAR = 20_000;
/** Elements kept to be used again, of each kind. */
const POOLED = 1024;
/** For how many milliseconds a request that was given up may still come to the server. */
const LATE = 60_000;

/** The server that this module came from. */
const HOME = new URL("..", import.meta.url).href;
const SNAP_MODES = { pagedGrid: "page", coverFlow: "center", wheel: "wheel", banner: "item" };
const EFFECTS = new Set(["coverFlow", "wheel", "banner"]);
const HORIZONTAL = new Set(["pagedGrid", "coverFlow", "wheel", "banner"]);
const IDENTITY = [1, 0, 0, 1, 0, 0];
/** What in an item has a use of its own for keys. */
const EDITORS =
  "input, textarea, select, [contenteditable]:not([contenteditable=false]), audio[controls], video[controls]";
/** What in an item has a use of its own for a press. */
const CONTROLS = `a[href], button, label, summary, ${EDITORS}`;
/** What an item is dragged by at once. */
const HANDLE = "[data-drag-handle]";
/** Inside a section: the header, the cells, the footer, the decorations. */
const RANKS = { __proto__: null, header: 0, cell: 1, footer: 2 };
/** Fills elements in until a page does. */
const showName = (element, { kind, id, indexPath }) => {
  element.textContent = id ?? (kind === "cell" ? indexPath.join(".") : kind);
};
/** What an answer that was lost may have told of. */
const UNTOLD = { appearing: [], disappearing: [], moving: [], entering: [], leaving: [], cancelPrefetch: [] };
const EASING = "cubic-bezier(0.25, 0.8, 0.25, 1)";

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
/**
 * Where a scroller is, without what Safari lets it swing beyond its ends, the content with it. Ends are told in
 * whole pixels, places in parts of them too.
 */
const within = (position, end) => position > end + 1 ? end : Math.max(position, 0);
const delay = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
const isSameViewport = (a, b) => a.width === b.width && a.height === b.height && a.displayScale === b.displayScale;
const keyOf = (kind, [section, item]) => `${kind}:${section},${item}`;
const comparePaths = (a, b) => a[0] - b[0] || a[1] - b[1];
/** Older Safari does not: there it is found out by waiting. */
const TELLS_SCROLL_END = "onscrollend" in window;
const stillness = matchMedia("(prefers-reduced-motion: reduce)");
/** Whether nothing is to be animated; in a page that is hidden no animation ends, and no frame comes. */
const isStill = () => document.hidden || stillness.matches;

/** What a server has refused: its problem details (RFC 9457). */
export class LayoutError extends Error {
  constructor(status, problem, method, url, message = problem?.detail) {
    super(message ?? `${method} ${url}: ${status || "no answer"}`);
    this.name = "LayoutError";
    /** The status; 0 if there was no answer. */
    this.status = status;
    /** The body of the refusal, if it had one: `type`, `detail`, `pointer`, `repair`. */
    this.problem = problem;
    /** For how many seconds the server does not want to be asked again; 0 if it has not said. */
    this.retryAfter = 0;
  }
}

/**
 * Whether a failure may be over a little later, as that of a page's own function may; what was asked for may have
 * been done all the same.
 */
function passes(error) {
  const status = error?.status ?? 0;
  return status === 0 || status === 429 || status >= 500;
}

/** Whether a change may have been made all the same: the answer was lost, or a proxy or the server does not know. */
function leavesOpen({ status, problem }) {
  return status === 0 || status === 502 || status === 504 ||
    (status === 503 && problem?.type !== "/problems/unavailable");
}

/**
 * One axis of a scroller: which offset of the content belongs to which of its positions.
 *
 * For content that a browser can scroll they are the same. For longer content the scroller is as long as
 * it may be, and the two are mapped: small movements are the same in both, whatever the map says; large
 * ones (a dragged thumb) go by the map; and where they have drifted apart, the scroller is put where the
 * map wants it once it rests, or before it reaches an end that the content has not reached.
 */
class ScrollAxis {
  content = 0;
  viewport = 0;
  /** Where the content is. */
  offset = 0;
  /** Whether the scroller has not been put there yet: what is hidden, or in no document, cannot be scrolled. */
  isOwed = false;
  #position = 0;
  #isShown;
  #postpone;
  #read;
  #write;

  constructor(isShown, postpone, read, write) {
    this.#isShown = isShown;
    this.#postpone = postpone;
    this.#read = read;
    this.#write = write;
  }

  get range() { return Math.max(0, this.content - this.viewport); }
  get spacer() { return Math.min(this.content, SCROLLABLE); }
  get isMapped() { return this.content > SCROLLABLE; }
  get #positions() { return Math.max(0, this.spacer - this.viewport); }
  /** Where the scroller is. */
  get position() { return this.#position; }
  /** What to add to a place in the scroller to get a place in the content. */
  get base() { return this.isMapped ? this.offset - this.#position : 0; }

  #positionOf(offset) {
    const { range } = this;
    const positions = this.#positions;
    if (offset <= EXACT) return offset;
    if (offset >= range - EXACT) return positions - (range - offset);
    return EXACT + ((offset - EXACT) * (positions - 2 * EXACT)) / (range - 2 * EXACT);
  }

  #offsetOf(position) {
    const { range } = this;
    const positions = this.#positions;
    if (position <= EXACT) return position;
    if (position >= positions - EXACT) return range - (positions - position);
    return EXACT + ((position - EXACT) * (range - 2 * EXACT)) / (positions - 2 * EXACT);
  }

  /** The scroller has been scrolled; says whether the content has moved. */
  follow() {
    const position = this.#read();
    const before = this.offset;
    const way = position - this.#position;
    if (way === 0) return false;
    this.#position = position;
    if (!this.isMapped) {
      this.offset = position;
    } else if (Math.abs(way) > Math.max(4 * this.viewport, 4000)) {
      this.offset = this.#offsetOf(position);
    } else {
      this.offset = clamp(this.offset + way, 0, this.range);
      const rest = this.#positions - position;
      if ((position < EXACT / 8 && this.offset > position + 1) ||
          (rest < EXACT / 8 && this.range - this.offset > rest + 1)) {
        this.#place();
      }
    }
    return this.offset !== before;
  }

  /** Goes to an offset, exactly where the content is long, and else as exactly as the browser can. */
  jump(offset) {
    this.offset = clamp(offset, 0, this.range);
    this.#place();
  }

  /** Puts the scroller where the map wants it. */
  settle() {
    if (this.isMapped && Math.abs(this.#positionOf(this.offset) - this.#position) > 1) this.#place();
  }

  #place() {
    this.isOwed = !this.#isShown();
    if (this.isOwed) return this.#postpone();
    this.#write(this.isMapped ? Math.round(this.#positionOf(this.offset)) : this.offset);
    this.#position = this.#read();
    if (!this.isMapped) this.offset = this.#position;
  }
}

/** What is in the document: an element with the attributes that it shows. */
class Item {
  element;
  attributes;
  /** The texts of its width and height, not to write them again. */
  size = "";
  /** Whether it has been filled in here; else the page's server has drawn it. */
  isFilledIn = false;

  constructor(element, attributes) {
    this.element = element;
    this.attributes = attributes;
  }

  get key() { return keyOf(this.attributes.kind, this.attributes.indexPath); }
  get isCell() { return this.attributes.kind === "cell"; }
  get center() {
    const [left, top, right, bottom] = boundsOf(this.attributes);
    return { x: (left + right) / 2, y: (top + bottom) / 2 };
  }
}

/** Left, top, right and bottom of a transformed frame. */
function boundsOf({ frame, transform, anchorPoint }) {
  const { x, y, width, height } = frame;
  if (!transform) return [x, y, x + width, y + height];
  const [a, b, c, d, tx, ty] = transform;
  const ox = x + width * (anchorPoint?.x ?? 0.5);
  const oy = y + height * (anchorPoint?.y ?? 0.5);
  const xs = [];
  const ys = [];
  for (const cx of [x, x + width]) {
    for (const cy of [y, y + height]) {
      xs.push(a * (cx - ox) + c * (cy - oy) + tx + ox);
      ys.push(b * (cx - ox) + d * (cy - oy) + ty + oy);
    }
  }
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** Attributes elsewhere. */
function shifted(attributes, x, y) {
  const { frame } = attributes;
  return { ...attributes, frame: { ...frame, x: frame.x + x, y: frame.y + y } };
}

/** What an element looks like that is on its way, elsewhere; null if it rests. */
function moved(look, x, y) {
  return look && { ...look, transform: `translate(${x}px, ${y}px) ${look.transform}` };
}

/** The order of elements in answers, and so in the document. */
function compareItems({ attributes: a }, { attributes: b }) {
  return a.indexPath[0] - b.indexPath[0] ||
    (RANKS[a.kind] ?? 3) - (RANKS[b.kind] ?? 3) || a.indexPath[1] - b.indexPath[1];
}

/** What a page has set before this module was there: fields would hide it, and be hidden by it. */
const early = new WeakMap();
/** Events of pointers that a view in another view has a use for. */
const taken = new WeakSet();

class EarlyElement extends HTMLElement {
  constructor() {
    super();
    early.set(this, { ...this });
    for (const name of Object.keys(this)) delete this[name];
  }
}

const STYLE = `
:host { display: block; position: relative; overflow: hidden; }
:host([hidden]) { display: none; }
.scroller {
  /* Offsets count from the left and the top, in pages that are read from the right or in columns too. */
  direction: ltr; writing-mode: horizontal-tb; position: absolute; inset: 0; overflow: hidden; outline: none;
  overflow-anchor: none; -webkit-tap-highlight-color: transparent;
}
/* At its ends it keeps what goes its way from the page; across, and where it has no way to go, the page scrolls. */
.scroller[data-axis="y"] { overflow-y: scroll; overscroll-behavior-y: contain; }
.scroller[data-axis="x"] { overflow-x: scroll; overscroll-behavior-x: contain; }
.scroller[data-short] { overscroll-behavior: auto; }
.scroller[data-axis="y"][data-own] { touch-action: pan-x pinch-zoom; }
.scroller[data-axis="x"][data-own] { touch-action: pan-y pinch-zoom; }
.spacer { position: relative; min-width: 100%; min-height: 100%; }
.layer { position: absolute; left: 0; top: 0; width: 0; height: 0; isolation: isolate; }
.layer[data-held] { position: sticky; }
:host(:dir(rtl)) .layer { direction: rtl; }
::slotted([data-index-path]) {
  /* A page that was in place before has a style sheet of its own, which does not know of new ones. */
  position: absolute !important; left: 0 !important; top: 0 !important; margin: 0 !important;
  visibility: inherit !important;
  /* The layer has no size that a part of could be taken, and a frame is what a box has with its padding and border. */
  box-sizing: border-box !important; min-width: 0 !important; min-height: 0 !important;
  max-width: none !important; max-height: none !important; contain: layout style;
}
::slotted([data-leaving]) { pointer-events: none; }
/* A picture under a finger that waits to lift it would be offered to be saved, by Safari on phones. */
:host([reorderable]) { -webkit-touch-callout: none; }
.live {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
`;

/** What is said to who cannot see it; `%` is filled in. */
const MESSAGES = {
  lifted: "Item % of % lifted. Move it with the arrow keys, drop it with Enter, put it back with Escape.",
  moved: "Now % of %.",
  dropped: "Dropped at % of %.",
  cancelled: "Put back.",
};

/**
 * The element.
 *
 * Attributes: `src`, `layout` (a kind or JSON), `server`, `label`, `reorderable`, `display-scale` (a number, or
 * `auto`).
 *
 * Events, all CustomEvents: `ready`, `tick`, `prefetch`, `cancelprefetch`, `snap`, `reorder`, `request`,
 * `error`.
 */
export class CollectionView extends EarlyElement {
  static observedAttributes = ["src", "layout", "server", "label", "reorderable", "display-scale"];

  /**
   * Fills an element in.
   *
   * `reuse` is `"new"` for an element without contents, `"recycled"` for one with those of another item, or of the
   * same before it was reloaded, `"moved"` if it still shows the same item, which has another index path now.
   *
   * The first that is set fills in anew, emptied, what this element has filled in by itself. Each other one leaves
   * what is filled in as it is: frameworks set one with each rendering.
   *
   * @type {(element: HTMLElement, attributes: object, reuse: "new"|"recycled"|"moved") => void}
   */
  get renderItem() { return this.#renderItem; }
  set renderItem(value) {
    // Frameworks set what they do not know yet.
    this.#renderItem = value ?? showName;
    if (this.#hasRenderItem || !value) return;
    this.#hasRenderItem = true;
    // What leaves goes to those that are not used again, too.
    this.#pool = new Map();
    for (const item of this.#sorted) if (item.isFilledIn) this.#render(item, "new");
  }
  #renderItem = showName;
  #hasRenderItem = false;
  /** Header fields for the server, such as `Authorization`; an object or a function that makes one. */
  headers = {};
  /** What is announced; see {@link MESSAGES}. */
  messages = { ...MESSAGES };
  /** How long animations take, in seconds. */
  animationDuration = 0.45;
  /** How long an answer may take, in seconds, before it counts as lost; servers wait 15 for a question. */
  answerTimeout = 20;

  #shadow;
  #scroller;
  #spacer;
  #layer;
  #live;
  #x;
  #y;
  #origin = { x: 0, y: 0 };
  #basis = { x: 0, y: 0 };
  /** Where the layer is that moves with the answers. */
  #shown = { x: 0, y: 0 };
  /** The offset that the server knows of. */
  #told = { x: 0, y: 0 };

  #server = HOME;
  #collection = null;
  #layout = { kind: "flow" };
  #hasLayout = false;
  /** The layout that a server has taken last, and whether the page has set it. */
  #accepted = { layout: this.#layout, isOwn: false };
  #prefetchReach = null;
  #hasPrefetchReach = false;
  #source = null;
  /** Counts the collections that the page has set; and which of these the elements show, null if none yet. */
  #edition = 0;
  #shownEdition = null;
  /** Whether elements may show other items than those of their index paths; ids tell, where there are any. */
  #isInDoubt = false;

  #session = null;
  #isStartWanted = false;
  /** Whether another session was wanted while the element was in no document, or its beginning has failed. */
  #isOutdated = false;
  /** Refuses what belongs to a session that has been replaced. */
  #generation = 0;

  #items = new Map();
  #sorted = [];
  #pool = new Map();
  #leaving = new Set();

  #jobs = [];
  #isPumping = false;
  #tickWanted = false;
  #fullWanted = false;
  #answers = [];
  #frame = 0;
  #idlers = [];

  #observer;
  /** The resolution at which the screen is looked at, where that counts. */
  #resolution = null;
  /** With a `displayScale`, where there is one. */
  #viewport = { width: 0, height: 0 };
  #gestureStart = null;
  #gestureTimer = 0;
  #motion = null;
  /** Where to come to rest, as it has been asked; null once that is known, or whoever came later is to be there. */
  #question = null;
  #pointer = null;
  #movement = null;
  #current = null;
  #hadFocus = false;

  constructor() {
    super();
    this.#shadow = this.attachShadow({ mode: "open" });
    this.#dress(window);
    const make = (part, parent) => {
      const element = document.createElement("div");
      element.className = part;
      element.setAttribute("part", part);
      parent.append(element);
      return element;
    };
    this.#scroller = make("scroller", this.#shadow);
    this.#scroller.tabIndex = -1;
    this.#spacer = make("spacer", this.#scroller);
    this.#layer = make("layer", this.#spacer);
    this.#layer.setAttribute("role", "list");
    this.#layer.append(document.createElement("slot"));
    this.#live = make("live", this.#shadow);
    this.#live.setAttribute("aria-live", "assertive");

    const scroller = this.#scroller;
    const isShown = () => scroller.clientHeight > 0;
    // Nobody tells that it has been shown again within a frame.
    const postpone = () => requestAnimationFrame(() => this.#scrolled());
    const axis = (place, extent, viewport) => new ScrollAxis(
      isShown, postpone, () => within(scroller[place], scroller[extent] - scroller[viewport]),
      (position) => { scroller[place] = position; });
    this.#x = axis("scrollLeft", "scrollWidth", "clientWidth");
    this.#y = axis("scrollTop", "scrollHeight", "clientHeight");
    this.#observer = new ResizeObserver(() => this.#resized());

    scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    if (TELLS_SCROLL_END) scroller.addEventListener("scrollend", () => this.#scrollEnded());
    else scroller.addEventListener("touchstart", (event) => this.#touched(event), { passive: true });
    scroller.addEventListener("wheel", () => this.#turned(), { passive: true });
    scroller.addEventListener("pointerdown", (event) => this.#pointerDown(event));
    scroller.addEventListener("pointermove", (event) => this.#pointerMoved(event));
    scroller.addEventListener("pointerup", (event) => this.#pointerUp(event));
    // A palm that is told from a pen is cancelled, and the pen is not.
    const gone = ({ pointerId }) => { if (pointerId === this.#pointer?.id) this.#pointerCancelled(); };
    scroller.addEventListener("pointercancel", gone);
    scroller.addEventListener("pointerleave", (event) => this.#pointerLeft(event));
    scroller.addEventListener("lostpointercapture", (event) => {
      // An element that is touched has the pointer by itself, and loses it to us.
      if (event.target === scroller) gone(event);
    });
    scroller.addEventListener("dragstart", (event) => event.preventDefault());
    scroller.addEventListener("contextmenu", (event) => {
      if (this.#movement) event.preventDefault();
      // The menu has the mouse then, also that of a Mac with the control key: nobody tells that it is let go.
      else if (this.#pointer?.event.pointerType === "mouse") this.#pointerCancelled();
    });
    scroller.addEventListener("keydown", (event) => this.#keyDown(event));
    this.addEventListener("focusin", (event) => this.#focused(event));
    this.addEventListener("focusout", (event) => this.#unfocused(event));
    // What is in the document is told of its attributes first: the page has set these later.
    if (!this.isConnected) this.#takeEarly();
  }

  // MARK: What the page says

  #takeEarly() {
    Object.assign(this, early.get(this));
    early.delete(this);
  }

  connectedCallback() {
    this.#takeEarly();
    if (this.#isArriving) this.#awaitRest();
    else this.#adopt();
    this.#observer.observe(this.#scroller);
    this.#watchScale();
    addEventListener("pagehide", this.#giveBack);
    addEventListener("pageshow", this.#comeBack);
    // Whoever is moved in the document has lost where its scroller was.
    if (this.#viewport.width > 0) this.#scrollBack();
    if (!this.#session || this.#isOutdated) this.#want();
    this.#catchUp();
    this.#askAgain();
    // What is in no document is not told that scrolling has ended.
    if (this.#gestureStart) this.#awaitScrollEnd();
  }

  /** Whether the page is still being read, and its end is in here: a module that comes early does not see the rest. */
  get #isArriving() {
    if (this.ownerDocument.readyState !== "loading") return false;
    for (let node = this; node; node = node.parentNode ?? node.host) if (node.nextSibling) return false;
    return true;
  }

  /** Not for the scripts that the page has put off, which may want something of it. */
  #awaitRest() {
    this.ownerDocument.addEventListener("readystatechange", () => {
      if (!this.isConnected) return;
      this.#adopt();
      // A script may have begun already.
      if (this.#session) this.#removeStrangers();
      else if (this.#isOutdated) this.#want();
    }, { once: true });
  }

  disconnectedCallback() {
    this.#observer.disconnect();
    this.#watchScale();
    removeEventListener("pagehide", this.#giveBack);
    removeEventListener("pageshow", this.#comeBack);
    // What is in no document has no pointer, and is not told of its end; nor the focus, which not all browsers tell.
    this.#pointerCancelled();
    this.#lookForFocus();
    // Being moved in the document is a disconnection too, and no reason to start anew.
    setTimeout(() => { if (!this.isConnected) this.#giveBack(); }, 1000);
  }

  /** In another document, such as that of a picture in picture, the sheets of this one count for nothing. */
  adoptedCallback() {
    const { defaultView } = this.ownerDocument;
    if (defaultView) this.#dress(defaultView);
  }

  #dress({ CSSStyleSheet }) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    this.#shadow.adoptedStyleSheets = [sheet];
  }

  attributeChangedCallback(name, before, value) {
    if (before === value) return;
    switch (name) {
      case "src": this.#source = value; this.collection = null; break;
      case "layout": this.layout = value; break;
      case "server": this.server = value; break;
      case "label":
        if (value === null) this.#layer.removeAttribute("aria-label");
        else this.#layer.setAttribute("aria-label", value);
        break;
      case "reorderable": this.#listenToTouches(); break;
      case "display-scale": this.#rescaled(); break;
    }
  }

  /** Base URL of the server; where this module came from if nothing is said. */
  get server() { return this.#server; }
  set server(value) {
    this.#server = new URL(value ?? HOME, document.baseURI).href;
    this.#want();
  }

  /** URL of a description or a collection, in JSON. */
  get src() { return this.getAttribute("src"); }
  set src(value) { this.#reflect("src", value); }

  /** Whether items can be moved by pointer and keyboard. */
  get reorderable() { return this.hasAttribute("reorderable"); }
  set reorderable(value) { this.toggleAttribute("reorderable", Boolean(value)); }

  /** What the list is called for who cannot see it. */
  get label() { return this.getAttribute("label"); }
  set label(value) { this.#reflect("label", value); }

  /**
   * Pixels per point, so that edges are on whole pixels; `"auto"` for what the screen has, null for none, whereby
   * places are the same on all screens.
   */
  get displayScale() {
    const value = this.getAttribute("display-scale");
    // What is no number the server refuses.
    return value === null ? null : Number(value) || value;
  }
  set displayScale(value) { this.#reflect("display-scale", value); }

  #reflect(name, value) {
    if (value === null || value === undefined) this.removeAttribute(name);
    else this.setAttribute(name, value);
  }

  /**
   * The collection: an object, or a function that makes one whenever a session is begun.
   *
   * What has been given is not copied, and not to be changed afterwards, but by batches.
   */
  get collection() { return described(this.#collection); }
  set collection(value) {
    this.#collection = value ?? null;
    this.#edition++;
    this.#abandon();
    this.#want();
  }

  /** Collection, layout and prefetch reach at once; its viewport is not used. */
  get description() {
    return { collection: this.collection, layout: this.#layout, ...this.#reach };
  }
  set description(value) {
    const { collection, layout, prefetch } = value ?? {};
    if (prefetch) {
      this.#prefetchReach = prefetch;
      this.#hasPrefetchReach = true;
    }
    if (layout) {
      this.#layout = layout;
      this.#hasLayout = true;
    }
    this.collection = collection;
  }

  /** The layout: set it by the name of a kind or by an object; what was on screen flies to its place. */
  get layout() { return this.#layout; }
  set layout(value) {
    // Frameworks set what they do not know yet; there is always some layout.
    if ((value ?? null) !== null) this.setLayout(value).catch((error) => this.#report(error));
  }

  /** How far to prefetch, in viewport lengths: `{ahead, behind}`. */
  get prefetch() { return this.#prefetchReach; }
  set prefetch(value) {
    this.#prefetchReach = value;
    this.#hasPrefetchReach = Boolean(value);
    this.#want();
  }

  get #reach() { return this.#prefetchReach ? { prefetch: this.#prefetchReach } : {}; }

  // MARK: What the page asks

  /** Where the content is scrolled to. */
  get contentOffset() { return { x: this.#x.offset, y: this.#y.offset }; }
  /** How large the content is. */
  get contentSize() { return { width: this.#x.content, height: this.#y.content }; }
  /** What is seen of it. */
  get viewportSize() {
    const { width, height } = this.#viewport;
    return { width, height };
  }
  /** The version of the session; 0 if there is none. */
  get version() { return this.#session?.version ?? 0; }
  /** URL of the session; null if there is none. */
  get sessionURL() { return this.#session?.url ?? null; }
  /** Items of each section. */
  get itemCounts() { return this.#session ? [...this.#session.itemCounts] : []; }
  /** What is in the document, in order. */
  get visibleItems() {
    return this.#sorted.map(({ element, attributes }) => ({ element, attributes }));
  }
  /** The index path of the cell that has the keyboard's focus, or had it last; null if none had. */
  get currentIndexPath() { return this.#current && [...this.#current]; }

  /** The attributes that an element shows; null if it is none of the collection's. */
  attributesOf(element) {
    return this.#itemIn(element)?.attributes ?? null;
  }

  /** What an element shows; of those that leave another has the place. */
  #itemIn(element) {
    const item = this.#items.get(keyOf(element.dataset.kind, indexPathOf(element)));
    return item?.element === element ? item : null;
  }

  /** The element of a place; null if it is not visible. */
  elementAt(section, item, kind = "cell") {
    return this.#items.get(keyOf(kind, [section, item]))?.element ?? null;
  }

  /** Resolves when nothing is being asked, drawn or animated. */
  idle() {
    return new Promise((resolve) => {
      this.#idlers.push(resolve);
      this.#checkIdle();
    });
  }

  /**
   * Switches the layout. What stays visible flies to its new place, the rest from and to the side on which
   * it is.
   *
   * The item nearest the middle stays there, between two pages too: a layout snaps where a drag, a wheel or a key
   * ends, as with `setCollectionViewLayout(_:animated:)`.
   *
   * @param {string|object} layout A kind, JSON, or a layout.
   */
  async setLayout(layout) {
    if (typeof layout === "string") {
      layout = layout.trimStart().startsWith("{") ? JSON.parse(layout) : { kind: layout };
    }
    this.#layout = layout;
    this.#hasLayout = true;
    if (!this.#session) return this.#want();
    return this.#enqueue(async () => {
      // Of what was set in between some may have been refused.
      const { layout: before, isOwn } = this.#accepted;
      let answer;
      try {
        answer = await this.#ask("PUT", "/layout", { layout, contentOffset: this.#tellOffset() });
      } catch (error) {
        if (this.#layout === layout) {
          this.#layout = before;
          this.#hasLayout = isOwn;
          // One that was to begin with it was refused, too.
          if (!this.#session) this.#want();
        }
        if (this.#session && passes(error)) this.#session.layout = null;
        throw error;
      }
      if (this.#session) this.#session.layout = layout;
      this.#accepted = { layout, isOwn: true };
      // Where another layout came to rest this one has not chosen.
      this.#snapped = null;
      this.#takeSummary(answer);
      this.#fly(answer, isHorizontal(before), layout);
      this.#fullWanted = true;
      this.#wantTick();
      // Its scroll bar may have gone to another side: what is asked for next is asked for in that size.
      this.#resized();
      await this.#putSize().catch((error) => this.#report(error));
    });
  }

  /**
   * Applies a batch (`POST …/updates`), animated.
   *
   * @param {object} batch As openapi.yaml describes it.
   * @returns {Promise<object>} The server's answer.
   */
  applyUpdates(batch) {
    // What is set after this call is another matter.
    const edition = this.#edition;
    return this.#enqueue(async () => {
      const body = { contentOffset: this.#tellOffset(), ...batch };
      if (batch.dryRun) return this.#ask("POST", "/updates", body, { isMatched: true });
      const answer = await this.#askOnce("POST", "/updates", body);
      this.#followBatch(edition, batch);
      this.#takeSummary(answer);
      const reloaded = [...this.#items.values()].filter(({ attributes }) => isReloaded(attributes, batch));
      const current = this.#current;
      this.#change(answer);
      // Of what is out of sight nobody says where it is now.
      if (current !== null && this.#current === current) {
        this.#current = pathAfter(current, batch);
        // Of an answer that was lost not even what is in sight.
        const item = comparePaths(current, this.#current) !== 0 && this.#items.get(keyOf("cell", current));
        if (item) this.#keepFocus(item.element);
        this.#keepOneTabStop();
      }
      // What looks as it did is not told of.
      for (const item of reloaded) if (this.#items.get(item.key) === item) this.#render(item, "recycled");
      this.#dispatchRanges("cancelprefetch", answer.cancelPrefetch);
      this.#wantTick();
      return answer;
    });
  }

  /** What another session would begin with. */
  #followBatch(edition, batch) {
    // The page may have set another one meanwhile. And what could not be followed shows what no session would begin
    // with: what comes after it is not about that.
    if (this.#edition !== edition || this.#shownEdition === -1) return;
    const before = this.#collection;
    try {
      this.#collection = updated(before, batch);
    } catch {
      // It is about sections that others have made.
    }
    if (this.#collection === before) this.#shownEdition = -1;
  }

  /**
   * Replaces the data. Where all items have ids the difference is animated.
   *
   * @param {object} collection The collection.
   * @param {string|object} [anchor] What stays where it is on screen.
   * @returns {Promise<object>} The server's answer.
   */
  replaceCollection(collection, anchor) {
    const edition = this.#edition;
    return this.#enqueue(async () => {
      const body = { collection, anchor, contentOffset: this.#tellOffset() };
      const answer = await this.#askOnce("PUT", "/collection", body, true);
      if (this.#edition === edition) {
        this.#collection = collection;
        this.#shownEdition = edition;
      }
      this.#takeSummary(answer);
      if (answer.attributes) {
        // Nobody can tell which item is which: everything is new.
        for (const item of [...this.#sorted]) this.#leave(item, { ...item.attributes, alpha: 0 });
        this.#told = answer.contentOffset;
        this.#setContent(answer.contentSize, answer.contentOffset);
        for (const attributes of answer.attributes) {
          this.#animate(this.#add(attributes), { ...attributes, alpha: 0 });
        }
        this.#fullWanted = true;
      } else {
        this.#change(answer);
        this.#dispatchRanges("cancelprefetch", answer.cancelPrefetch);
      }
      this.#wantTick();
      return answer;
    });
  }

  /**
   * Scrolls until an item is where it should be.
   *
   * @param {number} section
   * @param {number} item
   * @param {"start"|"center"|"end"|"nearest"} [position]
   * @param {boolean} [isAnimated]
   */
  async scrollToItem(section, item, position = "nearest", isAnimated = true) {
    await this.setContentOffset(await this.#offsetShowing(section, item, position), isAnimated);
  }

  #offsetShowing(section, item, position) {
    return this.#enqueue(() => this.#askOffset([section, item], position));
  }

  async #askOffset([section, item], position, { x, y } = this.contentOffset) {
    const query = new URLSearchParams({ section, item, position, contentOffsetX: x, contentOffsetY: y });
    return (await this.#ask("GET", `/scroll-offset?${query}`)).contentOffset;
  }

  /** Where an item is seen, and the layout comes to rest. */
  #restShowing(indexPath, position) {
    return this.#enqueue(async () => {
      // Each key goes on from where the one before it leads.
      const isUnderWay = this.#motion !== null || this.#question !== null;
      const start = { ...(this.#motion?.end ?? this.contentOffset) };
      const offset = await this.#askOffset(indexPath, position, start);
      const { axis } = this.#mainNames;
      const way = offset[axis] - start[axis];
      if (this.#snapMode === "none" || (way === 0 && !isUnderWay)) return offset;
      // Of all that are seen then, these want the one in the middle; others begin with what is next on the way.
      const isCentred = way !== 0 && ["center", "page"].includes(this.#snapMode);
      const proposed = isCentred ? await this.#askOffset(indexPath, "center", start) : offset;
      const question = this.#questionOf(proposed, start, isCentred ? 0 : Math.sign(way));
      return (await this.#ask("POST", "/snap", question)).targetContentOffset;
    });
  }

  /** Scrolls to an offset. */
  async setContentOffset({ x, y }, isAnimated = true) {
    await this.#moveTo({ x, y }, isAnimated ? 0.35 : 0, { isAsked: true });
    await this.#enqueue(async () => {});
  }

  // MARK: Sessions

  #want() {
    // What a source leads to would come before what is drawn; what a script has set need not wait.
    this.#isOutdated = !this.isConnected || (this.#collection === null && this.#isArriving);
    if (this.#isOutdated) return;
    // A scroll bar takes its room before the viewport is measured, not because it was.
    if (!this.#session) this.#applyAxis(this.#layout);
    if (this.#isStartWanted) return;
    this.#isStartWanted = true;
    // What is set in one go makes one session; what is asked for then is asked of that.
    queueMicrotask(() => { this.#isStartWanted = false; });
    const generation = ++this.#generation;
    this.#enqueue(() => this.#start(generation)).catch((error) => {
      // The session that is to be replaced may still be there.
      if (generation === this.#generation) this.#isOutdated = passes(error);
      this.#failed(error);
      // What has been shown is not lost for a layout that is refused.
      const { layout, isOwn } = this.#accepted;
      if (generation === this.#generation && this.#shownEdition !== null && this.#layout !== layout &&
          error?.problem?.pointer?.startsWith("/layout")) {
        this.#layout = layout;
        this.#hasLayout = isOwn;
        this.#want();
      }
    });
  }

  async #start(generation) {
    // What has just been put into a document is not told how large it is before the next frame.
    if (this.#viewport.width <= 0) {
      const size = this.#measure();
      if (size.width > 0 && size.height > 0) this.#viewport = size;
    }
    if (generation !== this.#generation || this.#viewport.width <= 0) return;
    const edition = this.#edition;
    if (this.#collection === null && this.#source !== null) {
      // All that is asked after it waits for it, but for another collection.
      const source = await this.#unlessReplaced(this.#fetch(
        new URL(this.#source, document.baseURI),
        { method: "GET", signal: AbortSignal.timeout(this.answerTimeout * 1000) }));
      if (edition !== this.#edition) return;
      if (!source.ok) throw new LayoutError(source.status, null, "GET", this.#source);
      const json = JSON.parse(source.text);
      // Whatever else has been set meanwhile need not read it again.
      this.#collection = json.collection ?? json;
      if (json.layout && !this.#hasLayout) this.#layout = json.layout;
      if (json.prefetch && !this.#hasPrefetchReach) this.#prefetchReach = json.prefetch;
      if (generation !== this.#generation) return;
    }
    const collection =
      typeof this.#collection === "function" ? await this.#unlessReplaced(this.#collection()) : this.collection;
    if (generation !== this.#generation || edition !== this.#edition) return;
    if (collection === null) return this.#empty();
    if (this.#session) this.#forget();
    this.#applyAxis(this.#layout);
    // While an item was up nobody looked.
    this.#resized();
    const viewport = this.#viewport;
    const layout = this.#layout;
    const isOwn = this.#hasLayout;
    const description = {
      collection, layout, ...this.#reach,
      viewport: { ...viewport, contentOffset: this.contentOffset },
    };
    // Where it is begun, whatever server is set meanwhile.
    const url = new URL("v1/sessions", this.#server).href;
    const answer = await this.#request("POST", url, description);
    // Which viewport and layout the server has, null where an answer was lost; whether it may hold an item still, and
    // have a scale; of which version it may be asked for an item, and until when, that nobody here waits for any more;
    // and for how many seconds another client's item is let be.
    this.#session = {
      url: `${url}/${answer.id}`, version: answer.version, itemCounts: [], viewport, layout, isHolding: false,
      hasAnswered: false, isScaled: viewport.displayScale !== undefined, lateLift: null, patience: 1,
    };
    this.#accepted = { layout, isOwn };
    if (!this.isConnected) return this.#forget();
    this.#takeSummary(answer);
    this.#setContent(answer.contentSize);
    this.#told = this.contentOffset;
    const hasShown = this.#shownEdition !== null;
    const isOther = this.#shownEdition !== edition || typeof this.#collection === "function";
    if (isOther && hasShown) this.#isInDoubt = true;
    this.#shownEdition = edition;
    this.#reconcile(answer.attributes);
    this.#removeStrangers();
    this.#emit("ready", { url: this.sessionURL, contentSize: answer.contentSize });
    this.#dispatchRanges("prefetch", answer.prefetch, hasShown);
    // The offset may have been clamped, or scrolled meanwhile.
    this.#wantTick();
    this.#askAgain();
  }

  #abandon = () => {};

  /** What comes of it, unless the page has set another collection before: nobody waits for what nobody wants. */
  #unlessReplaced(promise) {
    return Promise.race([promise, new Promise((resolve) => { this.#abandon = resolve; })]);
  }

  /** There is no collection any more. Before there has been one, what the page's server has drawn stays. */
  #empty() {
    if (this.#shownEdition === null) return;
    this.#forget();
    this.#shownEdition = this.#current = null;
    this.#dispatchRanges("prefetch", [], true);
    this.#reconcile([]);
    this.#setContent({ width: 0, height: 0 });
  }

  /** The server forgets sessions by itself, but later. */
  #forget() {
    if (!this.#session) return;
    fetch(this.sessionURL, { method: "DELETE", headers: this.#headers(), keepalive: true }).catch(() => {});
    this.#loseSession();
  }

  /** What makes the header fields may fail; then the server forgets the session by itself. */
  #giveBack = () => {
    try {
      this.#forget();
    } catch (error) {
      this.#report(error);
    }
  };

  #loseSession() {
    this.#session = null;
    if (!this.#movement) return;
    // What has made room for an item is not where another session has it.
    this.#isInDoubt = true;
    this.#putDown(this.#movement);
    // It may have scrolled the content, at an edge.
    this.#comeToRest();
  }

  /** A page that was kept aside while its session was not. */
  #comeBack = ({ persisted }) => { if (persisted && !this.#session) this.#want(); };

  #takeSummary(answer) {
    if (!this.#session) return;
    // Another client's change came in between, or one of ours whose answer was lost.
    if (answer.version > this.#session.version + 1) this.#fullWanted = this.#isInDoubt = true;
    this.#session.version = answer.version;
    if (answer.sections) {
      this.#session.itemCounts = answer.sections.map(({ itemCount }) => itemCount);
      for (const item of this.#sorted) this.#describe(item);
    }
  }

  #headers() {
    return typeof this.headers === "function" ? this.headers() : this.headers;
  }

  /** One question about the session. A session that is gone is made again, once. */
  async #ask(method, path, body, { isMatched = false, isRepeated = false } = {}) {
    const session = this.#session;
    if (!session) throw new LayoutError(0, null, method, path, "there is no session");
    try {
      const fields = isMatched ? { "If-Match": `"${session.version}"` } : {};
      const answer = await this.#request(method, `${session.url}${path}`, body, fields);
      session.hasAnswered = true;
      return answer;
    } catch (error) {
      if (error.problem?.type === "/problems/no-such-session" && !isRepeated) {
        this.#loseSession();
        // Where each is gone at once, as behind a proxy that asks another server each time, one after the other would be.
        if (!session.hasAnswered) await delay(2);
        await this.#start(this.#generation).catch((failure) => {
          this.#catchUpLater(failure);
          throw failure;
        });
        if (this.#session && !path.startsWith("/movement")) {
          return this.#ask(method, path, body, { isMatched, isRepeated: true });
        }
      } else if (error.problem?.type === "/problems/movement" && session.lateLift?.version === session.version &&
          performance.now() < session.lateLift.end && method !== "DELETE" && !this.#movement?.isUp) {
        // A lift that was given up has come after all, and nobody has its item in hand, if it is not over by now.
        session.lateLift = null;
        await this.#ask("DELETE", "/movement").catch((failure) => { if (failure.status !== 409) throw failure; });
        this.#fullWanted = true;
        this.#wantTick();
        return this.#ask(method, path, body, { isMatched, isRepeated });
      } else if (error.status === 412 || error.status === 409) {
        // Somebody else has changed it, or we were wrong about it: look again.
        if (error.status === 412) {
          // Where that fails, the next change is refused too, and looked at again.
          const summary = await this.#request("GET", session.url).catch(() => null);
          if (summary && session === this.#session) this.#takeSummary(summary);
          this.#fullWanted = this.#isInDoubt = true;
        }
        this.#wantTick();
      }
      this.#catchUpLater(error);
      throw error;
    }
  }

  /**
   * Asks for what may be done only once. Where nobody knows whether it was, the session's version does (another's
   * change at that very moment is taken for it); what moved is not told again then. What replaces all is the
   * same when it is done twice, whatever others have done before.
   */
  async #askOnce(method, path, body, replacesAll = false) {
    if (this.#session && !(this.#session.viewport && this.#session.layout)) {
      // A size or a layout whose answer was lost may have made a version that would be taken for what this makes.
      const { version } = await this.#ask("GET", "");
      if (version === this.version + 1) this.#session.version = version;
    }
    const session = this.#session;
    const version = session?.version;
    for (let isOpen = false, triesLeft = 3; ; triesLeft--) {
      try {
        return await this.#ask(method, path, body, { isMatched: !replacesAll });
      } catch (error) {
        // The first one may still have been under way when the version was asked for.
        const isLate = isOpen && error.status === 412;
        isOpen = leavesOpen(error);
        if (triesLeft === 0 || session !== this.#session || !(isOpen || isLate)) throw error;
        const summary = await this.#ask("GET", "").catch(() => { throw error; });
        if (session !== this.#session) return this.#askOnce(method, path, body, replacesAll);
        if (replacesAll) {
          this.#fullWanted = this.#isInDoubt = true;
        } else if (summary.version === version + 1) {
          this.#fullWanted = this.#isInDoubt = true;
          return { ...UNTOLD, contentOffset: this.#told, ...summary };
        } else if (summary.version !== version) {
          throw error;
        }
      }
    }
  }

  /** An answer with its text. */
  async #fetch(url, options) {
    try {
      const response = await fetch(url, options);
      const { ok, status, headers } = response;
      return { ok, status, headers, text: await response.text() };
    } catch (error) {
      throw new LayoutError(0, null, options.method, url, String(error?.message ?? error));
    }
  }

  /** One request; what the server has no time for is asked again when it says, unless it may have been done. */
  async #request(method, url, body, fields = {}) {
    const headers = { ...this.#headers(), ...fields };
    const hasBody = body !== undefined;
    const isTick = url.endsWith("/scroll");
    if (hasBody) headers["Content-Type"] = "application/json";
    for (let attempt = 0; ; attempt++) {
      const start = performance.now();
      let response = null;
      try {
        response = await this.#fetch(url, {
          method, headers, body: hasBody ? JSON.stringify(body) : undefined,
          // For others it would have a browser ask anew each time whether another origin may.
          cache: method === "GET" ? "no-store" : "default",
          // All that is asked after it waits for it.
          signal: AbortSignal.timeout(this.answerTimeout * 1000),
        });
      } catch (error) {
        // Only what can be said twice is said twice.
        if (attempt >= 3 || !(isTick || method === "GET" || url.endsWith("/snap"))) throw error;
        // The server may have answered, and goes on from there.
        if (isTick) body = { ...body, full: true };
        await delay(0.2 * 2 ** attempt);
        continue;
      }
      const { status, text } = response;
      const seconds = (performance.now() - start) / 1000;
      let json = null;
      try {
        json = text ? JSON.parse(text) : null;
      } catch {
        // A proxy's page, for example.
      }
      const isOpen = leavesOpen({ status, problem: json });
      const isLater = status === 429 || (status === 503 && !(fields["If-Match"] && isOpen));
      const wait = Number(response.headers.get("Retry-After"));
      // What the page asks for fails rather than have ticks wait for it that long.
      const isPatient = isTick || url.endsWith("/sessions") || !(wait > 30);
      if (isLater && isPatient && attempt < 6) {
        // What has been done all the same is told again by what tells all.
        if (isOpen && isTick) body = { ...body, full: true };
        else if (isOpen) this.#fullWanted = this.#isInDoubt = true;
        await delay(clamp(wait || 0.25 * 2 ** attempt, 0.1, 30));
        continue;
      }
      this.#emit("request", { method, url, status, seconds, body });
      if (response.ok) return json;
      throw Object.assign(new LayoutError(status, json, method, url), { retryAfter: wait || 0 });
    }
  }

  /** One thing after the other: the server's answers build on each other. */
  #enqueue(run) {
    return new Promise((resolve, reject) => {
      this.#jobs.push({ run, resolve, reject });
      this.#pump();
    });
  }

  async #pump() {
    if (this.#isPumping) return;
    this.#isPumping = true;
    let hasTicked = false;
    try {
      for (;;) {
        const job = this.#jobs.shift();
        const isStepWanted = this.#movement?.isWanted && this.#movement.isUp;
        if (job) {
          this.#flush();
          await Promise.resolve().then(job.run).then(job.resolve, job.reject);
        } else if (this.#tickWanted && this.#session && !(isStepWanted && hasTicked)) {
          // An item at an edge wants one each frame, and only a step says that it has left the edge.
          hasTicked = true;
          await this.#tick().catch((error) => this.#failed(error));
        } else if (isStepWanted) {
          hasTicked = false;
          await this.#stepMovement().catch((error) => this.#movementFailed(error));
        } else {
          break;
        }
      }
    } finally {
      this.#isPumping = false;
    }
    this.#checkIdle();
  }

  #checkIdle() {
    if (!this.#idlers.length || this.#isPumping || this.#answers.length || this.#motion) return;
    if (this.#leaving.size || this.#running.size) {
      setTimeout(() => this.#checkIdle(), 30);
      return;
    }
    for (const resolve of this.#idlers.splice(0)) resolve();
  }

  /** Nothing is shown of what was asked for. */
  #failed(error) {
    this.#report(error);
    this.#fullWanted = true;
    this.#catchUpLater(error);
  }

  #catchUpTimer = null;
  /** Whether something has failed that has not been caught up with. */
  #isBehind = false;

  /** After a failure that passes, once the server may be there again. */
  #catchUpLater(error, seconds = passes(error) ? error.retryAfter ?? 0 : null) {
    if (seconds === null || this.#catchUpTimer !== null) return;
    this.#isBehind = true;
    this.#catchUpTimer = setTimeout(() => {
      this.#catchUpTimer = null;
      this.#catchUp();
    }, clamp(seconds * 1000, 2000, 30_000));
  }

  /** What the server knows and what is shown may differ, whatever was asked for; what is in no document shows nothing. */
  #catchUp() {
    if (!this.#isBehind || this.#catchUpTimer !== null || !this.isConnected) return;
    if (this.#session && this.#isOutdated) this.#want();
    this.#fullWanted = true;
    this.#wantTick();
    // While an item is up the server takes nothing else.
    if (this.#movement) return;
    this.#isBehind = false;
    // First: with an item in hand the server would refuse the others.
    if (this.#session?.isHolding) this.#putBack();
    this.#tellSize();
    if (this.#session?.layout === null) this.layout = this.#layout;
    this.#askAgain();
  }

  #report(error) {
    this.#emit("error", { error, status: error?.status ?? 0, problem: error?.problem ?? null });
  }

  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  #dispatchRanges(name, ranges, reset = false) {
    if (ranges?.length || reset) this.#emit(name, { ranges: ranges ?? [], reset });
  }

  // MARK: Scroll ticks

  #wantTick() {
    this.#tickWanted = true;
    this.#pump();
  }

  /** Only the newest offset is sent, after the answer about the one before. */
  async #tick() {
    this.#tickWanted = false;
    const contentOffset = this.contentOffset;
    const full = this.#fullWanted;
    this.#fullWanted = false;
    const start = performance.now();
    const session = this.#session;
    const answer = await this.#ask("POST", "/scroll", full ? { contentOffset, full } : { contentOffset });
    if (session !== this.#session) {
      // A new one has been begun in between; the answer is about what it began with.
      this.#fullWanted = this.#tickWanted = true;
      return;
    }
    this.#told = answer.contentOffset;
    if (answer.version !== session.version) {
      // Another client has changed the session, or an answer was lost: what moved, it said and not ours.
      this.#takeSummary(await this.#ask("GET", ""));
      this.#isInDoubt = true;
      if (!answer.reset || session !== this.#session || session.version !== answer.version) {
        this.#fullWanted = this.#tickWanted = true;
        return;
      }
    }
    this.#answers.push({ answer, seconds: (performance.now() - start) / 1000 });
    if (document.hidden) this.#flush();
    else this.#frame ||= requestAnimationFrame(() => this.#flush());
  }

  /** Draws what has been answered since the last frame. */
  #flush() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    for (const { answer, seconds } of this.#answers.splice(0)) {
      this.#takeTick(answer);
      this.#dispatchRanges("prefetch", answer.prefetch, answer.reset);
      this.#dispatchRanges("cancelprefetch", answer.cancelPrefetch);
      this.#emit("tick", {
        contentOffset: answer.contentOffset, contentSize: answer.contentSize, seconds,
        visibleCount: this.#items.size, appeared: answer.appeared.length, changed: answer.changed.length,
        disappeared: answer.disappeared.length, reset: answer.reset,
      });
    }
    this.#checkIdle();
  }

  #takeTick(answer) {
    if (answer.contentSize.width !== this.#x.content || answer.contentSize.height !== this.#y.content) {
      this.#scrolled();
      this.#setContent(answer.contentSize);
    }
    if (answer.reset) {
      this.#anchorLayer(answer.contentOffset);
      this.#reconcile(answer.appeared);
    } else {
      for (const { kind, indexPath } of answer.disappeared) {
        const item = this.#items.get(keyOf(kind, indexPath));
        if (item && item !== this.#movement?.item) this.#remove(item);
      }
      // Afterwards: what leaves need not be placed anew.
      this.#anchorLayer(answer.contentOffset);
      for (const attributes of answer.changed) this.#add(attributes);
      for (const attributes of answer.appeared) this.#add(attributes);
    }
    // The pointer is further than the server knows.
    if (this.#movement?.isUp || this.#isInHand) this.#placeDragged();
    this.#restoreFocus();
  }

  /** Shows exactly these, and what a finger has. */
  #reconcile(attributes) {
    const keys = new Set(attributes.map(({ kind, indexPath }) => keyOf(kind, indexPath)));
    for (const item of [...this.#sorted]) {
      if (!keys.has(item.key) && item !== this.#movement?.item) this.#remove(item);
    }
    // Of what is up it is not known which item the page has for whom.
    const isInDoubt = this.#isInDoubt && !this.#movement?.isUp;
    if (isInDoubt) this.#isInDoubt = false;
    for (const element of attributes) {
      const known = this.#items.get(keyOf(element.kind, element.indexPath));
      const item = this.#add(element);
      if (isInDoubt && item === known && element.id === undefined) this.#render(item, "recycled");
    }
  }

  /** A copy of an element, or a page without the answer to what it has drawn, brings elements that nobody moves. */
  #removeStrangers() {
    const own = new Set([...this.#sorted.map(({ element }) => element), ...this.#leaving]);
    for (const element of this.querySelectorAll(":scope > [data-index-path]")) {
      if (!own.has(element)) element.remove();
    }
  }

  // MARK: Elements

  /** Takes over what the page's server has drawn. */
  #adopt() {
    const script = this.querySelector(":scope > script[type='application/json']");
    if (!script || this.#items.size || this.#session) return;
    let answer;
    try {
      answer = JSON.parse(script.textContent);
      if (!Array.isArray(answer?.attributes) || !answer.contentSize) {
        throw new TypeError("the answer in the page is not that of POST /v1/layout for one viewport");
      }
    } catch (error) {
      return this.#report(error);
    }
    const drawn = new Map();
    for (const element of this.querySelectorAll(":scope > [data-index-path]")) {
      element.dataset.kind ??= "cell";
      drawn.set(keyOf(element.dataset.kind, indexPathOf(element)), element);
    }
    this.#applyAxis(this.#layout);
    this.#x.content = answer.contentSize.width;
    this.#y.content = answer.contentSize.height;
    this.#spacer.style.width = `${this.#x.spacer}px`;
    this.#spacer.style.height = `${this.#y.spacer}px`;
    for (const attributes of answer.attributes) {
      const key = keyOf(attributes.kind, attributes.indexPath);
      const element = drawn.get(key);
      if (!element) continue;
      drawn.delete(key);
      const item = new Item(element, attributes);
      this.#items.set(item.key, item);
      this.#sorted.push(item);
      this.#describe(item);
      this.#place(item);
    }
    // One page for all widths has elements that do not show at this one.
    for (const element of drawn.values()) element.remove();
    this.#sorted.sort(compareItems);
    this.#keepOneTabStop();
  }

  /** Shows an element, or shows it otherwise. */
  #add(attributes) {
    const key = keyOf(attributes.kind, attributes.indexPath);
    let item = this.#items.get(key);
    if (item) {
      const isOther = item.attributes.id !== attributes.id;
      item.attributes = attributes;
      if (isOther) this.#render(item, "recycled");
      this.#place(item);
      return item;
    }
    const pooled = this.#pool.get(attributes.kind)?.pop();
    item = new Item(pooled ?? document.createElement("div"), attributes);
    this.#insert(item);
    this.#describe(item);
    this.#render(item, pooled ? "recycled" : "new");
    this.#place(item);
    return item;
  }

  #insert(item) {
    const occupant = this.#items.get(item.key);
    if (occupant) this.#remove(occupant);
    this.#items.set(item.key, item);
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareItems(this.#sorted[middle], item) < 0) low = middle + 1;
      else high = middle;
    }
    // Readers go by the order in the document.
    const next = this.#sorted[low]?.element ?? null;
    this.#sorted.splice(low, 0, item);
    const { element } = item;
    let after = element.nextElementSibling;
    while (after && "leaving" in after.dataset) after = after.nextElementSibling;
    if (element.parentNode === this && after === next) return;
    // Moved like that it keeps the focus and whatever plays in it; older browsers know no such way.
    if (element.parentNode === this && this.moveBefore) this.moveBefore(element, next);
    else this.insertBefore(element, next);
  }

  /** Takes an element out of the books; it stays in the document. */
  #take(item) {
    if (this.#items.get(item.key) === item) this.#items.delete(item.key);
    const index = this.#sorted.indexOf(item);
    if (index >= 0) this.#sorted.splice(index, 1);
  }

  #remove(item) {
    this.#take(item);
    this.#recycle(item.element, item.attributes.kind);
  }

  #recycle(element, kind, all = this.#pool) {
    this.#keepFocus(element);
    element.remove();
    this.#still(element);
    element.removeAttribute("data-leaving");
    element.removeAttribute("data-dragging");
    element.removeAttribute("aria-hidden");
    const pool = all.get(kind) ?? [];
    if (pool.length < POOLED) pool.push(element);
    all.set(kind, pool);
  }

  /** The focus of what goes stays with the list, and comes back with the item, or what is in its place then. */
  #keepFocus(element) {
    if (!this.#focusIn(element)) return;
    // What is in a header is not in a cell.
    this.#hadFocus = element.dataset.kind === "cell";
    this.#scroller.focus({ preventScroll: true });
  }

  #render(item, reuse) {
    const focused = this.#focusIn(item.element);
    if (reuse === "new") item.element.replaceChildren();
    item.isFilledIn = true;
    try {
      this.renderItem(item.element, item.attributes, reuse);
    } catch (error) {
      this.#report(error);
    }
    this.#focusAgain(focused, item);
  }

  /** What an element is, for styles and for who cannot see it. */
  #describe({ element, attributes: { kind, indexPath } }) {
    element.dataset.kind = kind;
    element.dataset.indexPath = indexPath.join(",");
    if (kind === "cell") {
      element.setAttribute("role", "listitem");
      element.setAttribute("aria-posinset", indexPath[1] + 1);
      element.setAttribute("aria-setsize", this.#session?.itemCounts[indexPath[0]] ?? -1);
      const isCurrent = this.#current !== null && comparePaths(indexPath, this.#current) === 0;
      element.tabIndex = isCurrent ? 0 : -1;
    } else if (!(kind in RANKS)) {
      element.setAttribute("aria-hidden", "true");
    }
  }

  #place(item) {
    const { element, attributes } = item;
    const { frame, zIndex = 0, alpha = 1 } = attributes;
    const size = `${frame.width}x${frame.height}`;
    const { style } = element;
    if (item.size !== size) {
      style.width = `${frame.width}px`;
      style.height = `${frame.height}px`;
      item.size = size;
    }
    style.transform = this.#transform(attributes);
    style.transformOrigin = originOf(attributes);
    style.zIndex = attributes.kind in RANKS ? zIndex : Math.max(zIndex - 2e9, -2147483648);
    style.opacity = alpha;
  }

  #transform({ frame, transform }, isFull = false) {
    const x = frame.x - this.#origin.x;
    const y = frame.y - this.#origin.y;
    const place = `translate(${x}px, ${y}px)`;
    return transform || isFull ? `${place} matrix(${(transform ?? IDENTITY).join(", ")})` : place;
  }

  // MARK: Where things are

  get #isHeld() { return this.#layer.hasAttribute("data-held"); }
  get #main() { return isHorizontal(this.#layout) ? this.#x : this.#y; }
  /** What points and sizes call it. */
  get #mainNames() {
    return this.#main === this.#x ? { axis: "x", length: "width" } : { axis: "y", length: "height" };
  }
  get #snapMode() { return this.#layout.snap?.mode ?? SNAP_MODES[this.#layout.kind] ?? "none"; }

  #applyAxis(layout) {
    this.#scroller.dataset.axis = isHorizontal(layout) ? "x" : "y";
    this.#scroller.toggleAttribute("data-own", this.#snapMode !== "none");
    // What depends on the offset moves with the answers: scrolled by the browser as well, it would
    // tremble between a frame and its answer.
    const isHeld =
      EFFECTS.has(layout.kind) || layout.sectionHeadersPinToVisibleBounds === true ||
      layout.sectionFootersPinToVisibleBounds === true;
    this.#layer.toggleAttribute("data-held", isHeld);
    if (isHeld) this.#layer.style.left = this.#layer.style.top = "0px";
    else this.#layer.style.transform = "";
    this.#basis = { x: NaN, y: NaN };
  }

  #measure() {
    const { clientWidth: width, clientHeight: height } = this.#scroller;
    // What is hidden will be as large as before.
    if (width > 0 && height > 0) {
      this.#x.viewport = width;
      this.#y.viewport = height;
    }
    const scale = this.displayScale;
    if (scale === null) return { width, height };
    return { width, height, displayScale: scale === "auto" ? this.#view.devicePixelRatio : scale };
  }

  /** The window that it is in. */
  get #view() { return this.ownerDocument.defaultView ?? window; }

  /** Has itself told when the screen has other pixels, by zooming or on another screen. */
  #watchScale() {
    this.#resolution?.removeEventListener("change", this.#rescaled);
    const isAuto = this.isConnected && this.displayScale === "auto";
    this.#resolution = isAuto ? this.#view.matchMedia(`(resolution: ${this.#view.devicePixelRatio}dppx)`) : null;
    this.#resolution?.addEventListener("change", this.#rescaled);
  }

  #rescaled = () => {
    this.#watchScale();
    if (this.#viewport.width > 0) this.#resized();
  };

  /** Puts the scroller where the content is. */
  #scrollBack() { this.#jump(this.contentOffset); }

  /** Goes there; past an end, or within a pixel, it is elsewhere, and what is visible there is asked for. */
  #jump({ x, y }) {
    this.#x.jump(x);
    this.#y.jump(y);
    this.#anchorLayer(this.contentOffset);
    if (x !== this.#x.offset || y !== this.#y.offset) this.#wantTick();
  }

  /** Where the view is, which the server is told with everything that depends on it. */
  #tellOffset() { return (this.#told = this.contentOffset); }

  /**
   * Where to be after a change of the content: what has been scrolled meanwhile is not undone. Of what was scrolled
   * since the last frame browsers tell with the next one: whoever takes an answer looks first.
   */
  #offsetAfter({ contentOffset }) {
    const { x, y } = this.contentOffset;
    const told = this.#told;
    this.#told = contentOffset;
    return { x: contentOffset.x + x - told.x, y: contentOffset.y + y - told.y };
  }

  /** New content, and where to be in it. */
  #setContent({ width, height }, offset = this.contentOffset) {
    const { x, y } = this.contentOffset;
    this.#x.content = width;
    this.#y.content = height;
    this.#spacer.style.width = `${this.#x.spacer}px`;
    this.#spacer.style.height = `${this.#y.spacer}px`;
    this.#measure();
    this.#scroller.toggleAttribute("data-short", this.#main.range === 0);
    this.#jump(offset);
    // A hand that drags the content, a wheel, a motion and what is asked go on from there; some begin at one place.
    const { contentOffset, proposedContentOffset, startContentOffset } = this.#question ?? {};
    const begun = [
      this.#pointer?.start, this.#motion?.start, this.#motion?.end, this.#gestureStart, this.#lastRest,
      contentOffset, proposedContentOffset, startContentOffset,
    ];
    for (const place of new Set(begun)) {
      if (!place) continue;
      place.x += this.#x.offset - x;
      place.y += this.#y.offset - y;
    }
  }

  /** Keeps the layer of the elements where it belongs, near the viewport. */
  #anchorLayer(shown) {
    const { x, y } = this.contentOffset;
    const base = { x: this.#x.base, y: this.#y.base };
    const isStale =
      Math.abs(x - this.#origin.x) > NEAR || Math.abs(y - this.#origin.y) > NEAR ||
      base.x !== this.#basis.x || base.y !== this.#basis.y ||
      // Beyond the end of what has become shorter it would hold the end before open.
      this.#origin.x > this.#x.content || this.#origin.y > this.#y.content;
    if (isStale) {
      // A whole number of pixels, however far down: all else is between the elements and the layer.
      const left = x > NEAR ? Math.floor(this.#x.position) : 0;
      const top = y > NEAR ? Math.floor(this.#y.position) : 0;
      this.#basis = base;
      this.#origin = { x: left + base.x, y: top + base.y };
      if (!this.#isHeld) {
        this.#layer.style.left = `${left}px`;
        this.#layer.style.top = `${top}px`;
      }
      for (const item of this.#sorted) this.#place(item);
    }
    if (this.#isHeld) {
      this.#shown = shown;
      this.#layer.style.transform =
        `translate(${this.#origin.x - shown.x}px, ${this.#origin.y - shown.y}px)`;
    }
  }

  #isVisible(attributes, { x, y } = this.contentOffset) {
    const [left, top, right, bottom] = boundsOf(attributes);
    const slack = 1e-7;
    const { width, height } = this.#viewport;
    return right > x + slack && bottom > y + slack && left < x + width - slack &&
      top < y + height - slack && attributes.frame.width > 0 && attributes.frame.height > 0;
  }

  #resized() {
    const size = this.#measure();
    const before = this.#viewport;
    if (size.width <= 0 || size.height <= 0) {
      // What is hidden is not told that scrolling has ended.
      if (this.#gestureStart) this.#awaitScrollEnd();
      return;
    }
    // Texts run as those around it do.
    this.#layer.style.writingMode = getComputedStyle(this).writingMode;
    // It may have been hidden, and scrolled before.
    this.#scrolled();
    // Looked at again when the item is put down.
    if (this.#movement) return;
    this.#viewport = size;
    if (before.width <= 0) return this.#want();
    const known = this.#session ? this.#session.viewport : before;
    if (!known || !isSameViewport(size, known)) this.#tellSize();
  }

  /** Tells the server how large the viewport is, if it does not know. */
  #tellSize() {
    this.#enqueue(() => this.#putSize()).catch((error) => this.#report(error));
  }

  async #putSize() {
    const session = this.#session;
    // What was under way may have been a session's beginning: the collection is not sent again for a size.
    if (!session) return this.#want();
    // Of many sizes in a row only the last one is worth an answer.
    const size = this.#viewport;
    const known = session.viewport;
    if (this.#movement || (known && isSameViewport(size, known))) return;
    const isScaled = size.displayScale !== undefined;
    // What has been given a scale cannot be without.
    if (session.isScaled && !isScaled) return this.#want();
    // Where it would come to rest is nowhere in another size; where the page has it go it goes, and comes to rest then.
    const isAsked = this.#motion?.isAsked;
    if (isAsked) this.#motion.isResized = true;
    const rests = this.#restsWhereSnapped;
    const hasToRest = this.#snapMode !== "none" && !isAsked && (this.#stopMotion() || rests);
    try {
      session.viewport = null;
      session.isScaled ||= isScaled;
      const contentOffset = { ...this.#tellOffset() };
      const anchor = this.#main.offset <= 0 ? "start" : "visible";
      // What is in the middle stays there: as if it had been that large before, about the same middle. At the end
      // the browser has moved it already.
      if (known && anchor === "visible" && this.#snapMode === "center") {
        const { axis, length } = this.#mainNames;
        const growth = size[length] - known[length];
        if (growth < 0 || this.#main.offset < this.#main.range - 1) contentOffset[axis] -= growth / 2;
      }
      const answer = await this.#ask("PUT", "/viewport", { viewport: { ...size, contentOffset }, anchor });
      if (!this.#session) return;
      Object.assign(this.#session, { viewport: size, patience: 1 });
      this.#scrolled();
      this.#takeSummary(answer);
      this.#setContent(answer.contentSize, this.#offsetAfter(answer));
      this.#reconcile(answer.attributes);
      this.#wantTick();
    } catch (error) {
      // What is refused has changed nothing.
      if (!passes(error)) session.viewport = known;
      // Another client's item is put down at some time, of which nobody tells: asked more and more seldom.
      if (error.problem?.type === "/problems/movement") {
        session.patience = Math.min(2 * session.patience, 30);
        this.#catchUpLater(error, session.patience);
      }
      throw error;
    } finally {
      if (hasToRest) this.#comeToRest();
    }
  }

  // MARK: Animation

  /** Lets an element go from other attributes to its own. */
  #animate(item, initial, { seconds = this.animationDuration, start = null, final = item.attributes } = {}) {
    const { element } = item;
    const running = start ?? this.#stateOf(element);
    this.#still(element);
    if (isStill() || seconds <= 0) return null;
    const from = running ?? this.#keyframe(initial);
    const animation =
      element.animate([from, this.#keyframe(final)], { duration: seconds * 1000, easing: EASING });
    this.#running.set(element, animation);
    const end = () => { if (this.#running.get(element) === animation) this.#running.delete(element); };
    animation.addEventListener("finish", end);
    animation.addEventListener("cancel", end);
    return animation;
  }

  /**
   * The animations of elements that are on their way. To ask an element takes all styles of the document to be
   * worked out, and all its animations to be gone through.
   */
  #running = new Map();

  #still(element) {
    this.#running.get(element)?.cancel();
    this.#running.delete(element);
  }

  #keyframe(attributes) {
    return {
      transform: this.#transform(attributes, true),
      transformOrigin: originOf(attributes) || "50% 50%",
      opacity: attributes.alpha ?? 1,
      width: `${attributes.frame.width}px`,
      height: `${attributes.frame.height}px`,
    };
  }

  /** Where an element is that is on its way; null if it rests. */
  #stateOf(element) {
    if (!this.#running.has(element)) return null;
    const { transform, transformOrigin, opacity, width, height } = getComputedStyle(element);
    return { transform, transformOrigin, opacity, width, height };
  }

  /** Lets an element go, to where `final` is. */
  #leave(item, final, initial = item.attributes, start = null) {
    this.#take(item);
    const { element } = item;
    const { kind } = item.attributes;
    this.#keepFocus(element);
    element.dataset.leaving = "";
    element.setAttribute("aria-hidden", "true");
    const animation = this.#animate(item, initial, { final, start });
    if (!animation) return this.#recycle(element, kind);
    this.#leaving.add(element);
    const pool = this.#pool;
    const end = () => {
      if (!this.#leaving.delete(element)) return;
      this.#recycle(element, kind, pool);
      this.#checkIdle();
    };
    animation.onfinish = end;
    animation.oncancel = end;
  }

  /** Animates what a batch or a movement has changed. */
  #change(answer, seconds = this.animationDuration) {
    this.#scrolled();
    const { appearing = [], disappearing = [], moving = [], entering = [], leaving = [] } = answer;
    const before = this.contentOffset;
    const origin = this.#origin;
    // Before anything is placed anew: where is what is on its way?
    const item = (attributes) => this.#items.get(keyOf(attributes.kind, attributes.indexPath));
    const leavers = disappearing.map((change) => ({ ...change, item: item(change.initial) }));
    const movers = moving.map((change) => ({ ...change, item: item(change.initial) }));
    for (const change of [...leavers, ...movers]) {
      if (change.item) change.start = this.#stateOf(change.item.element);
    }
    // What the server counts as seen was seen from where it knew of.
    const isElsewhere = Math.abs(before.x - this.#told.x) > 1 || Math.abs(before.y - this.#told.y) > 1;
    if (isElsewhere && (answer.contentSize || leaving.length)) this.#fullWanted = true;
    if (answer.contentSize) this.#setContent(answer.contentSize, this.#offsetAfter(answer));
    const offset = this.contentOffset;
    const dx = offset.x - before.x;
    const dy = offset.y - before.y;
    // Screen places stay the same while offset and origin change.
    const sx = dx + origin.x - this.#origin.x;
    const sy = dy + origin.y - this.#origin.y;
    for (const { item, initial, final, start } of leavers) {
      if (item) this.#leave(item, shifted(final, dx, dy), shifted(initial, dx, dy), moved(start, sx, sy));
    }
    // Frames do not tell all of it: a wheel's cards go by their angle.
    const gone = new Set(isElsewhere ? [] : leaving.map(({ kind, indexPath }) => keyOf(kind, indexPath)));
    const isSeen = (attributes) =>
      !gone.has(keyOf(attributes.kind, attributes.indexPath)) && this.#isVisible(attributes, offset);
    for (const { item } of movers) if (item) this.#take(item);
    // From the last one on each finds what comes after it in its place, and mostly is there itself.
    movers.sort((a, b) => compareItems({ attributes: b.final }, { attributes: a.final }));
    const current = this.#current;
    for (const { item: known, initial, final, start } of movers) {
      let item = known;
      const isVisible = isSeen(final);
      if (item) {
        const focused = this.#focusIn(item.element);
        if (focused || this.#isCurrent(initial, current)) this.#current = final.indexPath;
        // Another client may have put another item into its place.
        const isOther = item.attributes.id !== final.id;
        item.attributes = final;
        if (isVisible) this.#insert(item);
        this.#describe(item);
        if (isOther) this.#render(item, "recycled");
        else if (initial.indexPath.join() !== final.indexPath.join()) this.#render(item, "moved");
        this.#place(item);
        this.#focusAgain(focused, item);
      } else if (isVisible) {
        item = this.#add(final);
      } else {
        continue;
      }
      const from = shifted(initial, dx, dy);
      if (isVisible) this.#animate(item, from, { seconds, start: moved(start, sx, sy) });
      else this.#leave(item, final, from, moved(start, sx, sy));
    }
    for (const { initial, final } of appearing) {
      if (this.#isVisible(final, offset)) this.#animate(this.#add(final), initial, { seconds });
    }
    for (const attributes of entering) this.#add(attributes);
    for (const item of [...this.#sorted]) {
      if (!isSeen(item.attributes)) this.#remove(item);
    }
    this.#keepOneTabStop();
  }

  /** What has the focus: to the document, all that is in another element's shadow is that element. */
  get #activeElement() { return this.getRootNode().activeElement ?? null; }

  /** What has the focus of an element and all that is in it; null if nothing has. */
  #focusIn(element) {
    const active = this.#activeElement;
    return element.contains(active) ? active : null;
  }

  /**
   * It goes with what is moved in the document; where filling in anew has taken what had it, the item has it, unless
   * who filled it in has put it elsewhere.
   */
  #focusAgain(focused, { element }) {
    const active = this.#activeElement;
    if (!focused || (active && active !== this.ownerDocument.body)) return;
    (element.contains(focused) ? focused : element).focus({ preventScroll: true });
  }

  #isCurrent({ kind, indexPath }, current = this.#current) {
    return kind === "cell" && current !== null && comparePaths(indexPath, current) === 0;
  }

  /** Another layout: everything goes to its new place. */
  #fly({ attributes, contentSize, contentOffset }, wasHorizontal, layout) {
    this.#scrolled();
    const hasStopped = this.#stopMotion();
    const before = this.contentOffset;
    const old = new Map();
    for (const item of this.#sorted) {
      // Where it is drawn, in coordinates of the viewport.
      old.set(item.key, {
        item, place: shifted(item.attributes, -before.x, -before.y), start: this.#stateOf(item.element),
      });
    }
    const origin = this.#origin;
    const oldPaths = cellPaths(this.#sorted.map(({ attributes }) => attributes));
    const newPaths = cellPaths(attributes);
    this.#applyAxis(layout);
    // What has been scrolled meanwhile is a way in the other direction now, or goes on.
    const place = this.#offsetAfter({ contentOffset });
    this.#setContent(contentSize, wasHorizontal === isHorizontal(layout) ? place : contentOffset);
    // What is pinned is where the answer has it.
    this.#anchorLayer(contentOffset);
    const offset = this.contentOffset;
    const screen = (place) => shifted(place, offset.x, offset.y);
    const side = (horizontally, sign, place) => {
      const { width, height } = this.#viewport;
      return horizontally ? shifted(place, sign * width, 0) : shifted(place, 0, sign * height);
    };
    const sx = offset.x - before.x + origin.x - this.#origin.x;
    const sy = offset.y - before.y + origin.y - this.#origin.y;
    const keys = new Set(attributes.map(({ kind, indexPath }) => keyOf(kind, indexPath)));
    for (const [key, { item, place, start }] of old) {
      if (keys.has(key)) continue;
      const sign = sideOf(item.attributes.indexPath, newPaths);
      const there = { ...screen(place), alpha: sign === 0 ? 0 : 1 };
      const end = sign === 0 ? there : side(isHorizontal(layout), sign, there);
      this.#leave(item, end, screen(place), moved(start, sx, sy));
    }
    for (const element of attributes) {
      const known = old.get(keyOf(element.kind, element.indexPath));
      const item = this.#add(element);
      if (known) {
        this.#animate(item, screen(known.place), { start: moved(known.start, sx, sy) });
      } else {
        const sign = sideOf(element.indexPath, oldPaths);
        const there = sign === 0 ? { ...element, alpha: 0 } : side(wasHorizontal, sign, element);
        this.#animate(item, there);
      }
    }
    this.#keepOneTabStop();
    if (hasStopped) this.#comeToRest();
  }

  // MARK: Scrolling

  /** Says whether the content has moved. */
  #scrolled() {
    // What is hidden has no offset.
    if (this.#scroller.clientHeight === 0) return false;
    if (this.#x.isOwed || this.#y.isOwed) {
      this.#scrollBack();
      return false;
    }
    const before = this.#main.position;
    const x = this.#x.follow();
    const y = this.#y.follow();
    if (!x && !y) return false;
    if (!this.#motion && !this.#pointer?.isScrolling) {
      this.#gestureStart ??= this.#lastRest;
      clearTimeout(this.#gestureTimer);
      if (!TELLS_SCROLL_END) this.#awaitScrollEnd();
    }
    this.#follow(before);
    return true;
  }

  /** The layer follows the scroller; far from what is in it, it does so when the answer has emptied it. */
  #follow(before) {
    const { position, viewport } = this.#main;
    const isFar = Math.abs(position - before) > 2 * viewport;
    if (!this.#isHeld && !isFar) this.#anchorLayer(this.contentOffset);
    this.#wantTick();
    // Whoever scrolls, the item stays under the pointer, until that lets go: then it is dropped where it was.
    if (this.#isInHand) this.#dragTo(this.#pointer);
  }

  #isTouched = false;

  /** Scrolling has ended when no more of it comes, and no finger is there that may go on. */
  #awaitScrollEnd() {
    clearTimeout(this.#gestureTimer);
    if (!this.#isTouched) this.#gestureTimer = setTimeout(() => this.#scrollEnded(), 150);
  }

  #touched({ target }) {
    this.#isTouched = true;
    clearTimeout(this.#gestureTimer);
    // What is touched may be scrolled out of the document, and is still the only one that is told.
    for (const type of ["touchend", "touchcancel"]) target.addEventListener(type, this.#released);
  }

  #released = ({ touches }) => {
    if (touches.length > 0) return;
    this.#isTouched = false;
    if (this.#gestureStart) this.#awaitScrollEnd();
  };

  #lastRest = { x: 0, y: 0 };
  /** The last rest that the layout has chosen. */
  #snapped = null;

  /** Whether it is where the layout wanted to be, and not on the way elsewhere. */
  get #restsWhereSnapped() {
    const { x, y } = this.contentOffset;
    return !this.#motion && this.#snapped === this.#lastRest && x === this.#snapped.x && y === this.#snapped.y;
  }

  #scrollEnded() {
    // What has been scrolled since is told of later, has its own end, and must not be undone.
    if (this.#scrolled()) return;
    const start = this.#gestureStart;
    this.#gestureStart = null;
    if (this.#motion || this.#pointer?.isScrolling || this.#movement) return;
    this.#x.settle();
    this.#y.settle();
    // What moves with the answers waits for the one about this.
    if (!this.#isHeld) this.#anchorLayer(this.contentOffset);
    if (start && this.#snapMode !== "none") return this.#snapFrom(start);
    // What was asked before it was scrolled here is about elsewhere.
    if (start) this.#question = null;
    const { x, y } = this.contentOffset;
    if (x !== this.#lastRest.x || y !== this.#lastRest.y) this.#lastRest = { x, y };
  }

  /** The wheel or the scroll bar has come to rest somewhere: go where the layout wants to be. */
  #snapFrom(start) {
    const { axis } = this.#mainNames;
    const offset = this.contentOffset;
    const way = offset[axis] - start[axis];
    this.#snap(this.#questionOf(offset, start, Math.abs(way) > 24 ? Math.sign(way) : 0));
  }

  /** What to ask of who has gone somewhere without a drag, on to one side or neither. */
  #questionOf(offset, start, side) {
    const { axis, length } = this.#mainNames;
    // Rules that count from where a drag began mean one flick; a wheel may have gone on for long.
    const step =
      this.#snapMode === "page"
        ? this.#main.viewport : this.#sorted.find(({ isCell }) => isCell)?.attributes.frame[length] ?? 0;
    const near = offset[axis] - clamp(offset[axis] - start[axis], -step / 2, step / 2);
    return {
      proposedContentOffset: offset, velocity: { x: 0, y: 0, [axis]: side },
      startContentOffset: { ...offset, [axis]: near },
    };
  }

  /** The question that the server is being asked, or will be. */
  #asking = null;

  /** Asks where a drag comes to rest, and goes there; without a session, or a document, it stays asked. */
  #snap(question) {
    this.#question = question;
    if (this.#asking === question) return;
    this.#asking = question;
    this.#enqueue(async () => {
      if (!this.#session || !this.isConnected || this.#question !== question) return;
      const answer = await this.#ask("POST", "/snap", question);
      if (this.#question !== question) return;
      const { targetContentOffset: target, duration } = answer;
      this.#emit("snap", { target, indexPath: answer.indexPath, question });
      // Who is told may go elsewhere.
      if (this.#question !== question) return;
      this.#question = null;
      // A finger holds it, and lets it go.
      if (this.#pointer) {
        this.#pointer.hasStopped = true;
        return;
      }
      const seconds = duration === undefined ? 0.3 : clamp(duration, 0.2, 2.5);
      // Not awaited: what comes meanwhile need not wait for it.
      this.#moveTo(target, seconds, { curve: duration === undefined ? easeOut : decelerate })
        .then((isThere) => { if (isThere) this.#snapped = this.#lastRest; });
    }).catch((error) => this.#report(error)).finally(() => {
      if (this.#asking === question) this.#asking = null;
    });
  }

  /** What nobody has answered; the end of a scroll that is under way asks anew. */
  #askAgain() {
    if (this.#question && !this.#gestureStart && this.#snapMode !== "none") this.#snap(this.#question);
  }

  /** What was stopped on its way, or let go by nobody, does not stay between two places. */
  #comeToRest(start = this.contentOffset) {
    // Who goes somewhere comes to rest there.
    if (this.#motion) return;
    const { contentOffset } = this;
    // Where it is, it rests: not all browsers tell that it has been put there.
    if (this.#snapMode === "none") this.#lastRest = contentOffset;
    else this.#snap({ contentOffset, startContentOffset: start, velocity: { x: 0, y: 0 } });
  }

  /** A wheel stops what moves, or is about to. Turned across, it scrolls nothing, and nobody tells of an end. */
  #turned() {
    if (!this.#stopMotion() && !this.#question) return;
    this.#question = null;
    clearTimeout(this.#gestureTimer);
    this.#gestureTimer = setTimeout(() => {
      // A finger holds it, and lets it go.
      if (this.#pointer) this.#pointer.hasStopped = true;
      else this.#comeToRest();
    }, 150);
  }

  /** Moves the content; resolves when it is there, or somebody has stopped it, and says which. */
  #moveTo(target, seconds, { curve = easeOut, isAsked = false } = {}) {
    this.#stopMotion();
    this.#gestureStart = this.#question = null;
    const width = this.#x.viewport;
    const height = this.#y.viewport;
    const end = { x: clamp(target.x, 0, this.#x.range), y: clamp(target.y, 0, this.#y.range) };
    const isThere = end.x === this.#x.offset && end.y === this.#y.offset;
    if (seconds <= 0 || isThere || isStill()) {
      this.#put(end);
      this.#lastRest = this.contentOffset;
      return Promise.resolve(true);
    }
    const start = this.contentOffset;
    // Far away the end of the way says enough.
    if (curve === easeOut) {
      start.x = clamp(start.x, end.x - 2 * width, end.x + 2 * width);
      start.y = clamp(start.y, end.y - 2 * height, end.y + 2 * height);
    }
    return new Promise((resolve) => {
      const began = performance.now();
      const motion = { resolve, frame: 0, start, end, isAsked, isResized: false };
      this.#motion = motion;
      const step = (now) => {
        if (this.#motion !== motion) return;
        const part = clamp((now - began) / 1000 / seconds, 0, 1);
        const way = part === 1 ? 1 : curve(part);
        this.#put({ x: start.x + (end.x - start.x) * way, y: start.y + (end.y - start.y) * way });
        if (part < 1) {
          motion.frame = requestAnimationFrame(step);
        } else {
          this.#stopMotion(true);
          this.#lastRest = this.contentOffset;
          if (motion.isResized) this.#comeToRest();
        }
      };
      motion.frame = requestAnimationFrame(step);
    });
  }

  /** Says whether there was any. */
  #stopMotion(isThere = false) {
    const motion = this.#motion;
    if (!motion) return false;
    this.#motion = null;
    cancelAnimationFrame(motion.frame);
    motion.resolve(isThere);
    this.#checkIdle();
    return true;
  }

  #put({ x, y }) {
    if (x === this.#x.offset && y === this.#y.offset) return;
    const before = this.#main.position;
    if (x !== this.#x.offset) this.#x.jump(x);
    if (y !== this.#y.offset) this.#y.jump(y);
    this.#follow(before);
  }

  // MARK: Pointers

  /**
   * How many of the window's pixels the element's take: the page may have zoomed or scaled what it is in. What is
   * turned takes about as many as if it were larger.
   */
  get #scale() {
    const { width, height } = this.#scroller.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = this.#scroller;
    // Lengths in the element are told in whole pixels; what shows nothing has none.
    const scale = (seen, length) => seen > 0 && length > 0 && Math.abs(seen - length) > 1 ? seen / length : 1;
    return { x: scale(width, offsetWidth), y: scale(height, offsetHeight) };
  }

  /** Where it is in what is seen of the content. */
  #placeOf({ clientX, clientY }) {
    const { left, top } = this.#scroller.getBoundingClientRect();
    const { x, y } = this.#scale;
    return { x: (clientX - left) / x, y: (clientY - top) / y };
  }

  #pointOf(event) {
    const { x, y } = this.#placeOf(event);
    return {
      x: x - this.#scroller.clientLeft + this.#x.offset, y: y - this.#scroller.clientTop + this.#y.offset,
    };
  }

  #itemOf(event) {
    for (const node of event.composedPath()) {
      if (node === this) return null;
      if (node instanceof HTMLElement && node.parentNode === this && node.dataset.indexPath) {
        return this.#itemIn(node);
      }
    }
    return null;
  }

  #pointerDown(event) {
    if (!event.isPrimary || event.button !== 0 || !this.#session || this.#movement) return;
    // Of a hand that draws and its palm each is the first of its kind.
    if (this.#pointer?.isScrolling && this.#pointer.id !== event.pointerId) return;
    // The scroll bar is not ours.
    const place = this.#placeOf(event);
    if (place.x >= this.#scroller.clientWidth || place.y >= this.#scroller.clientHeight) return;
    // The innermost says what a press means: a handle may be a button, or in a label.
    const path = event.composedPath();
    const own = path.slice(0, path.indexOf(this)).find((node) => node.matches?.(`${HANDLE}, ${CONTROLS}`));
    const hasHandle = own?.matches(HANDLE);
    if (own && !hasHandle) return;
    // Nor is that of what scrolls in an item.
    if (isOnScrollBar(event, path[0])) return;
    this.#pointerCancelled();
    const item = this.#itemOf(event);
    const isTouch = event.pointerType === "touch";
    const pointer = {
      id: event.pointerId, item, x: event.clientX, y: event.clientY, event, target: path[0],
      start: this.contentOffset, samples: [], isScrolling: false, timer: 0, hasStopped: this.#stopMotion(),
      mayScroll: !isTouch || this.#snapMode !== "none",
    };
    this.#pointer = pointer;
    if (this.reorderable && item?.isCell && !taken.has(event)) {
      taken.add(event);
      if (hasHandle) {
        event.preventDefault();
        this.#lift(pointer);
      } else {
        pointer.timer = setTimeout(() => this.#lift(pointer), isTouch ? 350 : 220);
      }
    }
  }

  #pointerMoved(event) {
    const pointer = this.#pointer;
    if (!pointer || event.pointerId !== pointer.id) return;
    pointer.event = event;
    const dx = event.clientX - pointer.x;
    const dy = event.clientY - pointer.y;
    if (this.#movement?.pointer === pointer) {
      this.#dragTo(pointer);
      return;
    }
    if (!pointer.isScrolling) {
      if (Math.hypot(dx, dy) < 6) return;
      clearTimeout(pointer.timer);
      // Of views in views the one scrolls that goes this way, and of several the innermost.
      const isAcross = (this.#main === this.#x) !== (Math.abs(dx) > Math.abs(dy));
      const others = () => event.composedPath().some((node) => node !== this && node instanceof CollectionView);
      if (!pointer.mayScroll || taken.has(event) || (isAcross && others())) {
        this.#pointerCancelled();
        return;
      }
      taken.add(event);
      pointer.isScrolling = true;
      this.#capture(pointer);
    }
    const scale = this.#scale;
    this.#put({
      x: clamp(pointer.start.x - dx / scale.x, 0, this.#x.range),
      y: clamp(pointer.start.y - dy / scale.y, 0, this.#y.range),
    });
    pointer.samples.push({ time: event.timeStamp, x: event.clientX / scale.x, y: event.clientY / scale.y });
    if (pointer.samples.length > 12) pointer.samples.shift();
  }

  #capture(pointer) {
    try {
      this.#scroller.setPointerCapture(pointer.id);
    } catch {
      // It has been lifted already.
    }
  }

  #pointerUp(event) {
    const pointer = this.#pointer;
    if (!pointer || event.pointerId !== pointer.id) return;
    clearTimeout(pointer.timer);
    this.#pointer = null;
    if (this.#movement?.pointer === pointer) {
      this.#drop();
    } else if (pointer.isScrolling) {
      // What the finger did in its last tenth of a second.
      const last = pointer.samples.filter(({ time }) => event.timeStamp - time < 100);
      const seconds = last.length > 1 ? (last.at(-1).time - last[0].time) / 1000 : 0;
      const speed = (axis) => seconds > 0.004 ? (last[0][axis] - last.at(-1)[axis]) / seconds : 0;
      const velocity = this.#main === this.#x ? { x: speed("x"), y: 0 } : { x: 0, y: speed("y") };
      this.#snap({ contentOffset: this.contentOffset, startContentOffset: pointer.start, velocity });
      const swallow = (click) => { click.preventDefault(); click.stopPropagation(); };
      this.addEventListener("click", swallow, { capture: true, once: true });
      setTimeout(() => this.removeEventListener("click", swallow, { capture: true }), 50);
    } else if (pointer.hasStopped) {
      this.#comeToRest();
    }
  }

  #pointerCancelled() {
    const pointer = this.#pointer;
    if (!pointer) return;
    clearTimeout(pointer.timer);
    this.#pointer = null;
    if (this.#movement?.pointer === pointer) this.#cancelMovement();
    else if (pointer.isScrolling || pointer.hasStopped) this.#comeToRest(pointer.start);
  }

  /** Before it is captured, a mouse that leaves may be let go elsewhere, of which nobody tells. */
  #pointerLeft({ pointerId }) {
    const pointer = this.#pointer;
    if (pointerId === pointer?.id && !pointer.isScrolling && !this.#movement) this.#pointerCancelled();
  }

  /** While an item is up, touches must not scroll; this has to be known before they begin. */
  #listenToTouches() {
    const listen = this.reorderable ? "addEventListener" : "removeEventListener";
    this[listen]("touchmove", this.#holdTouch, { passive: false });
  }

  #holdTouch = (event) => { if (this.#movement) event.preventDefault(); };

  // MARK: Reordering

  /** Takes an item up under a pointer. */
  #lift(pointer) {
    const { item } = pointer;
    // Another item may be in its place by now, and it may be that none is to be moved any more.
    if (this.#movement || !this.#session || !this.reorderable || this.#items.get(item.key) !== item) return;
    this.#capture(pointer);
    const center = item.center;
    const finger = this.#pointOf({ clientX: pointer.x, clientY: pointer.y });
    // It is taken where it is seen, which is where the last answer has it.
    const { x, y } = this.contentOffset;
    const behind = this.#isHeld ? { x: x - this.#shown.x, y: y - this.#shown.y } : { x: 0, y: 0 };
    this.#begin(item, { x: center.x + behind.x, y: center.y + behind.y }, {
      pointer, grip: { x: center.x - finger.x + behind.x, y: center.y - finger.y + behind.y },
    });
  }

  #begin(item, position, more) {
    const movement = {
      item, position, source: item.attributes.indexPath, target: item.attributes.indexPath,
      isWanted: false, isUp: false, autoscroll: { x: 0, y: 0 }, frame: 0, end: new AbortController(),
      ...more,
    };
    this.#movement = movement;
    item.element.dataset.dragging = "";
    if (movement.pointer) {
      const { signal } = movement.end;
      // What is touched is the only one that is told, also when filling its item in anew has taken it away.
      movement.pointer.target.addEventListener("touchmove", this.#holdTouch, { passive: false, signal });
      // Whatever has the focus: a handle that is pressed does not get it.
      this.ownerDocument.addEventListener("keydown", this.#escaped, { capture: true, signal });
    } else {
      // While the window had not the focus it may have gone elsewhere, of which nobody has told.
      this.#view.addEventListener("focus", this.#lookForFocus, { signal: movement.end.signal });
    }
    movement.turn = this.#enqueue(async () => {
      if (movement !== this.#movement) return;
      // What was under way may have moved the item, or taken it away.
      if (this.#items.get(item.key) !== item) return this.#movementOver(movement);
      movement.source = movement.target = item.attributes.indexPath;
      if (!movement.pointer) movement.position = item.center;
      // After another client's change another item may be there.
      const body = { indexPath: movement.source, contentOffset: this.#tellOffset() };
      const answer = await this.#ask("POST", "/movement", body, { isMatched: true });
      if (movement !== this.#movement) return;
      movement.isUp = true;
      this.#takeMovement(answer);
      this.#announce("lifted", movement.target);
      if (movement.pointer) this.#dragTo(movement.pointer);
    }).catch((error) => {
      // For as long as it may be on its way, and no longer: then it is somebody else's that is up.
      const end = performance.now() + LATE;
      if (this.#session && leavesOpen(error)) this.#session.lateLift = { version: this.#session.version, end };
      this.#movementFailed(error);
    });
  }

  /** Does what a key wants once what the keys before it wanted is done: it starts from where they have led. */
  #inTurn(movement, act) {
    return (movement.turn = movement.turn.then(() => movement === this.#movement && act()));
  }

  /** The item follows the pointer at once; the others when the server has said how. */
  #dragTo(pointer) {
    const movement = this.#movement;
    const finger = this.#pointOf(pointer.event);
    movement.position = { x: finger.x + movement.grip.x, y: finger.y + movement.grip.y };
    this.#placeDragged();
    movement.isWanted = true;
    this.#pump();
  }

  #placeDragged() {
    const { item, position } = this.#movement;
    const { frame } = item.attributes;
    item.attributes = {
      ...item.attributes, zIndex: 2147483647,
      frame: { ...frame, x: position.x - frame.width / 2, y: position.y - frame.height / 2 },
    };
    this.#place(item);
    if (!this.#isHeld || !this.#movement.pointer) return;
    // The pointer is where the view is, and what is around the item where the last answer has it.
    const { x, y } = this.contentOffset;
    item.element.style.transform = this.#transform(shifted(item.attributes, this.#shown.x - x, this.#shown.y - y));
  }

  async #stepMovement() {
    const movement = this.#movement;
    movement.isWanted = false;
    const answer = await this.#ask("PATCH", "/movement", { position: movement.position });
    if (movement !== this.#movement) return;
    this.#takeMovement(answer);
  }

  #takeMovement({ target, dragged, moving, leaving, autoscroll }) {
    this.#flush();
    const movement = this.#movement;
    if (!movement) return;
    const { item } = movement;
    const isCurrent = this.#isCurrent(item.attributes);
    const focused = this.#focusIn(item.element);
    const isOther = comparePaths(target, movement.target) !== 0;
    // The item leaves its place in the books, so that others can have it.
    this.#take(item);
    this.#change({ moving, leaving }, 0.25);
    item.attributes = { ...dragged, frame: { ...dragged.frame } };
    this.#insert(item);
    if (isCurrent) this.#current = target;
    this.#describe(item);
    if (isOther) this.#render(item, "moved");
    this.#focusAgain(focused, item);
    this.#placeDragged();
    movement.target = target;
    movement.autoscroll = movement.pointer ? autoscroll : { x: 0, y: 0 };
    if ((autoscroll.x || autoscroll.y) && movement.pointer) this.#autoscroll(movement);
    // Where the order of the answers and the window differ, a tick says what is visible; if nothing made room, all
    // is where it was.
    if (isOther || moving.length) this.#wantTick();
  }

  /** Scrolls while the item is held at an edge. */
  #autoscroll(movement) {
    if (movement.frame) return;
    let last = performance.now();
    const step = (now) => {
      movement.frame = 0;
      if (this.#movement !== movement) return;
      const { x, y } = movement.autoscroll;
      if (!x && !y) return;
      const way = Math.min(now - last, 50) * 0.6;
      last = now;
      const before = this.contentOffset;
      this.#put({
        x: clamp(before.x + x * way, 0, this.#x.range), y: clamp(before.y + y * way, 0, this.#y.range),
      });
      movement.frame = requestAnimationFrame(step);
    };
    movement.frame = requestAnimationFrame(step);
  }

  #drop() {
    const movement = this.#movement;
    if (!movement) return Promise.resolve();
    movement.autoscroll = { x: 0, y: 0 };
    const edition = this.#edition;
    return this.#enqueue(async () => {
      if (this.#movement !== movement || !movement.isUp) return;
      if (movement.isWanted) await this.#stepMovement();
      // The server may not know yet where the view is, and take the item for one that is held at an edge.
      movement.autoscroll = { x: 0, y: 0 };
      const answer = await this.#askOnce("POST", "/movement/end");
      this.#flush();
      this.#letGo();
      if (this.#isInDoubt) this.#fullWanted = true;
      const { source = movement.source, target = movement.target } = answer;
      const isMoved = comparePaths(source, target) !== 0;
      if (isMoved) this.#followBatch(edition, { moveItems: [{ from: source, to: target }] });
      this.#takeSummary(answer);
      this.#change(answer, 0.25);
      this.#announce("dropped", target);
      if (isMoved) this.#emit("reorder", { from: source, to: target, version: answer.version });
      this.#lookAgain();
    }).catch((error) => this.#movementFailed(error));
  }

  /** Whether a pointer that is down has an item: one that has let go has its movement still, until that has ended. */
  get #isInHand() { return this.#pointer !== null && this.#movement?.pointer === this.#pointer; }

  /** It is the drag that is called off, and not a dialog that it is in. */
  #escaped = (event) => {
    if (event.key !== "Escape" || !this.#isInHand) return;
    event.preventDefault();
    this.#cancelMovement();
  };

  #cancelMovement() {
    const movement = this.#movement;
    if (!movement) return;
    this.#enqueue(async () => {
      if (this.#movement !== movement) return;
      if (movement.isUp) await this.#ask("DELETE", "/movement");
      this.#movementOver(movement);
    }).catch((error) => this.#movementFailed(error));
  }

  /** Nothing is up any more; a pointer that is still down has nothing in hand, and the content not either. */
  #letGo() {
    const movement = this.#movement;
    if (!movement) return;
    this.#movement = null;
    movement.end.abort();
    delete movement.item.element.dataset.dragging;
    if (this.#pointer === movement.pointer) this.#pointer = null;
  }

  /** The item goes back to where it was, whoever has put it there; and who cannot see it is told. */
  #putDown(movement) {
    this.#letGo();
    if (this.#isCurrent(movement.item.attributes)) this.#current = movement.source;
    // Where it has been moved, what shows the item now will show another one.
    if (comparePaths(movement.source, movement.target) !== 0) this.#keepFocus(movement.item.element);
    if (movement.isUp) this.#announce("cancelled");
  }

  #movementOver(movement) {
    this.#putDown(movement);
    this.#fullWanted = this.#isInDoubt = true;
    this.#lookAgain();
  }

  /** While an item was up nobody did. */
  #lookAgain() {
    this.#wantTick();
    this.#resized();
    this.#catchUp();
    this.#comeToRest();
  }

  #movementFailed(error) {
    if (this.#movement) {
      this.#putBack();
      this.#movementOver(this.#movement);
    }
    this.#report(error);
  }

  /** The server may have an item in hand still, and would take no other change. */
  #putBack() {
    const session = this.#session;
    if (!session) return;
    session.isHolding = false;
    this.#enqueue(async () => {
      if (session !== this.#session || this.#movement?.isUp) return;
      await this.#ask("DELETE", "/movement");
      session.lateLift = null;
      this.#fullWanted = this.#isInDoubt = true;
      this.#wantTick();
    }).catch((error) => { session.isHolding = passes(error); });
  }

  #announce(message, indexPath) {
    const numbers = indexPath
      ? [indexPath[1] + 1, this.#session?.itemCounts[indexPath[0]] ?? "?"] : [];
    this.#live.textContent = this.messages[message]?.replace(/%/g, () => numbers.shift()) ?? "";
  }

  // MARK: Keyboard

  #focused(event) {
    const item = this.#itemOf(event);
    if (item && (event.target !== item.element || !this.#isCurrent(item.attributes))) this.#walk++;
    if (!item?.isCell) return;
    this.#hadFocus = false;
    this.#current = item.attributes.indexPath;
    this.#keepOneTabStop();
  }

  #unfocused({ relatedTarget }) {
    if (relatedTarget && !this.contains(relatedTarget)) this.#walk++;
    this.#lookForFocus();
    setTimeout(() => this.#scrollAcrossBack());
  }

  /**
   * To show what has the focus in an item that is broader than the content, browsers scroll across; when it has gone
   * elsewhere nobody could scroll back.
   */
  #scrollAcrossBack() {
    // It may not have been told yet.
    this.#scrolled();
    const [across, side] = this.#main === this.#x ? [this.#y, 3] : [this.#x, 2];
    if (across.offset <= across.range) return;
    const item = this.#sorted.find(({ element }) => this.#focusIn(element));
    if (item && boundsOf(item.attributes)[side] > across.content) return;
    across.jump(across.offset);
    this.#anchorLayer(this.contentOffset);
    this.#wantTick();
  }

  /** Nobody is there any more to drop what was lifted by a key, and until then nothing else may change. */
  #lookForFocus = () => {
    if (!this.#movement || this.#movement.pointer) return;
    // What is moved in the document has the focus again by then.
    setTimeout(() => { if (this.#isLeft && this.#movement && !this.#movement.pointer) this.#cancelMovement(); });
  };

  /** Whether the focus is elsewhere; a window may lose it, and get it back. */
  get #isLeft() { return this.ownerDocument.hasFocus() && !this.matches(":focus-within"); }

  /** Of all cells exactly one is reached by the tab key. */
  #keepOneTabStop() {
    const cells = this.#sorted.filter(({ isCell }) => isCell);
    const current = cells.find(({ attributes }) => this.#isCurrent(attributes)) ?? cells[0];
    for (const cell of cells) cell.element.tabIndex = cell === current ? 0 : -1;
  }

  #restoreFocus() {
    if (this.#current && this.#session) {
      const [section, index] = this.#current;
      const count = this.#session.itemCounts[section] ?? 0;
      // The last ones may be gone, and it with them.
      if (index >= count) this.#current = count > 0 ? [section, count - 1] : null;
    }
    if (this.#sorted.filter(({ isCell, element }) => isCell && element.tabIndex === 0).length !== 1) {
      this.#keepOneTabStop();
    }
    if (!this.#hadFocus || !this.#current || this.#shadow.activeElement !== this.#scroller) return;
    const item = this.#items.get(keyOf("cell", this.#current));
    if (item) item.element.focus({ preventScroll: true });
  }

  /** How many keys are not done with. */
  #pressed = 0;

  async #keyDown(event) {
    // A key that is held goes on when the server has answered, and not for long after it was let go.
    if (event.repeat && this.#pressed > 0) return event.preventDefault();
    this.#pressed++;
    try {
      await this.#press(event);
    } finally {
      this.#pressed--;
    }
  }

  /** Where keys have led so far, and how many are on their way. */
  #way = Promise.resolve();
  #walkers = 0;
  /** Counts how often somebody has put the focus elsewhere meanwhile. */
  #walk = 0;

  /**
   * Does what a key wants once what the keys before it wanted is done: it goes on from where they have led, or moves
   * what they have lifted.
   */
  #goOn(key, go) {
    const walk = this.#walk;
    const next = () => walk !== this.#walk ? null : this.#movement ? this.#steer(key) : go();
    const gone = this.#walkers > 0 ? this.#way.then(next) : go();
    this.#walkers++;
    return (this.#way = gone.catch((error) => this.#report(error)).finally(() => { this.#walkers--; }));
  }

  /** What a key wants while an item is up. */
  async #steer(key) {
    const movement = this.#movement;
    const step = STEPS[key];
    if (key === "Escape") this.#cancelMovement();
    else if (movement.pointer) return;
    else if (step) await this.#inTurn(movement, () => this.#moveByKey(step));
    else if (key === "Enter" || key === " ") await this.#inTurn(movement, () => this.#drop());
  }

  /** Takes up what is current, and moves it. */
  async #liftCurrent(step) {
    const item = this.#current && this.#items.get(keyOf("cell", this.#current));
    if (!item || !this.#session) return;
    this.#stopMotion();
    this.#begin(item, item.center, { pointer: null, grip: { x: 0, y: 0 } });
    await this.#inTurn(this.#movement, () => step && this.#moveByKey(step));
  }

  async #press(event) {
    if (event.defaultPrevented || !this.#session) return;
    const step = STEPS[event.key];
    const movement = this.#movement;
    if (movement) {
      event.preventDefault();
      return this.#steer(event.key);
    }
    const target = event.composedPath()[0];
    if (target.matches(EDITORS)) return;
    // A window that has not the focus itself says nothing of elements that get it.
    const own = this.#itemOf(event);
    // Who is on the way elsewhere has it still where it was.
    if (own?.isCell && this.#walkers === 0) this.#current = own.attributes.indexPath;
    const isLift = event.key === " " ? !target.matches(CONTROLS) : step && (event.ctrlKey || event.altKey);
    const item = this.#current && this.#items.get(keyOf("cell", this.#current));
    if (this.reorderable && isLift && (item || this.#walkers > 0)) {
      event.preventDefault();
      // Whoever has pressed it may have gone before it has its turn.
      const isInLine = this.#walkers > 0;
      return this.#goOn(event.key, () => isInLine && this.#isLeft ? null : this.#liftCurrent(step));
    }
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const counts = this.#session.itemCounts;
    const isForward = event.key === "PageDown";
    if (step) {
      event.preventDefault();
      await this.#goOn(event.key, () => this.#focusNext(step));
    } else if (event.key === "Home" || event.key === "End") {
      event.preventDefault();
      const isHome = event.key === "Home";
      const section = isHome
        ? counts.findIndex((count) => count > 0) : counts.findLastIndex((count) => count > 0);
      if (section < 0) return;
      const path = [section, isHome ? 0 : counts[section] - 1];
      await this.#goOn(event.key, () => this.#focusItem(path, isHome ? "end" : "start"));
    } else if (isForward || event.key === "PageUp") {
      event.preventDefault();
      const way = (isForward ? 0.9 : -0.9) * this.#main.viewport;
      // Each goes on from where the one before it leads.
      const { x, y } = this.#motion?.end ?? this.contentOffset;
      const isThere = await this.#moveTo(this.#main === this.#x ? { x: x + way, y } : { x, y: y + way }, 0.25);
      await this.#enqueue(async () => {});
      // Who has stopped it, or goes elsewhere, says where it rests.
      if (isThere && !this.#motion && this.#snapMode !== "none") this.#snapFrom({ x, y });
    }
  }

  #focusCurrent() {
    const item = this.#current && this.#items.get(keyOf("cell", this.#current));
    item?.element.focus({ preventScroll: true });
  }

  /** The cell next to a point in some direction. */
  #next({ x, y }, [dx, dy], candidates) {
    let best = null;
    let least = Infinity;
    for (const candidate of candidates) {
      if (candidate.kind !== "cell") continue;
      const [left, top, right, bottom] = boundsOf(candidate);
      const along = dx ? dx * ((left + right) / 2 - x) : dy * ((top + bottom) / 2 - y);
      if (along < 1) continue;
      const across = dx
        ? Math.max(0, top - y, y - bottom) : Math.max(0, left - x, x - right);
      // What lies straight ahead comes before what lies aside.
      const cost = along + across * 4 + (across > 0 ? this.#main.viewport / 2 : 0);
      if (cost < least) [best, least] = [candidate, cost];
    }
    return best;
  }

  /** One item further in the order. */
  #neighbour([section, item], sign) {
    const counts = this.#session.itemCounts;
    let place = [section, item + sign];
    while (place[1] < 0 || place[1] >= counts[place[0]]) {
      const next = place[0] + sign;
      if (next < 0 || next >= counts.length) return null;
      place = [next, sign > 0 ? 0 : counts[next] - 1];
    }
    return place;
  }

  /** The index path next to a cell in some direction, on screen or beyond its edge. */
  async #nextPath(item, step) {
    const [dx, dy] = step;
    const { indexPath } = item.attributes;
    const isMain = (this.#main === this.#x) === (dx !== 0);
    if (EFFECTS.has(this.#layout.kind)) return isMain ? this.#neighbour(indexPath, dx + dy) : null;
    const from = item.center;
    const others = this.#sorted.filter((other) => other !== item).map(({ attributes }) => attributes);
    let next = this.#next(from, step, others);
    if ((!next || !this.#isStraight(next, from, step)) && isMain) {
      const { width, height } = this.#viewport;
      const [left, top, right, bottom] = boundsOf(item.attributes);
      // It may itself be longer than the viewport.
      const band = dx
        ? { x: dx > 0 ? left : left - width, y: this.#y.offset, width: right - left + width, height }
        : { x: this.#x.offset, y: dy > 0 ? top : top - height, width, height: bottom - top + height };
      const { attributes } = await this.#enqueue(
        () => this.#ask("GET", `/attributes?${new URLSearchParams(band)}`));
      next = this.#next(from, step, attributes.filter((other) => comparePaths(other.indexPath, indexPath)));
    }
    if (next && (isMain || this.#isStraight(next, from, step))) return next.indexPath;
    return isMain ? null : this.#neighbour(indexPath, dx + dy);
  }

  #isStraight(attributes, { x, y }, [dx]) {
    const [left, top, right, bottom] = boundsOf(attributes);
    return dx ? top <= y && y <= bottom : left <= x && x <= right;
  }

  async #focusNext(step) {
    const item = this.#current && this.#items.get(keyOf("cell", this.#current));
    if (!item) {
      // Out of sight: the first arrow key brings it back.
      const path = this.#current ?? this.#sorted.find(({ isCell }) => isCell)?.attributes.indexPath;
      if (path) await this.#focusItem(path);
      return;
    }
    const walk = this.#walk;
    const path = await this.#nextPath(item, step).catch((error) => this.#report(error));
    if (path && walk === this.#walk) await this.#focusItem(path);
  }

  async #focusItem(indexPath, position = "nearest") {
    this.#current = indexPath;
    const walk = this.#walk;
    const isNear = this.#items.has(keyOf("cell", indexPath));
    try {
      const offset = await this.#restShowing(indexPath, isNear ? "nearest" : position);
      const seconds = isNear && !EFFECTS.has(this.#layout.kind) ? 0.35 : 0;
      if (await this.#moveTo(offset, seconds, { isAsked: true })) this.#snapped = this.#lastRest;
      await this.#enqueue(async () => {});
    } catch (error) {
      return this.#report(error);
    }
    this.#flush();
    // All items may be gone.
    if (!this.#current || comparePaths(indexPath, this.#current)) return;
    this.#keepOneTabStop();
    // Who has gone elsewhere is not brought back.
    const active = this.#activeElement;
    if (walk === this.#walk && (!active || active === this.ownerDocument.body || this.contains(active))) this.#focusCurrent();
  }

  async #moveByKey(step) {
    const movement = this.#movement;
    if (!movement?.isUp) return;
    try {
      const path = await this.#nextPath(movement.item, step);
      if (!path || movement !== this.#movement) return;
      await this.#moveTo(await this.#offsetShowing(...path, "nearest"), 0);
      const { attributes } = await this.#enqueue(
        () => this.#ask("GET", `/attributes/cell/${path[0]}/${path[1]}`));
      const [left, top, right, bottom] = boundsOf(attributes);
      movement.position = { x: (left + right) / 2, y: (top + bottom) / 2 };
      // It may have been put back meanwhile.
      await this.#enqueue(async () => movement === this.#movement && this.#stepMovement());
      if (movement === this.#movement) this.#announce("moved", movement.target);
    } catch (error) {
      this.#movementFailed(error);
    }
  }
}

/** Whether a press on an element meets a scroll bar of its own; those that take no room are not told. */
function isOnScrollBar({ clientX, clientY }, target) {
  const { offsetWidth, offsetHeight, clientWidth, clientHeight, clientLeft, clientTop } = target;
  // What is no box has none.
  if (!offsetWidth || !clientWidth) return false;
  const style = getComputedStyle(target);
  const border = (side) => parseFloat(style[`border${side}Width`]);
  const breadth = offsetWidth - clientWidth - border("Left") - border("Right");
  const height = offsetHeight - clientHeight - border("Top") - border("Bottom");
  if (breadth < 1 && height < 1) return false;
  // It may be scaled.
  const box = target.getBoundingClientRect();
  const x = (clientX - box.left) * offsetWidth / box.width - clientLeft;
  const y = (clientY - box.top) * offsetHeight / box.height - clientTop;
  // Where texts run to the left it may be on the left.
  const start = clientLeft - border("Left") >= 1 ? -breadth : clientWidth;
  return (x >= start && x < start + breadth) || (y >= clientHeight && y < clientHeight + height);
}

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const easeOut = (part) => 1 - (1 - part) ** 3;
/** UIScrollView's deceleration, of which the server says how long it takes. */
const decelerate = (part) => (1 - Math.exp(-6.9 * part)) / (1 - Math.exp(-6.9));

function isHorizontal({ kind, scrollDirection }) {
  return scrollDirection ? scrollDirection === "horizontal" : HORIZONTAL.has(kind);
}

function indexPathOf({ dataset: { indexPath } }) {
  return (indexPath ?? "").split(",").map(Number);
}

function originOf({ anchorPoint }) {
  return anchorPoint ? `${anchorPoint.x * 100}% ${anchorPoint.y * 100}%` : "";
}

/** The first and the last of the cells; null if there are none. */
function cellPaths(attributes) {
  const paths = attributes.filter(({ kind }) => kind === "cell").map(({ indexPath }) => indexPath);
  paths.sort(comparePaths);
  return paths.length ? [paths[0], paths.at(-1)] : null;
}

/** Whether something comes before (−1) or after (1) a run of cells; 0 if it is among them. */
function sideOf(indexPath, run) {
  if (!run) return 0;
  return comparePaths(indexPath, run[0]) < 0 ? -1 : comparePaths(indexPath, run[1]) > 0 ? 1 : 0;
}

const FORMS = ["sizes", "lengths", "aspectRatios", "ids"];
const countOf = (items) => items.count ?? FORMS.map((form) => items[form]?.length).find((n) => n !== undefined) ?? 0;
/** Whether a batch reloads an element: of a section its header, its footer and its decorations are there still. */
function isReloaded({ kind, indexPath: [section, item] }, { reloadItems = [], reloadSections = [] }) {
  return reloadSections.some(({ at }) => at === section) || (kind === "cell" && reloadItems.some(
    ({ section: at, start, items }) => at === section && start <= item && item < start + countOf(items)));
}

/** Where a place is after so many others have gone, and others have come, each where it is in the end. */
function placeAfter(place, gone, come) {
  let after = place - gone.reduce((sum, [start, end]) => sum + clamp(place - start, 0, end - start), 0);
  for (const [at, count] of come.sort((a, b) => a[0] - b[0])) if (at <= after) after += count;
  return after;
}

/** Where an item is after a batch; of one that is gone, who has its place. */
function pathAfter([section, item], batch) {
  const {
    deleteSections = [], insertSections = [], moveSections = [], deleteItems = [], insertItems = [], moveItems = [],
  } = batch;
  const own = moveItems.find(({ from }) => comparePaths(from, [section, item]) === 0);
  if (own) return [...own.to];
  const after = moveSections.find(({ from }) => from === section)?.to ?? placeAfter(
    section, [...deleteSections, ...moveSections.map(({ from }) => from)].map((at) => [at, at + 1]),
    [...insertSections.map(({ at }) => at), ...moveSections.map(({ to }) => to)].map((at) => [at, 1]));
  return [after, placeAfter(
    item,
    [...deleteItems.filter((range) => range.section === section).map(({ start, end }) => [start, end]),
      ...moveItems.filter(({ from }) => from[0] === section).map(({ from }) => [from[1], from[1] + 1])],
    [...insertItems.filter((run) => run.section === after).map(({ at, items }) => [at, countOf(items)]),
      ...moveItems.filter(({ to }) => to[0] === after).map(({ to }) => [to[1], 1])])];
}

/** In which words items are described. */
const formOf = (items) =>
  [...FORMS.filter((form) => items[form]), items.size && `${items.size.width}x${items.size.height}`].join();

/**
 * A section's items after batches: as which runs of which lists they follow each other. There are about as many
 * runs as places that batches have touched: to take one item out, lists of a million are not gone through.
 */
class Runs {
  /** `[items, start, end]` each. */
  list;

  constructor(list) {
    this.list = list.filter(([, start, end]) => start < end);
  }

  static of(items) {
    if (items instanceof Runs && items.list.length < 4096) return items;
    // Of so many runs lists are made again: each batch goes through the runs.
    const given = items instanceof Runs ? items.items : items;
    return new Runs([[given, 0, countOf(given)]]);
  }

  /** Whether one description has words for all of them. */
  get isOfOneForm() { return new Set(this.list.map(([items]) => formOf(items))).size <= 1; }

  /** Takes the next so many items, and adds them to a list of runs. */
  get taker() {
    const rest = [...this.list].reverse();
    return (count, into) => {
      while (count > 0 && rest.length) {
        const [items, start, end] = rest.pop();
        const middle = Math.min(end, start + count);
        into.push([items, start, middle]);
        if (middle < end) rest.push([items, middle, end]);
        count -= middle - start;
      }
    };
  }

  /** The items as a page describes them. */
  get items() {
    const count = this.list.reduce((sum, [, start, end]) => sum + end - start, 0);
    const [first = {}] = this.list[0] ?? [];
    const result = first.size ? { count, size: first.size } : { count };
    for (const form of FORMS.filter((form) => first[form])) {
      const values = result[form] = new Array(count);
      let place = 0;
      for (const [{ [form]: given }, start, end] of this.list) {
        for (let index = start; index < end; index++) values[place++] = given[index];
      }
    }
    return result;
  }
}

/** What {@link updated} has made, as a page describes it. */
function described(collection) {
  for (const section of collection?.sections ?? []) {
    if (section.items instanceof Runs) section.items = section.items.items;
  }
  return collection;
}

/**
 * The collection after a batch, so that a session that the server has lost can be begun again.
 *
 * Items of one section have to be described in the same words; else the collection stays as it was: then
 * `collection` should be a function.
 */
function updated(collection, batch) {
  if (!collection || typeof collection === "function") return collection;
  const {
    deleteSections = [], insertSections = [], moveSections = [], reloadSections = [],
    deleteItems = [], insertItems = [], moveItems = [], reloadItems = [],
  } = batch;
  const before = collection.sections.map((section) => ({ section }));
  for (const { at, section } of reloadSections) before[at].section = section;
  const gone = new Set([...deleteSections, ...moveSections.map(({ from }) => from)]);
  const after = before.filter((_, index) => !gone.has(index));
  const come = [
    ...insertSections.map(({ at, section }) => ({ at, place: { section } })),
    ...moveSections.map(({ from, to }) => ({ at: to, place: before[from] })),
  ];
  for (const { at, place } of come.sort((a, b) => a.at - b.at)) after.splice(at, 0, place);

  const changed = new Set();
  const change = (place) => {
    if (!changed.has(place)) Object.assign(place, { runs: Runs.of(place.section.items ?? {}), gone: [], come: [] });
    changed.add(place);
    return place;
  };
  for (const { section, start, end } of deleteItems) {
    if (start < end) change(before[section]).gone.push({ start, end, into: [] });
  }
  for (const { section, start, items } of reloadItems) {
    const count = countOf(items);
    if (count > 0) change(before[section]).gone.push({ start, end: start + count, into: [], items });
  }
  for (const { section, at, items } of insertItems) {
    const count = countOf(items);
    if (count > 0) change(after[section]).come.push({ at, count, from: [[items, 0, count]] });
  }
  for (const { from: [section, item], to } of moveItems) {
    const into = [];
    change(before[section]).gone.push({ start: item, end: item + 1, into });
    change(after[to[0]]).come.push({ at: to[1], count: 1, from: into });
  }
  // Survivors in their old order, then what comes, each at its final index.
  for (const place of changed) {
    const { taker: take } = place.runs;
    const stay = [];
    let index = 0;
    for (const { start, end, into, items } of place.gone.sort((a, b) => a.start - b.start)) {
      take(start - index, stay);
      take(end - start, into);
      // What is reloaded keeps its ids.
      if (items) stay.push([{ ...items, ids: new Runs(into).items.ids }, 0, end - start]);
      index = end;
    }
    take(Infinity, stay);
    place.runs = new Runs(stay);
  }
  for (const place of changed) {
    const { taker: take } = place.runs;
    const list = [];
    let index = 0;
    for (const { at, count, from } of place.come.sort((a, b) => a.at - b.at)) {
      take(at - index, list);
      list.push(...from);
      index = at + count;
    }
    take(Infinity, list);
    const items = new Runs(list);
    if (!items.isOfOneForm) return collection;
    place.section = { ...place.section, items };
  }
  return { ...collection, sections: after.map(({ section }) => section) };
}

if (!customElements.get("collection-view")) customElements.define("collection-view", CollectionView);
