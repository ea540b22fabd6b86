/** All that `collection-view.d.ts` declares, used as a page would; `tsc --strict` says whether it can be. */

import { CollectionView, LayoutError } from "../../Sources/CResources/web/collection-view.js";
import type {
  BatchUpdate, CollectionViewEventMap, Description, IndexPath, LayoutAttributes, Point, Problem, Reuse, UpdateAnswer,
} from "../../Sources/CResources/web/collection-view.js";

const view: CollectionView = document.createElement("collection-view");
document.querySelector("main")?.append(view);

view.server = "https://layout.example/";
view.src = "/photos.json";
view.src = null;
view.label = "Photos";
view.label = null;
view.reorderable = true;
view.collection = { sections: [{ id: "s", items: { sizes: [[1, 2]], ids: ["a"] }, header: { width: 0, height: 44 } }] };
view.collection = () => ({ sections: [] });
view.collection = async () => ({ sections: [{ decorations: [{ kind: "card", insets: { top: 1 } }] }] });
view.collection = null;
view.description = {
  collection: { sections: [] }, prefetch: { ahead: 2 },
  layout: { kind: "list", itemLength: 44, snap: { mode: "start" } },
};
const description: Description = view.description;
view.layout = "waterfall";
view.layout = '{"kind":"flow"}';
view.layout = { ...view.layout, kind: "banner" };
view.prefetch = { ahead: 1, behind: 1 };
view.prefetch = null;
view.headers = { Authorization: "Bearer key" };
view.headers = () => ({ Authorization: "Bearer key" });
view.messages = { ...view.messages, lifted: "%" };
view.animationDuration = 0;
view.answerTimeout = 5;
view.renderItem = (element: HTMLElement, attributes: LayoutAttributes, reuse: Reuse) => {
  element.textContent = reuse === "new" ? attributes.id ?? attributes.indexPath.join() : "";
};

const point: Point = view.contentOffset;
const sizes: number = view.contentSize.width + view.viewportSize.height + view.version + view.itemCounts.length;
const url: string | null = view.sessionURL;
const path: IndexPath | null = view.currentIndexPath;
for (const { element, attributes } of view.visibleItems) {
  const same: boolean = view.attributesOf(element)?.frame.x === attributes.frame.x;
  const found: HTMLElement | null = view.elementAt(0, 3) ?? view.elementAt(0, 0, "header");
  console.log(same, found);
}

export async function everything(): Promise<void> {
  await view.setLayout("flow");
  await view.setLayout({ kind: "flow", minimumLineSpacing: 4 });
  const batch: BatchUpdate = {
    deleteItems: [{ section: 0, start: 0, end: 1 }], moveItems: [{ from: [0, 1], to: [0, 0] }], anchor: "visible",
    insertAnimation: { scale: 0.5, position: "bottomCenter" }, expect: { itemCounts: [2] },
  };
  try {
    const { appearing: [first], entering }: UpdateAnswer = await view.applyUpdates(batch);
    console.log(first.initial.alpha, entering.length);
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    const problem: Problem | null = error.problem;
    if (error.status === 409 && problem?.repair) await view.applyUpdates(problem.repair);
  }
  await view.replaceCollection({ sections: [] }, { kind: "header", indexPath: [0, 0] });
  await view.scrollToItem(0, 3, "nearest", false);
  await view.setContentOffset({ x: 0, y: 10 }, false);
  await view.idle();
}

const ticked = ({ detail }: CollectionViewEventMap["tick"]) => { console.log(detail.visibleCount, detail.seconds); };
view.addEventListener("tick", ticked, { passive: true });
view.removeEventListener("tick", ticked);
view.addEventListener("ready", ({ detail }) => detail.url.length + detail.contentSize.width);
view.addEventListener("prefetch", ({ detail }) => detail.reset || detail.ranges[0].start);
view.addEventListener("cancelprefetch", ({ detail }) => detail.ranges[0].end);
view.addEventListener("snap", ({ detail }) => detail.indexPath ?? detail.target.x);
view.addEventListener("reorder", ({ detail }) => [...detail.from, ...detail.to, detail.version]);
view.addEventListener("request", ({ detail }) => `${detail.method} ${detail.url} ${detail.status} ${detail.seconds}`);
view.addEventListener("error", ({ detail }) => detail.problem?.title ?? detail.error.message, { once: true });
// It is an element like any other, too.
const clicked = (event: MouseEvent) => { console.log(event.clientX); };
view.addEventListener("click", clicked);
view.removeEventListener("click", clicked);
view.addEventListener("keydown", (event) => event.key);
view.addEventListener("of-the-page", (event) => event.type);

console.log(description, point, sizes, url, path);
