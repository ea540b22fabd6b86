/** What layoutd is asked, and what it answers: the part of openapi.yaml that the story needs. */

export type IndexPath = [section: number, item: number];
export interface Point { x: number; y: number }
export interface Size { width: number; height: number }
export interface Rect extends Point, Size {}
/** Items of one section, half open. */
export interface IndexRange { section: number; start: number; end: number }

export interface Items {
  count?: number;
  ids?: string[];
  size?: Size;
  sizes?: [width: number, height: number][];
  lengths?: number[];
  aspectRatios?: number[];
}
export interface Layout {
  kind: "flow" | "waterfall" | "pagedGrid" | "list" | "coverFlow" | "wheel" | "banner";
  snap?: { mode?: "none" | "center" | "start" | "page" | "item" | "wheel" };
  /** Each kind has members of its own. */
  [metric: string]: unknown;
}
export interface Description {
  collection: { sections: { id?: string; items?: Items; header?: Size; footer?: Size }[] };
  layout: Layout;
  viewport: Size & { contentOffset?: Point; displayScale?: number };
  prefetch?: { ahead?: number; behind?: number };
}

export interface LayoutAttributes {
  kind: string;
  indexPath: IndexPath;
  id?: string;
  /** Before the transform. */
  frame: Rect;
  zIndex?: number;
  alpha?: number;
  /** CSS `matrix()`, about the anchor point, which is CSS `transform-origin`. */
  transform?: [number, number, number, number, number, number];
  anchorPoint?: Point;
}
export interface Summary {
  id: string;
  version: number;
  contentSize: Size;
  sections: { itemCount: number }[];
  prefetch: IndexRange[];
}
export interface CreatedSession extends Summary { attributes: LayoutAttributes[] }
export interface ReplacedLayout extends CreatedSession { contentOffset: Point }
export interface AttributesAnswer { version: number; attributes: LayoutAttributes[]; next?: string }
export interface Tick {
  version: number;
  contentOffset: Point;
  contentSize: Size;
  appeared: LayoutAttributes[];
  changed: LayoutAttributes[];
  disappeared: { kind: string; indexPath: IndexPath }[];
  prefetch: IndexRange[];
  cancelPrefetch: IndexRange[];
  reset: boolean;
}
export interface ElementChange { initial: LayoutAttributes; final: LayoutAttributes }
export interface ElementMove extends ElementChange { from: IndexPath; to: IndexPath }
export interface Batch {
  deleteItems?: IndexRange[];
  insertItems?: { section: number; at: number; items: Items }[];
  moveItems?: { from: IndexPath; to: IndexPath }[];
  reloadItems?: { section: number; start: number; items: Items }[];
  expect?: { itemCounts: number[] };
  anchor?: "start" | "end" | "visible" | { kind?: string; indexPath: IndexPath };
  contentOffset?: Point;
  dryRun?: boolean;
}
export interface UpdateAnswer {
  version: number;
  contentSize: Size;
  sections: { itemCount: number }[];
  contentOffset: Point;
  appearing: ElementChange[];
  disappearing: ElementChange[];
  moving: ElementMove[];
  entering: LayoutAttributes[];
  leaving: { kind: string; indexPath: IndexPath }[];
  cancelPrefetch: IndexRange[];
}
export interface Movement {
  version: number;
  source: IndexPath;
  target: IndexPath;
  dragged: LayoutAttributes;
  moving: ElementMove[];
  leaving: { kind: string; indexPath: IndexPath }[];
  autoscroll: Point;
}
export interface SnapAnswer {
  version: number;
  targetContentOffset: Point;
  indexPath: IndexPath | null;
  duration?: number;
}
/** RFC 9457. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  pointer?: string;
  requestId: string;
  /** With 412: the version that is current. */
  version?: number;
}

/** The little of Node that the story uses, so that the types need no package. */
declare global {
  const process: { env: Record<string, string | undefined>; exitCode?: number };
}
