/** Types of `collection-view.js`; what the words mean is in openapi.yaml. */

export type IndexPath = [section: number, item: number];
export interface Point { x: number; y: number }
export interface Size { width: number; height: number }
export interface Rect extends Point, Size {}
export interface Insets { top?: number; left?: number; bottom?: number; right?: number }
/** Items of one section, half open. */
export interface IndexRange { section: number; start: number; end: number }

/** UICollectionViewLayoutAttributes; members that hold their default are left out. */
export interface LayoutAttributes {
  /** `cell`, `header`, `footer`, or a decoration's name. */
  kind: string;
  indexPath: IndexPath;
  id?: string;
  /** Before the transform, in content coordinates. */
  frame: Rect;
  zIndex?: number;
  alpha?: number;
  /** CSS `matrix()`, about `anchorPoint`. */
  transform?: [number, number, number, number, number, number];
  anchorPoint?: Point;
}

export interface Items {
  count?: number;
  size?: Size;
  sizes?: [width: number, height: number][];
  lengths?: number[];
  aspectRatios?: number[];
  ids?: string[];
}

export interface Section {
  id?: string;
  items?: Items;
  header?: Size;
  footer?: Size;
  headerInset?: Insets;
  footerInset?: Insets;
  sectionInset?: Insets;
  minimumLineSpacing?: number;
  minimumInteritemSpacing?: number;
  minimumColumnSpacing?: number;
  columnCount?: number;
  decorations?: { kind: string; insets?: Insets }[];
}

export interface Collection { sections: Section[] }

export type LayoutKind =
  | "flow" | "waterfall" | "pagedGrid" | "list" | "coverFlow" | "wheel" | "banner";

/** Which further members there are depends on the kind; the server refuses others. */
export interface Layout {
  kind: LayoutKind;
  scrollDirection?: "vertical" | "horizontal";
  snap?: {
    mode?: "none" | "center" | "start" | "page" | "item" | "wheel";
    decelerationRate?: "normal" | "fast";
  };
  [member: string]: unknown;
}

export interface PrefetchReach { ahead?: number; behind?: number }

export interface Description {
  /** Null where none has been given yet. */
  collection: Collection | (() => Collection | Promise<Collection>) | null;
  layout?: Layout;
  prefetch?: PrefetchReach;
}

export interface ElementAnimation {
  alpha?: number;
  scale?: number;
  rotation?: number;
  position?: "bottomCenter";
}

export type Anchor = "start" | "end" | "visible" | { kind?: string; indexPath: IndexPath };

export interface BatchUpdate {
  deleteSections?: number[];
  insertSections?: { at: number; section: Section }[];
  moveSections?: { from: number; to: number }[];
  reloadSections?: { at: number; section: Section }[];
  deleteItems?: IndexRange[];
  insertItems?: { section: number; at: number; items: Items }[];
  moveItems?: { from: IndexPath; to: IndexPath }[];
  reloadItems?: { section: number; start: number; items: Items }[];
  expect?: { itemCounts: number[] };
  insertAnimation?: ElementAnimation;
  deleteAnimation?: ElementAnimation;
  anchor?: Anchor;
  /** Where the client is; the view says it if the batch does not. */
  contentOffset?: Point;
  dryRun?: boolean;
}

export interface UpdateAnswer {
  version: number;
  contentSize: Size;
  sections: { itemCount: number }[];
  contentOffset: Point;
  appearing: { initial: LayoutAttributes; final: LayoutAttributes }[];
  disappearing: { initial: LayoutAttributes; final: LayoutAttributes }[];
  moving: { from: IndexPath; to: IndexPath; initial: LayoutAttributes; final: LayoutAttributes }[];
  entering: LayoutAttributes[];
  leaving: { kind: string; indexPath: IndexPath }[];
  cancelPrefetch: IndexRange[];
}

/** Problem details (RFC 9457). */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  pointer?: string;
  requestId: string;
  version?: number;
  repair?: BatchUpdate;
}

export class LayoutError extends Error {
  /** 0 if there was no answer. */
  readonly status: number;
  readonly problem: Problem | null;
  /** For how many seconds the server does not want to be asked again; 0 if it has not said. */
  readonly retryAfter: number;
}

