"""What checks are made of: a page with the playground, and what may be asked of it."""

import contextlib
import pathlib
import subprocess
import threading
import time

COMPARE = pathlib.Path(__file__).with_name("compare.js").read_text()
LAYOUTS = [
    "flow", "waterfall", "waterfall-ltr", "waterfall-rtl", "pagedGrid", "list", "coverFlow", "wheel",
    "banner",
]
SIDEWAYS = {"pagedGrid", "coverFlow", "wheel", "banner"}
VIEW = "const view = document.querySelector('collection-view');"
WAIT = "const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));"
# A pointer over an element: `hand(element, x, y)("pointermove", {clientX: 9})`.
HAND = """
const hand = (element, x, y, kind = {}) => (type, place) => element.dispatchEvent(new PointerEvent(type, {
  pointerId: 1, isPrimary: true, button: 0, pointerType: "mouse", clientX: x, clientY: y, bubbles: true, composed: true,
  cancelable: true, ...kind, ...place}));
const ready = () => new Promise((resolve) => view.addEventListener("ready", resolve, {once: true}));
const up = () => view.querySelectorAll("[data-dragging]").length;"""
# Whether the view is where a drag that moves nothing would leave it, and how to wait until it moves no more.
REST = """
const rests = async () => {
  const {contentOffset} = view;
  const answer = await fetch(`${view.sessionURL}/snap`, {
    method: "POST", headers: {"Content-Type": "application/json"},
    body: JSON.stringify({proposedContentOffset: contentOffset, startContentOffset: contentOffset})});
  const {targetContentOffset: {x, y}} = await answer.json();
  return Math.abs(x - contentOffset.x) <= 1 && Math.abs(y - contentOffset.y) <= 1;
};
const settled = async () => {
  for (let last = ""; last !== JSON.stringify(view.contentOffset);) {
    last = JSON.stringify(view.contentOffset);
    await wait(500);
    await new Promise(requestAnimationFrame);
    await view.idle();
  }
};"""
# `point` has the fifth of items of 40 points in the hand, which was at `x` and `y`.
HELD = """
const ids = Array.from({length: 300}, (_, item) => `r${item + 1}`);
await view.replaceCollection({sections: [{items: {ids, lengths: ids.map(() => 40)}}]});
await view.setLayout({kind: "list"});
await view.idle();
const held = view.elementAt(0, 4);
const {x, y, height} = held.getBoundingClientRect();
const point = hand(held, x + 100, y + height / 2);
point("pointerdown");
for (let i = 0; i < 200 && !view.querySelector("[data-dragging]"); i++) await wait(25);
await view.idle();"""


class Failed(Exception):
    pass


class Skipped(Exception):
    """What a check is about, this browser has not."""


def expect(holds, text):
    if not holds:
        raise Failed(text)


def provokes(*statuses):
    """Marks a check that asks for what is refused: browsers report such answers as errors."""
    def mark(check):
        check.provokes = statuses
        return check
    return mark


@contextlib.contextmanager
def server(program, *options):
    process = subprocess.Popen(
        [program, "--port", "0", "--log-level", "warning", *options], stderr=subprocess.PIPE, text=True
    )
    try:
        for line in process.stderr:
            if line.startswith("listening on "):
                break
        else:
            raise Failed("the server does not start")
        # What it says later must not fill the pipe.
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield line.split()[2]
    finally:
        process.terminate()
        process.wait()


class Page:
    """What the checks are made of."""

    def __init__(self, browser, program, url, shop):
        self.browser, self.program, self.url, self.shop = browser, program, url, shop
        self.notes = []

    def open(self, state=""):
        self.browser.goto(f"{self.url}/#{state}")
        self.settle()

    def settle(self):
        self.browser.eval(VIEW + """
          for (let i = 0; i < 200 && !view?.sessionURL; i++) await new Promise((r) => setTimeout(r, 25));
          if (!view?.sessionURL) throw new Error("no session: " + document.getElementById("failure")?.textContent);
          await view.idle();""")

    def same(self, what, least=1):
        """The document has what the server says is visible, where it says."""
        for _ in range(40):
            answer = self.browser.eval(COMPARE)
            if not answer["missing"] and not answer["extra"] and answer["worst"] <= 0.5:
                break
            # Scrolling may not have ended yet.
            time.sleep(0.05)
        expect(not answer["missing"], f"{what}: not in the document: {answer['missing']}")
        expect(not answer["extra"], f"{what}: should not be in the document: {answer['extra']}")
        expect(answer["worst"] <= 0.5, f"{what}: {answer['worst']} px off")
        expect(answer["count"] >= least, f"{what}: only {answer['count']} elements")
        return answer

    def scrolled(self, what):
        """`same`, when it has begun to scroll: browsers say that a wheel has turned before it shows."""
        for _ in range(200):
            if self.browser.eval(VIEW + "return view.contentOffset.x + view.contentOffset.y") > 0:
                return self.same(what)
            time.sleep(0.05)
        raise Failed(f"{what}: it does not scroll")

    def middle(self):
        return self.browser.eval(VIEW + """
          const box = view.getBoundingClientRect();
          return [box.x + box.width / 2, box.y + box.height / 2];""")

    def center(self, item, section=0):
        return self.browser.eval(VIEW + """
          const box = view.elementAt(args[0], args[1]).getBoundingClientRect();
          return [box.x + box.width / 2, box.y + box.height / 2];""", section, item)

    def lift(self, item):
        """Holds an item until it is up; returns where."""
        x, y = self.center(item)
        self.browser.move(x, y)
        self.browser.down()
        self.browser.eval(VIEW + WAIT + """
          for (let i = 0; i < 200 && !view.querySelector("[data-dragging]"); i++) await wait(50);""")
        return x, y

    def needs_focus(self):
        """Firefox's window never has it without a screen, and says nothing of elements that get it."""
        if not self.browser.eval("return document.hasFocus()"):
            raise Skipped("the window has not the focus")

    def ids(self, count=8):
        """The first items, as the server has them."""
        return self.browser.eval(VIEW + """
          const ids = [];
          for (let item = 0; item < args[0]; item++) {
            ids.push((await (await fetch(`${view.sessionURL}/attributes/cell/0/${item}`)).json()).attributes.id);
          }
          return ids;""", count)