export interface CollectionViewEventMap {
  /** A session has been begun. */
  ready: CustomEvent<{ url: string; contentSize: Size }>;
  /** A scroll tick has been drawn. */
  tick: CustomEvent<{
    contentOffset: Point; contentSize: Size; seconds: number; visibleCount: number;
    appeared: number; changed: number; disappeared: number; reset: boolean;
  }>;
  /** Load these; with `reset`, these and nothing that was asked for before. */
  prefetch: CustomEvent<{ ranges: IndexRange[]; reset: boolean }>;
  /** These are not needed any more. */
  cancelprefetch: CustomEvent<{ ranges: IndexRange[]; reset: boolean }>;
  /** A drag has ended, and goes there. */
  snap: CustomEvent<{ target: Point; indexPath: IndexPath | null; question: object }>;
  /** An item has been moved by pointer or keyboard. */
  reorder: CustomEvent<{ from: IndexPath; to: IndexPath; version: number }>;
  /** The server has answered. */
  request: CustomEvent<{ method: string; url: string; status: number; seconds: number; body: unknown }>;
  /**
   * Something failed. Where the server is away or has no time, or the page's own function that makes the collection
   * fails (`status` is 0, 429, or 500 and above), the element asks two seconds later (later if the server says so,
   * but within half a minute) what is to be shown, tells its size and layout, and begins another session if there
   * is none, or none yet of what has been set since. A size that is refused as another client has an item up (409)
   * is told again too, more and more seldom.
   */
  error: CustomEvent<{ error: Error; status: number; problem: Problem | null }>;
}

export type Reuse = "new" | "recycled" | "moved";

/** Those of any other element, too. */
type ElementEventMap = CollectionViewEventMap & Omit<HTMLElementEventMap, keyof CollectionViewEventMap>;

export class CollectionView extends HTMLElement {
  /** Base URL of the server, with a slash at its end; where the module came from if nothing is said. */
  server: string;
  /** URL of a description or a collection, in JSON. */
  src: string | null;
  /**
   * The collection, or what makes one whenever a session is begun. What has been given, here or in a batch, is
   * not copied: leave it as it is. Batches are followed, as long as all items of a section are described in the same
   * words (`ids`, `sizes` or one `size`, …); where they are not, and a session may be lost, give what makes one: what
   * it makes is what is shown, so change what it reads from when a batch has resolved.
   */
  collection: Collection | (() => Collection | Promise<Collection>) | null;
  /** Collection, layout and prefetch reach at once. */
  description: Description;
  get layout(): Layout;
  /** A kind, JSON, or a layout. */
  set layout(value: LayoutKind | Layout | (string & {}));
  prefetch: PrefetchReach | null;
  reorderable: boolean;
  label: string | null;
  /**
   * Pixels per point, so that edges are on whole pixels; `"auto"` for what the screen has, null for none, whereby
   * places are the same on all screens.
   */
  displayScale: number | "auto" | null;
  /** Header fields for the server, such as `Authorization`. */
  headers: Record<string, string> | (() => Record<string, string>);
  /** What is announced when items are moved by keyboard; `%` is filled in. */
  messages: { lifted: string; moved: string; dropped: string; cancelled: string };
  /** In seconds. */
  animationDuration: number;
  /** In seconds; what is not answered in this time counts as lost, and is asked again like that. 20 by itself. */
  answerTimeout: number;
  /**
   * Fills an element in. The first that is set empties what the element has filled in by itself, and fills it in anew;
   * each other one leaves what is filled in as it is.
   */
  renderItem: (element: HTMLElement, attributes: LayoutAttributes, reuse: Reuse) => void;

  readonly contentOffset: Point;
  readonly contentSize: Size;
  readonly viewportSize: Size;
  readonly version: number;
  readonly sessionURL: string | null;
  readonly itemCounts: number[];
  readonly visibleItems: { element: HTMLElement; attributes: LayoutAttributes }[];
  readonly currentIndexPath: IndexPath | null;

  attributesOf(element: HTMLElement): LayoutAttributes | null;
  elementAt(section: number, item: number, kind?: string): HTMLElement | null;
  /** Resolves when nothing is being asked, drawn or animated. */
  idle(): Promise<void>;
  /** The item nearest the middle stays there, between two pages too; a layout snaps where a drag, a wheel or a key ends. */
  setLayout(layout: LayoutKind | Layout | (string & {})): Promise<void>;
  /**
   * Resolves when the batch has been applied, also if the answer was lost: then without what moved, and what is shown
   * changes without an animation.
   */
  applyUpdates(batch: BatchUpdate): Promise<UpdateAnswer>;
  replaceCollection(collection: Collection, anchor?: Anchor): Promise<object>;
  scrollToItem(
    section: number, item: number, position?: "start" | "center" | "end" | "nearest", isAnimated?: boolean,
  ): Promise<void>;
  setContentOffset(offset: Point, isAnimated?: boolean): Promise<void>;

  addEventListener<Name extends keyof ElementEventMap>(
    type: Name, listener: (this: CollectionView, event: ElementEventMap[Name]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions,
  ): void;
  removeEventListener<Name extends keyof ElementEventMap>(
    type: Name, listener: (this: CollectionView, event: ElementEventMap[Name]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(
    type: string, listener: EventListenerOrEventListenerObject, options?: boolean | EventListenerOptions,
  ): void;
}

declare global {
  interface HTMLElementTagNameMap { "collection-view": CollectionView }
}
