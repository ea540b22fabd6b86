"""What has to hold of the playground and the component in a browser; Tests/Browser/run runs it."""

import argparse
import collections
import contextlib
import hashlib
import http.server
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.parse
import urllib.request

from browsers import Chromium, Firefox, WebKit

HERE = pathlib.Path(__file__).parent
COMPARE = (HERE / "page.js").read_text()
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
const ready = () => new Promise((resolve) => view.addEventListener("ready", resolve, {once: true}));"""
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

    def __init__(self, browser, program, url, shop, screenshots):
        self.browser, self.program, self.url, self.shop, self.screenshots = browser, program, url, shop, screenshots
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


class Checks(Page):
    """Each method is a check."""

    def every_layout_scrolls(self):
        worst = 0
        for collection in ("gallery", "random"):
            self.open(f"collection={collection}&layout=flow")
            x, y = self.middle()
            for layout in LAYOUTS:
                self.browser.eval("document.querySelector(`input[value='${args[0]}']`).click()", layout)
                self.browser.eval(VIEW + "await view.idle(); await view.setContentOffset({x: 0, y: 0}, false)")
                worst = max(worst, self.same(f"{collection}, {layout}")["worst"])
                way = (160, 0) if layout in SIDEWAYS else (0, 470)
                for step in range(5):
                    self.browser.wheel(x, y, *way)
                    time.sleep(0.03)
                worst = max(worst, self.scrolled(f"{collection}, {layout}, scrolled")["worst"])
                self.browser.eval("document.getElementById('last').click()")
                time.sleep(0.1)
                worst = max(worst, self.same(f"{collection}, {layout}, at the end")["worst"])
        self.notes.append(f"places: at most {worst:.3f} px off")

    def pinned_headers_stay(self):
        self.open("collection=gallery&layout=waterfall&pin=true")
        x, y = self.middle()
        for _ in range(4):
            self.browser.wheel(x, y, 0, 300)
            time.sleep(0.03)
        self.scrolled("pinned")
        top = self.browser.eval(VIEW + """
          return view.querySelector("[data-kind=header]").getBoundingClientRect().top
            - view.getBoundingClientRect().top""")
        expect(abs(top) <= 0.5, f"the header is {top} px from the top")

    def snapping(self):
        self.open("collection=random&layout=pagedGrid")
        page = self.browser.eval(VIEW + WAIT + """
          view.shadowRoot.querySelector(".scroller").scrollLeft += 150;
          const page = () => view.contentOffset.x / view.viewportSize.width;
          for (let i = 0; i < 40 && (i < 6 || page() % 1); i++) await wait(50);
          return page();""")
        expect(page == 1, f"scrolled for the first time it goes to page {page}")
        self.open("collection=random&layout=pagedGrid")
        x, y = self.middle()
        self.browser.move(x, y)
        self.browser.down()
        for step in range(1, 9):
            self.browser.move(x - 45 * step, y)
        self.browser.up()
        time.sleep(0.1)
        answer = self.same("after a fling")
        width = self.browser.eval(VIEW + "return view.viewportSize.width")
        expect(answer["offset"]["x"] == width, f"not on a page: {answer['offset']} of {width}")
        # A wheel has no end of a drag; the end of its scrolling is one.
        for axis, way, page in (
            ("x", 150, 2), ("x", -150, 1), ("x", 10, 1), ("x", -150, 0), ("y", 150, 1), ("y", 150, 2), ("y", -150, 1),
        ):
            offset, length = self.browser.eval(VIEW + WAIT + """
              const [axis, way, page] = args;
              const scrollDirection = axis === "x" ? "horizontal" : "vertical";
              if ((view.layout.scrollDirection ?? "horizontal") !== scrollDirection) {
                await view.setLayout({...view.layout, scrollDirection});
                await view.setContentOffset({x: 0, y: 0}, false);
                await view.idle();
              }
              const length = view.viewportSize[axis === "x" ? "width" : "height"];
              await wait(100);
              view.shadowRoot.querySelector(".scroller")[axis === "x" ? "scrollLeft" : "scrollTop"] += way;
              await wait(300);
              for (let i = 0; i < 40 && view.contentOffset[axis] !== page * length; i++) await wait(50);
              await view.idle();
              return [view.contentOffset[axis], length];""", axis, way, page)
            expect(offset == page * length, f"scrolled by {way} it goes to {axis} = {offset} instead of page {page} of {length}")

    def what_is_stopped_comes_to_rest(self):
        """On a page, whoever has stopped it on its way, or taken the hand away that dragged it."""
        press = "const press = hand(scroller, x + 300, y + 100); press('pointerdown');"
        # So far that it goes to the next page, however fast; and it goes by frames, however long these take.
        fling = """
          let clock = performance.now();
          const {requestAnimationFrame: frame} = window;
          performance.now = () => clock;
          window.requestAnimationFrame = (act) => frame(() => act(clock += 5));
          point("pointerdown");
          point("pointermove", {clientX: x + 600 - 0.6 * width});
          point("pointerup", {clientX: x + 600 - 0.6 * width});"""
        flies = fling + """
          const isBetween = () => at() > 0.61 * width && at() < 0.95 * width;
          for (let i = 0; i < 300 && !isBetween(); i++) await new Promise(requestAnimationFrame);
          const between = at();"""
        loses = """
          const {fetch} = window;
          window.fetch = async (url, options) => {
            if (String(url).endsWith("/snap") && lost-- > 0) throw new TypeError("cut off");
            return fetch(url, options);
          };"""
        for what, act in (
            ("pressed on its way", flies + press + "press('pointerup');"),
            ("pressed and let go elsewhere", flies + press + "press('pointerleave');"),
            ("stopped by a wheel that turns across",
             flies + "scroller.dispatchEvent(new WheelEvent('wheel', {deltaY: 100, bubbles: true}));"),
            ("resized on its way", flies + "view.style.width = '500px';"),
            ("resized on its way, of which the answer is lost", f"""
              const {{fetch}} = window;
              let lost = 1;
              window.fetch = async (url, options) => {{
                const answer = await fetch(url, options);
                if (String(url).endsWith("/viewport") && lost-- > 0) throw new TypeError("cut off");
                return answer;
              }};
              {flies}
              view.style.width = '500px';"""),
            ("given another layout on its way", flies + "await view.setLayout({...view.layout, columns: 2});"),
            ("stopped by a hand that takes an item up", flies + """
              const held = hand(view.visibleItems[5].element, x + 300, y + 100);
              held("pointerdown");
              for (let i = 0; i < 100 && !view.querySelector("[data-dragging]"); i++) await wait(25);
              await wait(100);
              held("pointerup");"""),
            ("cancelled", """
              point("pointerdown");
              for (let step = 1; step < 5; step++) point("pointermove", {clientX: x + 600 - 25 * step});
              const between = at();
              point("pointercancel");"""),
            ("not answered where it goes", "let lost = 1;" + loses + fling + "const between = at();"),
            ("not answered for longer than it is asked", "let lost = 4;" + loses + fling + """
              const between = at();
              for (let i = 0; i < 200 && lost >= 0; i++) await wait(50);"""),
            ("held before it is known where it goes", f"""
              const {{fetch}} = window;
              let answer, asked;
              const [held, isAsked] = [new Promise((go) => {{ answer = go; }}), new Promise((go) => {{ asked = go; }})];
              window.fetch = async (url, options) => {{
                if (String(url).endsWith("/snap")) {{ asked(); await held; }}
                return fetch(url, options);
              }};
              {fling}
              await isAsked;
              {press}
              window.fetch = fetch;
              const told = new Promise((go) => view.addEventListener("snap", go, {{once: true}}));
              answer();
              await told;
              press("pointermove", {{clientX: x + 310}});
              const between = at();
              await wait(100);
              if (at() !== between) throw new Error(`held at ${{between}} it goes to ${{at()}}`);
              press("pointerup", {{clientX: x + 310}});"""),
        ):
            self.open("collection=random&layout=pagedGrid")
            between, page = self.browser.eval(VIEW + WAIT + HAND + f"""
              const scroller = view.shadowRoot.querySelector(".scroller");
              const {{x, y}} = view.getBoundingClientRect();
              const {{width}} = view.viewportSize;
              const at = () => view.contentOffset.x;
              const point = hand(view.elementAt(0, 0), x + 600, y + 100);
              {act}
              const page = () => at() / view.viewportSize.width;
              for (let i = 0; i < 40 && (i < 10 || page() % 1); i++) await wait(50);
              await view.idle();
              return [between / width, page()];""")
            expect(0 < between < 1, f"{what}: it was not between two pages, but at {between}")
            expect(page % 1 == 0, f"{what}: it rests at page {page}")
            self.same(what)

    def the_later_wish_counts(self):
        """What is asked where a drag comes to rest is overtaken by who goes elsewhere, or moves what it is about."""
        for what, held, later, page in (
            ("the page scrolls", "/snap", "view.setContentOffset({x: 3 * width, y: 0}, false);", 3),
            ("the page scrolls slowly", "/snap", "view.setContentOffset({x: 3 * width, y: 0});", 3),
            ("a wheel turns", "/snap", """
              scroller.dispatchEvent(new WheelEvent("wheel", {deltaX: 200, bubbles: true}));
              scroller.scrollLeft += 200;
              scroller.dispatchEvent(new Event("scroll"));""", 1),
            ("a wheel turns across", "/snap",
             "scroller.dispatchEvent(new WheelEvent('wheel', {deltaY: 200, bubbles: true}));", 0),
            ("three pages come before it", "/updates", "", 3),
        ):
            self.open("collection=random&layout=pagedGrid")
            at = self.browser.eval(VIEW + WAIT + HAND + """
              const [held] = args;
              const scroller = view.shadowRoot.querySelector(".scroller");
              const {x, y} = view.getBoundingClientRect();
              const {width} = view.viewportSize;
              view.animationDuration = 0;
              const real = window.fetch;
              let answer, asked;
              const [isHeld, isAsked] = [new Promise((go) => { answer = go; }), new Promise((go) => { asked = go; })];
              window.fetch = async (url, options) => {
                const response = await real(url, options);
                if (!String(url).endsWith(held)) return response;
                const {ok, status, headers} = response;
                const text = await response.text();
                asked();
                await isHeld;
                // At once, before the browser says that a wheel has come to rest.
                return {ok, status, headers, text: async () => text};
              };
              const drag = async () => {
                const point = hand(view.elementAt(0, 0), x + 300, y + 100);
                point("pointerdown");
                point("pointermove", {clientX: x + 280});
                point("pointerup", {clientX: x + 280});
              };
              let changed = null;
              if (held === "/updates") {
                const perPage = view.visibleItems.length;
                changed = view.applyUpdates({anchor: "visible", insertItems: [
                  {section: 0, at: 0, items: {
                    ids: Array.from({length: 3 * perPage}, (_, item) => `new${item}`),
                    sizes: Array(3 * perPage).fill([90, 90])}}]});
                await isAsked;
                await drag();
              } else {
                await drag();
                await isAsked;
              }
              """ + later + """
              window.fetch = real;
              answer();
              await changed;
              const at = () => view.contentOffset.x / width;
              for (let i = 0; i < 40 && (i < 12 || at() % 1); i++) await wait(50);
              await view.idle();
              return at();""", held)
            expect(at == page, f"{what}: it rests at page {at} instead of {page}")
            self.same(what)

    def reorder_by_drag(self):
        self.open("collection=random&layout=flow")
        before = self.ids()
        self.browser.eval(VIEW + "window.moved = []; view.addEventListener('reorder', (e) => moved.push(e.detail))")
        tx, ty = self.center(3)
        x, y = self.lift(0)
        for step in range(1, 9):
            self.browser.move(x + (tx - x) * step / 8, y + (ty - y) * step / 8)
            time.sleep(0.03)
        lifted = self.browser.eval("return document.querySelectorAll('[data-dragging]').length")
        expect(lifted == 1, f"{lifted} items are up")
        time.sleep(0.3)
        self.browser.up()
        self.same("after a drag")
        after = self.ids()
        moved = self.browser.eval("return moved")
        expect(len(moved) == 1 and moved[0]["from"] == [0, 0], f"events: {moved}")
        expected = before[1:]
        expected.insert(moved[0]["to"][1], before[0])
        expect(moved[0]["to"][1] > 0 and after == expected[:8], f"{before} became {after} by {moved}")

    def drags_in_what_is_scaled(self):
        """Where a page shows the view larger or smaller, what is under the pointer stays there."""
        for style in ("transform: scale(0.5)", "zoom: 0.5", "zoom: 2"):
            self.open("collection=random&layout=list")
            lifted, away, dragged, way = self.browser.eval(VIEW + WAIT + HAND + """
              view.style.cssText = `position: fixed; width: 300px; height: 300px; transform-origin: 0 0; ${args[0]}`;
              const ids = Array.from({length: 50}, (_, item) => `r${item + 1}`);
              await view.replaceCollection({sections: [{items: {ids, lengths: ids.map(() => 40)}}]});
              await view.setLayout({kind: "list"});
              for (let i = 0; i < 200 && view.viewportSize.height !== 300; i++) await wait(25);
              await view.idle();
              const middle = (element) => {
                const {x, y, width, height} = element.getBoundingClientRect();
                return {x: x + 0.6 * width, y: y + height / 2, height};
              };
              const held = view.elementAt(0, 1);
              const {x, y, height} = middle(held);
              let point = hand(held, x, y);
              point("pointerdown");
              for (let i = 0; i < 40 && !view.querySelector("[data-dragging]"); i++) await wait(25);
              const lifted = view.querySelectorAll("[data-dragging]").length;
              point("pointermove", {clientY: y + 2 * height});
              await view.idle();
              const away = middle(held).y - y - 2 * height;
              point("pointerup", {clientY: y + 2 * height});
              await view.idle();
              const other = view.elementAt(0, 4);
              const from = middle(other);
              point = hand(other, from.x, from.y);
              point("pointerdown");
              for (const way of [10, 60]) point("pointermove", {clientY: from.y - way});
              const way = middle(other).y - from.y;
              point("pointercancel");
              await view.idle();
              return [lifted, away, view.attributesOf(view.elementAt(0, 3))?.id, way];""", style)
            expect(lifted == 1, f"{style}: {lifted} items are up")
            expect(abs(away) <= 1, f"{style}: the item is {away} px from the pointer")
            expect(dragged == "r2", f"{style}: {dragged} is where the item was dropped")
            expect(abs(way + 60) <= 2, f"{style}: dragged by -60 px, the content goes {way}")

    def held_at_an_edge_it_scrolls(self):
        for state, axis in (("layout=flow", "y"), ("layout=list&direction=horizontal", "x")):
            self.open(f"collection=random&{state}")
            edge = self.browser.eval(VIEW + "return view.getBoundingClientRect()[args[0]]", {"x": "right", "y": "bottom"}[axis])
            x, y = self.lift(0)
            for step in range(1, 9):
                part = step / 8
                self.browser.move(*((x + (edge - 12 - x) * part, y) if axis == "x" else (x, y + (edge - 12 - y) * part)))
                time.sleep(0.03)
            offset = self.browser.eval(VIEW + WAIT + """
              for (let i = 0; i < 100 && view.contentOffset[args[0]] < 150; i++) await wait(50);
              return view.contentOffset[args[0]];""", axis)
            expect(offset >= 150, f"at the edge it is at {axis} = {offset}")
            self.browser.up()
            self.same("dropped")
            again = self.browser.eval(VIEW + "return view.contentOffset[args[0]]", axis)
            time.sleep(0.3)
            expect(self.same("at rest")["offset"][axis] == again, "it scrolls without a finger")

    def scrolled_by_others_it_stays_in_the_hand(self):
        """A wheel, or the page, scrolls what is under an item that is up; there it is dropped."""
        for what, scroll in (
            ("a wheel", "view.shadowRoot.querySelector('.scroller').scrollTop += 400;"),
            ("the page", "await view.setContentOffset({x: 0, y: 400}, false);"),
        ):
            self.open("collection=random&layout=list")
            found = self.browser.eval(VIEW + WAIT + HAND + f"""
              const ids = Array.from({{length: 100}}, (_, item) => `r${{item + 1}}`);
              await view.replaceCollection({{sections: [{{items: {{ids, lengths: ids.map(() => 40)}}}}]}});
              await view.setLayout({{kind: "list"}});
              await view.idle();
              const held = view.elementAt(0, 4);
              const middle = () => {{
                const {{y, height}} = held.getBoundingClientRect();
                return y + height / 2;
              }};
              const y = middle();
              const point = hand(held, held.getBoundingClientRect().x + 100, y);
              point("pointerdown");
              for (let i = 0; i < 40 && !view.querySelector("[data-dragging]"); i++) await wait(25);
              await view.idle();
              {scroll}
              for (let i = 0; i < 40 && view.contentOffset.y !== 400; i++) await wait(25);
              await wait(100);
              await view.idle();
              const away = middle() - y;
              point("pointerup");
              await view.idle();
              return [view.contentOffset.y, Math.abs(away) <= 1, view.attributesOf(view.elementAt(0, 14))?.id];""")
            expect(found == [400, True, "r5"], f"{what}: the offset, whether it is in the hand, and who is there: {found}")

    def what_is_dropped_scrolls_nothing(self):
        """Also where the server is slow, and has not been told yet that the page has scrolled."""
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + WAIT + HAND + HELD + """
          const real = window.fetch;
          window.fetch = async (url, options) => {
            const answer = await real(url, options);
            if (/movement/.test(url)) await wait(300);
            return answer;
          };
          point("pointermove", {clientY: y + height});
          view.setContentOffset({x: 0, y: 4000}, false);
          point("pointerup", {clientY: y + height});
          for (let i = 0; i < 100 && view.querySelector("[data-dragging]"); i++) await wait(25);
          window.fetch = real;
          await view.idle();
          return [view.contentOffset.y, view.querySelectorAll("[data-dragging]").length];""")
        expect(found == [4000, 0], f"dropped, it is at, and up are: {found}")
        self.same("dropped far away")

    def what_is_let_go_stays_where_it_was(self):
        """Whoever scrolls on before the server has answered takes along what is in a hand, and nothing else."""
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + WAIT + HAND + HELD + """
          const real = window.fetch;
          let isOpen = false;
          window.fetch = async (url, options) => {
            while (!isOpen) await wait(10);
            return real(url, options);
          };
          point("pointermove", {clientY: y + 1.5 * height});
          point("pointerup", {clientY: y + 1.5 * height});
          view.setContentOffset({x: 0, y: 800}, false);
          const told = new Promise((resolve) => view.addEventListener("reorder", resolve, {once: true}));
          isOpen = true;
          const {detail: {to}} = await told;
          window.fetch = real;
          await view.idle();
          return [`${to}`, view.contentOffset.y];""")
        expect(found == ["0,5", 800], f"dropped it is at, and the view at: {found}")
        self.same("let go, and scrolled")

    def away_from_the_edge_it_stops(self):
        """However much is asked for because it scrolls: the server has to be told that the item is elsewhere."""
        self.open("collection=random&layout=list")
        before, places = self.browser.eval(VIEW + WAIT + HAND + """
          const real = window.fetch;
          window.fetch = async (url, options) => {
            const answer = await real(url, options);
            await wait(60);
            return answer;
          };
          const grip = view.elementAt(0, 1).querySelector("[data-drag-handle]");
          const {x, y} = grip.getBoundingClientRect();
          const {top, bottom} = view.getBoundingClientRect();
          const point = hand(grip, x, y);
          point("pointerdown");
          for (let i = 0; i < 200 && view.contentOffset.y < 100; i++) {
            point("pointermove", {clientY: bottom - 5 - i % 2});
            await wait(30);
          }
          const before = view.contentOffset.y;
          point("pointermove", {clientY: (top + bottom) / 2});
          const places = [];
          for (let i = 0; i < 15 && (i < 2 || places.at(-1) !== places.at(-2)); i++) {
            await wait(200);
            places.push(view.contentOffset.y);
          }
          point("pointerup", {clientY: (top + bottom) / 2});
          window.fetch = real;
          return [before, places];""")
        expect(before >= 100 and places[-1] == places[-2], f"away from the edge it goes on from {before} to {places}")
        self.same("dropped")

    def scrolling_by_the_page_is_told(self):
        """A promise is kept when it is there, or another one has taken its place."""
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + WAIT + """
          const late = wait(2000).then(() => "late");
          const first = view.setContentOffset({x: 0, y: 900}).then(() => "over");
          await wait(60);
          await view.setContentOffset({x: 0, y: 500});
          const {y} = view.contentOffset;
          return [y, await Promise.race([first, late])];""")
        expect(found == [500, "over"], f"it says that it is there at {found}")
        places = self.browser.eval(VIEW + """
          // A wheel stops it where it is, here at once.
          const stopped = view.setContentOffset({x: 0, y: 0});
          view.shadowRoot.querySelector(".scroller").dispatchEvent(new WheelEvent("wheel", {bubbles: true}));
          await stopped;
          const places = [view.contentOffset.y];
          for (const position of ["start", "center", "end"]) {
            await view.scrollToItem(0, 100, position, false);
            await view.idle();
            const {frame} = view.attributesOf(view.elementAt(0, 100));
            places.push(Math.round(100 * (frame.y - view.contentOffset.y) / (view.viewportSize.height - frame.height)));
          }
          return places;""")
        expect(places == [500, 0, 50, 100], f"stopped it is at, and an item is shown at, {places}")

    def an_item_that_is_up_is_nobody_elses(self):
        """Its place, as the server knows it, is scrolled out of view before a tick says all that is visible."""
        self.open("collection=random&layout=list")
        bottom = self.browser.eval(VIEW + "return view.getBoundingClientRect().bottom")
        x, y = self.lift(1)
        self.browser.eval(VIEW + """
          window.real = window.fetch;
          window.fetch = async (url, options) => {
            if (url.toString().endsWith("/scroll")) throw new TypeError("cut off");
            return real(url, options);
          };
          view.dragged = view.querySelector("[data-dragging]");
          view.text = view.dragged.textContent;""")
        self.browser.move(x, bottom - 5)
        found = self.browser.eval(VIEW + WAIT + """
          for (let i = 0; i < 200 && view.contentOffset.y < 1100; i++) await wait(50);
          window.fetch = real;
          await wait(3000);
          const places = [...view.querySelectorAll("[data-index-path]")].map((element) => element.dataset.indexPath);
          return [view.dragged.isConnected, view.dragged.textContent === view.text,
                  view.querySelectorAll("[data-dragging]").length, places.length - new Set(places).size,
                  view.contentOffset.y >= 1100];""")
        self.browser.up()
        expect(found == [True, True, 1, 0, True], f"it is there, itself, one, in no other's place, far: {found}")
        self.same("after a drag across what failed")

    def drags_ask_for_nothing_twice(self):
        """While nothing makes room for it, an item under a finger is asked about, and what is visible is not."""
        self.open("collection=random&layout=list")
        self.browser.eval(VIEW + """
          window.asked = [];
          view.addEventListener("request", ({detail}) => asked.push(`${detail.method} ${detail.url.split("/").pop()}`));""")
        x, y = self.lift(2)
        for step in range(8):
            self.browser.move(x + 4 * step, y)
            self.browser.eval(VIEW + "await view.idle()")
        asked = self.browser.eval("return asked")
        expect(asked[0] == "POST movement" and len(asked) > 4, f"asked: {asked}")
        expect(set(asked[1:]) == {"PATCH movement"}, f"nothing has moved, and asked is {asked}")
        tx, ty = self.center(3)
        for step in range(9):
            self.browser.move(x + (tx - x) * step / 8, y + (ty - y) * step / 8)
            self.browser.eval(VIEW + "await view.idle()")
        self.same("in a drag")
        expect("POST scroll" in self.browser.eval("return asked"), "nobody asks what is visible now")
        self.browser.up()
        self.same("after a drag")

    def reorder_by_keyboard(self):
        self.open("collection=random&layout=flow")
        before = self.ids()
        self.browser.eval(VIEW + "view.elementAt(0, 1).focus()")
        wait = VIEW + "await view.idle(); return view.shadowRoot.querySelector('.live').textContent"
        self.browser.key("Space")
        said = self.browser.eval(wait)
        expect("2 of 600" in said, f"said: {said}")
        self.browser.key("ArrowRight")
        time.sleep(0.2)
        said = self.browser.eval(wait)
        expect("3 of 600" in said, f"said: {said}")
        self.browser.key("ArrowRight")
        time.sleep(0.2)
        self.browser.key("Enter")
        time.sleep(0.3)
        self.same("after keys")
        said = self.browser.eval(wait)
        expect(said == "Dropped at 4 of 600.", f"said: {said}")
        after = self.ids()
        expected = [before[0], before[2], before[3], before[1], *before[4:]]
        expect(after == expected, f"{before} became {after}")
        focus = self.browser.eval(VIEW + "return document.activeElement.dataset.indexPath")
        expect(focus == "0,3", f"the focus is at {focus}")
        # At once, with another key held; there is none to hold here.
        self.browser.eval(VIEW + WAIT + """
          const press = (key, ctrlKey) => document.activeElement.dispatchEvent(
            new KeyboardEvent("keydown", {key, ctrlKey, bubbles: true, composed: true, cancelable: true}));
          window.places = [];
          for (const [key, place, up] of [
            ["ArrowLeft", 2, 1], ["Enter", 2, 0], ["ArrowRight", 3, 1], ["Enter", 3, 0],
          ]) {
            press(key, key !== "Enter");
            const isThere = () =>
              view.currentIndexPath[1] === place && view.querySelectorAll("[data-dragging]").length === up;
            for (let i = 0; i < 60 && !isThere(); i++) await wait(50);
            await view.idle();
            places.push(view.currentIndexPath[1]);
          }""")
        places = self.browser.eval("return places")
        expect(places == [2, 2, 3, 3] and self.ids() == expected, f"with Control it goes to {places}")
        # And not at all, with Escape.
        self.browser.key("Space")
        time.sleep(0.2)
        self.browser.key("ArrowLeft")
        time.sleep(0.2)
        self.browser.key("Escape")
        time.sleep(0.2)
        self.same("after Escape")
        said = self.browser.eval(wait)
        expect(said == "Put back.", f"said: {said}")
        expect(self.ids() == expected, "Escape does not put it back")
        focus = self.browser.eval(VIEW + "return [document.activeElement.dataset.indexPath, `${view.currentIndexPath}`]")
        expect(focus == ["0,3", "0,3"], f"put back, the focus and the current item are {focus}")
        # Keys that come faster than answers count in their order, and what is put back is not moved on.
        for keys, place in (
            ([" ", "ArrowRight", "ArrowRight", "Enter"], 3), (["^ArrowRight", "^ArrowRight", "Enter"], 3),
            ([" ", "ArrowLeft", "Escape"], 1),
        ):
            self.browser.eval(VIEW + WAIT + """
              window.faults = [];
              view.addEventListener("error", ({detail}) => faults.push(String(detail.error)));
              view.elementAt(0, 1).focus();
              for (const name of args[0]) {
                const [key, ctrlKey] = [name.replace("^", ""), name.startsWith("^")];
                document.activeElement.dispatchEvent(
                  new KeyboardEvent("keydown", {key, ctrlKey, bubbles: true, composed: true, cancelable: true}));
                await wait(1);
              }
              for (let i = 0; i < 60 && view.querySelector("[data-dragging]"); i++) await wait(50);
              await view.idle();""", keys)
            self.same("after quick keys")
            ids, faults = self.ids(), self.browser.eval("return faults")
            moved = [*expected[:1], *expected[2:place + 1], expected[1], *expected[place + 1:]]
            expect(not faults, f"quick keys {keys}: {faults}")
            expect(ids == moved, f"quick keys {keys} make {ids} of {expected}")
            expected = moved

    def keyboard_goes_everywhere(self):
        self.open("collection=random&layout=waterfall")
        self.browser.eval(VIEW + "view.elementAt(0, 0).focus()")
        for key, path in (("ArrowRight", "0,1"), ("ArrowDown", None), ("End", "0,599"), ("Home", "0,0")):
            self.browser.key(key)
            time.sleep(0.15)
            self.browser.eval(VIEW + "await view.idle()")
            focus = self.browser.eval("return document.activeElement.dataset.indexPath ?? 'nothing'")
            expect(focus == path if path else focus != "0,1", f"{key} leads to {focus}")
        stops = self.browser.eval(VIEW + "return view.querySelectorAll('[tabindex=\"0\"]').length")
        expect(stops == 1, f"{stops} tab stops")
        # At the end of a line comes the next one, and back.
        self.browser.eval(VIEW + """
          await view.setLayout({kind: "flow", itemSize: {width: 90, height: 90}});
          await view.setContentOffset({x: 0, y: 0}, false);
          await view.idle();
          const top = (item) => view.elementAt(0, item).getBoundingClientRect().top;
          window.start = 1;
          while (top(start) < top(0) + 20) start++;
          view.elementAt(0, start).focus();""")
        start = self.browser.eval("return start")
        for key, item in (("ArrowLeft", start - 1), ("ArrowRight", start)):
            self.browser.key(key)
            time.sleep(0.15)
            self.browser.eval(VIEW + "await view.idle()")
            focus = self.browser.eval("return document.activeElement.dataset.indexPath ?? 'nothing'")
            expect(focus == f"0,{item}", f"at the border of a line, {key} leads to {focus} instead of {item}")
        self.browser.key("Home")
        time.sleep(0.15)
        # Far enough for what has the focus to leave the document, and back.
        for offset in (5000, 0):
            self.browser.eval(VIEW + "await view.setContentOffset({x: 0, y: args[0]}, false); await view.idle()", offset)
            self.same("with the focus")
        focus = self.browser.eval("return document.activeElement.dataset.indexPath ?? 'nothing'")
        expect(focus == "0,0", f"the focus came back to {focus}")
        # Items may be longer than what is seen of them.
        self.browser.eval(VIEW + """
          view.description = {layout: {kind: "list", itemLength: 2000}, collection: {sections: [{items: {count: 9}}]}};
          await new Promise((resolve) => view.addEventListener("ready", resolve, {once: true}));
          await view.idle();
          view.elementAt(0, 0).focus();""")
        for key, path in (("ArrowDown", "0,1"), ("ArrowDown", "0,2"), ("ArrowUp", "0,1")):
            self.browser.key(key)
            time.sleep(0.15)
            self.browser.eval(VIEW + "await view.idle()")
            focus = self.browser.eval("return document.activeElement.dataset.indexPath ?? 'nothing'")
            expect(focus == path, f"from a long item {key} leads to {focus}")

    def keys_turn_pages(self):
        press = VIEW + WAIT + """
          view.elementAt(...args[1]).focus();
          view.elementAt(...args[1]).dispatchEvent(
            new KeyboardEvent("keydown", {key: args[0], bubbles: true, composed: true, cancelable: true}));"""
        for state, part in (("layout=list", 0.9), ("layout=pagedGrid", 1)):
            self.open(f"collection=random&{state}")
            for key, parts in (("PageDown", part), ("PageUp", 0)):
                first = self.browser.eval(VIEW + "return view.visibleItems[0].attributes.indexPath")
                way = self.browser.eval(press + """
                  const axis = args[2] < 1 ? "y" : "x";
                  const length = view.viewportSize[axis === "y" ? "height" : "width"];
                  const way = () => view.contentOffset[axis] - args[3] * length;
                  for (let i = 0; i < 60 && Math.abs(way()) > 1; i++) await wait(50);
                  await view.idle();
                  return way();""", key, first, part, parts)
                expect(abs(way) <= 1, f"{state}: {key} goes {way} px too far")
        # Whoever scrolls elsewhere meanwhile is not brought back.
        page = self.browser.eval(press + """
          const {width} = view.viewportSize;
          await view.setContentOffset({x: 3 * width, y: 0});
          await wait(300);
          await view.idle();
          return view.contentOffset.x / width;""", "PageDown", [0, 0])
        expect(page == 3, f"scrolled to page 3 on the way to the next one it rests at {page}")
        # Sections without items have nothing to go to.
        self.browser.eval(VIEW + """
          const counts = [0, 3, 0, 4, 0];
          view.description = {layout: {kind: "list"}, collection: {sections: counts.map((count) => ({items: {count}}))}};
          await new Promise((resolve) => view.addEventListener("ready", resolve, {once: true}));
          await view.idle();""")
        at = [1, 2]
        for key, path in (("ArrowRight", [3, 0]), ("ArrowLeft", [1, 2]), ("End", [3, 3]), ("Home", [1, 0])):
            at = self.browser.eval(press + """
              for (let i = 0; i < 60 && view.currentIndexPath.join() !== args[2].join(); i++) await wait(50);
              await view.idle();
              return view.currentIndexPath;""", key, at, path)
            expect(at == path, f"{key} leads to {at} instead of {path}")

    @provokes(409)
    def updates_are_animated(self):
        self.open("collection=random&layout=flow")
        before = self.ids(6)
        running, asked, leaving = self.browser.eval(VIEW + """
          const real = window.matchMedia;
          let asked = 0;
          window.matchMedia = (query) => { asked++; return real(query); };
          await view.applyUpdates({
            deleteItems: [{section: 0, start: 2, end: 4}],
            insertItems: [{section: 0, at: 0, items: {ids: ["new"], sizes: [[100, 100]]}}],
          });
          window.matchMedia = real;
          const running = [...view.children].filter((element) => element.getAnimations().length > 0).length;
          const leaving = [view.querySelectorAll("[data-leaving]").length];
          await view.idle();
          return [running, asked, [...leaving, view.querySelectorAll("[data-leaving]").length]];""")
        expect(leaving[0] > 1 and leaving[1] == 0, f"elements that leave, at once and when it is idle: {leaving}")
        expect(running > 5, f"{running} elements are on their way")
        expect(asked < 3, f"for {running} elements the page's motion is asked for {asked} times")
        self.same("after a batch")
        after = self.ids(5)
        expect(after == ["new", before[0], before[1], before[4], before[5]], f"{before} became {after}")
        for _ in range(3):
            # One on top of the other, before the first has ended.
            self.browser.eval("document.getElementById('shuffle').click()")
            time.sleep(0.1)
        self.same("shuffled")
        self.browser.eval("document.getElementById('insert').click(); document.getElementById('delete').click()")
        self.same("by the buttons")
        flying = self.browser.eval(VIEW + """
          await view.setLayout({kind: "waterfall", columnCount: 3});
          return [...view.children].filter((element) => element.getAnimations().length > 0).length;""")
        expect(flying > 5, f"{flying} elements fly to another layout")
        self.same("in another layout")
        fault = self.browser.eval(VIEW + """
          try { await view.applyUpdates({expect: {itemCounts: [1]}}); } catch (error) { return error.status; }""")
        expect(fault == 409, f"a batch that does not fit: {fault}")
        self.same("refused")
        # The page's own animations are not waited for.
        isIdle = self.browser.eval(VIEW + """
          const endless = view.querySelector("[data-kind=cell]").animate(
            [{outlineColor: "red"}, {outlineColor: "blue"}], {duration: 1000, iterations: Infinity});
          const idle = view.idle().then(() => true);
          const late = new Promise((resolve) => setTimeout(resolve, 2000, false));
          const isIdle = await Promise.race([idle, late]);
          endless.cancel();
          return isIdle;""")
        expect(isIdle, "an animation of the page's is waited for")

    def animations_begin_where_things_were(self):
        """On screen, whatever becomes of the offset; and who moves is told so, once."""
        insertion = {"insertItems": [{"section": 0, "at": 0, "items": {"count": 30}}], "anchor": "visible"}
        deletion = {"deleteItems": [{"section": 0, "start": 1, "end": 8}]}
        for what, state, offset, change in (
            ("items come above", "layout=waterfall", (0, 2000), insertion),
            ("items come to the left", "layout=waterfall&direction=horizontal", (2000, 0), insertion),
            ("items go", "layout=flow", (0, 0), deletion),
            ("cards come before", "layout=coverFlow", (900, 0), insertion),
            ("cards on a wheel come before", "layout=wheel", (900, 0), insertion),
            ("another layout comes", "layout=flow", (0, 900), None),
        ):
            self.open(f"{state}&collection=random")
            found = self.browser.eval(VIEW + """
              const [offset, change] = args;
              const wait = new Promise((resolve) => view.addEventListener("ready", resolve, {once: true}));
              const ids = Array.from({length: 300}, (_, item) => `i${item}`);
              view.collection = {sections: [{items: {ids, sizes: ids.map((_, item) => [90 + item % 7 * 9, 60 + item % 5 * 20])}}]};
              await wait;
              await view.setContentOffset({x: offset[0], y: offset[1]}, false);
              await view.idle();
              const boxes = new Map(
                view.visibleItems.map(({element, attributes: {id}}) => [id, element.getBoundingClientRect()]));
              const render = view.renderItem;
              const moved = [];
              view.renderItem = (element, attributes, reuse) => {
                if (boxes.has(attributes.id)) moved.push(`${attributes.id} ${reuse}`);
                render(element, attributes, reuse);
              };
              for (const {items} of change?.insertItems ?? []) {
                items.ids = ids.slice(0, items.count).map((id) => `new ${id}`);
                items.sizes = items.ids.map(() => [100, 80]);
              }
              if (change) await view.applyUpdates(change);
              else await view.setLayout({kind: "waterfall", columnCount: 3});
              for (const animation of document.getAnimations()) {
                animation.pause();
                animation.currentTime = 0;
              }
              let worst = 0;
              const stay = view.visibleItems.filter(({attributes: {id}}) => boxes.has(id));
              for (const {element, attributes: {id}} of stay) {
                const [box, old] = [element.getBoundingClientRect(), boxes.get(id)];
                worst = Math.max(worst, Math.abs(box.x - old.x), Math.abs(box.y - old.y));
              }
              const leaving = view.querySelectorAll("[data-leaving]").length;
              for (const animation of document.getAnimations()) animation.finish();
              await view.idle();
              const expected = stay.filter(({attributes: {id, indexPath}}) => change && id !== `i${indexPath[1]}`);
              const told = moved.filter((each) => each.endsWith(" moved"));
              return {worst, stay: stay.length, leaving, told: told.length, distinct: new Set(told).size,
                expected: expected.length};""", list(offset), change)
            expect(found["stay"] >= 3, f"{what}: only {found} stay")
            expect(found["worst"] <= 1.5, f"{what}: what moves begins {found['worst']} px off")
            expect(found["expected"] <= found["told"] == found["distinct"], f"{what}: those told that they move: {found}")
            expect(found["leaving"] > 0 or change is insertion, f"{what}: nothing is seen to go")
            self.same(what, least=3)

    def what_is_reloaded_is_filled_anew(self):
        """As with a UICollectionView, wherever it is then, and whether it looks otherwise or not."""
        self.open("layout=flow&collection=random")
        told = self.browser.eval(VIEW + """
          const ids = view.visibleItems.map(({attributes: {id}}) => id);
          const told = [];
          const render = view.renderItem;
          view.renderItem = (element, attributes, reuse) => {
            if (reuse === "recycled") told.push(attributes.id);
            render(element, attributes, reuse);
          };
          await view.applyUpdates({
            reloadItems: [{section: 0, start: 1, items: {sizes: [[90, 70], [95, 75]]}}, {section: 0, start: 5, items: {count: 1}}]});
          await view.idle();
          await view.applyUpdates({
            deleteItems: [{section: 0, start: 0, end: 1}],
            reloadItems: [{section: 0, start: 3, items: {sizes: [[90, 70]]}}, {section: 0, start: 590, items: {count: 1}}]});
          await view.idle();
          view.renderItem = render;
          return told.map((id) => ids.indexOf(id)).filter((index) => index >= 0);""")
        expect(told == [1, 2, 5, 3], f"filled anew are {told}")
        self.same("in the end")

    def cards_that_turn_away_leave(self):
        """A card whose box still meets the viewport, and whose angle is beyond it."""
        self.open("layout=wheel")
        leaving = self.browser.eval(VIEW + WAIT + """
          Object.assign(view.style, {width: "375px", height: "812px", position: "fixed", top: 0, left: 0});
          view.description = {collection: {sections: [{items: {count: 40}}]}, layout: {kind: "wheel", radius: 200}};
          for (let i = 0; i < 200 && view.viewportSize.width !== 375; i++) await wait(25);
          await view.idle();
          await view.setContentOffset({x: 2000, y: 0}, false);
          await view.idle();
          const {leaving} = await view.applyUpdates({moveItems: [{from: [0, 5], to: [0, 16]}]});
          await view.idle();
          return leaving;""")
        expect(leaving == [{"kind": "cell", "indexPath": [0, 11]}], f"what leaves is {leaving}")
        self.same("a card has turned away")

    def what_leaves_twice_goes_on_from_where_it_is(self):
        """A layout that follows before another one has come is begun where things are seen."""
        self.open("layout=flow&collection=random")
        stay, leave = self.browser.eval(VIEW + """
          const at = (time) => {
            for (const animation of document.getAnimations()) {
              animation.pause();
              animation.currentTime = time;
            }
          };
          const box = (element) => element.getBoundingClientRect();
          const wait = new Promise((resolve) => view.addEventListener("ready", resolve, {once: true}));
          view.description = {layout: {kind: "flow"}, collection: {sections: [{items: {count: 2000}}]}};
          await wait;
          await view.setContentOffset({x: 0, y: 3000}, false);
          await view.idle();
          view.animationDuration = 5;
          await view.setLayout({kind: "flow", itemSize: {width: 60, height: 60}});
          at(1500);
          const boxes = new Map(view.visibleItems.map(({element}) => [element, box(element)]));
          await view.setLayout({kind: "flow", itemSize: {width: 390, height: 390}});
          at(0);
          const off = (elements) => {
            const known = elements.filter((element) => boxes.has(element));
            return [known.length, Math.max(...known.map((element) => {
              const [now, then] = [box(element), boxes.get(element)];
              return Math.max(Math.abs(now.x - then.x), Math.abs(now.y - then.y));
            }))];
          };
          const found = [off(view.visibleItems.map(({element}) => element)), off([...view.querySelectorAll("[data-leaving]")])];
          for (const animation of document.getAnimations()) animation.finish();
          await view.idle();
          return found;""")
        expect(stay[0] > 0 and leave[0] > 5, f"of what was there stay and leave: {stay}, {leave}")
        expect(stay[1] < 2 and leave[1] < 2, f"pixels that they are off at first: {stay}, {leave}")
        self.same("in the end", least=1)

    def changes_do_not_undo_scrolling(self):
        """What is scrolled while a change is under way, the server has not been told of yet."""
        collection = "{sections: [{items: {ids: Array.from({length: 200}, (_, item) => `i${item + 2}`)}}]}"
        for what, change in (
            ("a batch", "view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]})"),
            ("other data", f"view.replaceCollection({collection})"),
            ("another size", "new Promise((resolve) => { view.style.width = '580px'; setTimeout(resolve, 500); })"),
        ):
            self.open("layout=list&collection=random")
            offset = self.browser.eval(VIEW + WAIT + f"""
              view.description = {{layout: {{kind: "list"}}, collection: {collection.replace("+ 2", "+ 1")}}};
              await new Promise((resolve) => view.addEventListener("ready", resolve, {{once: true}}));
              await view.setContentOffset({{x: 0, y: 1000}}, false);
              await view.idle();
              const real = window.fetch;
              window.fetch = async (url, options) => {{
                const answer = await real(url, options);
                if (/(updates|collection|viewport)$/.test(url)) await wait(300);
                return answer;
              }};
              const changed = {change};
              await wait(150);
              view.shadowRoot.querySelector(".scroller").scrollTop += 300;
              await changed;
              window.fetch = real;
              await view.idle();
              return view.contentOffset.y;""")
            expect(offset == 1300, f"scrolled by 300 from 1000 while {what} came, it is at {offset}")
            self.same(what, least=5)
        # Far away and back: what was out of sight when the answer came is not, where the server knows of.
        self.browser.eval(VIEW + WAIT + """
          const {y} = view.contentOffset;
          const changed = view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]});
          view.setContentOffset({x: 0, y: y + 3000}, false);
          changed.then(() => view.setContentOffset({x: 0, y}, false));
          await changed;
          await view.idle();""")
        self.same("away and back while a batch came", least=5)

    def what_moves_goes_on_in_what_has_changed(self):
        """A hand, or a motion, that goes by where the content was undoes what a change has made of it."""
        self.open("collection=random&layout=list")
        change = "await view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 20}], anchor: 'visible'});"
        before, after, further = self.browser.eval(VIEW + WAIT + HAND + f"""
          await view.setContentOffset({{x: 0, y: 5000}}, false);
          await view.idle();
          const {{x, y}} = view.getBoundingClientRect();
          const point = hand(view.visibleItems[1].element, x + 300, y + 300);
          point("pointerdown");
          point("pointermove", {{clientY: y + 280}});
          await view.idle();
          const places = [view.contentOffset.y];
          {change}
          places.push(view.contentOffset.y);
          point("pointermove", {{clientY: y + 279}});
          places.push(view.contentOffset.y);
          point("pointerup", {{clientY: y + 279}});
          await view.idle();
          return places;""")
        expect(before == 5020 and after < 4000 and further == after + 1, f"dragged from {before}, {after} to {further}")
        self.same("changed in a drag")
        self.open("collection=random&layout=list")
        shown = self.browser.eval(VIEW + WAIT + f"""
          await view.setContentOffset({{x: 0, y: 5000}}, false);
          await view.idle();
          const going = view.scrollToItem(0, 110, "start");
          const {{y}} = view.contentOffset;
          for (let i = 0; i < 100 && view.contentOffset.y === y; i++) await new Promise(requestAnimationFrame);
          {change}
          await going;
          await view.idle();
          return view.visibleItems[0].attributes.indexPath;""")
        expect(shown == [0, 90], f"on the way to what is item 90 now twenty are deleted, and shown is {shown}")
        self.same("changed in a motion")
        self.open("collection=random&layout=pagedGrid")
        page = self.browser.eval(VIEW + WAIT + """
          const perPage = view.visibleItems.length;
          const ids = Array.from({length: 3 * perPage}, (_, item) => `new${item}`);
          await view.applyUpdates({
            insertItems: [{section: 0, at: 0, items: {ids, sizes: ids.map(() => [90, 90])}}], anchor: "visible"});
          // At once, before the browser says that what has been put there is at rest.
          const scroller = view.shadowRoot.querySelector(".scroller");
          scroller.scrollLeft += 10;
          scroller.dispatchEvent(new Event("scroll"));
          const page = () => view.contentOffset.x / view.viewportSize.width;
          for (let i = 0; i < 40 && (i < 12 || page() % 1); i++) await wait(50);
          await view.idle();
          return page();""")
        expect(page == 3, f"three pages have come before, a wheel turns a little, and it goes to page {page}")
        self.same("changed before a wheel")
        self.open("collection=random&layout=list")
        told, offset = self.browser.eval(VIEW + WAIT + """
          await view.setContentOffset({x: 0, y: 5000}, false);
          await view.idle();
          const going = view.setContentOffset({x: 0, y: 6000});
          for (let i = 0; i < 100 && view.contentOffset.y === 5000; i++) await new Promise(requestAnimationFrame);
          const real = window.fetch;
          let told = null;
          window.fetch = async (url, options) => {
            const answer = await real(url, options);
            if (String(url).endsWith("/layout")) told = (await answer.clone().json()).contentOffset.x;
            return answer;
          };
          await view.setLayout({kind: "flow", itemSize: {width: 80, height: 80}, scrollDirection: "horizontal"});
          await going;
          await view.idle();
          window.fetch = real;
          return [told, view.contentOffset.x];""")
        expect(told > 100 and abs(offset - told) < 1, f"another layout on the way is to be shown at {told}, and is at {offset}")
        self.same("another layout in a motion")

    def views_in_views(self):
        """Rows that scroll sideways in a list: a drag moves the one that goes its way, a press lifts one item."""
        self.open("layout=list")
        self.browser.eval(VIEW + """
          view.description = {layout: {kind: "list", itemLength: 200}, collection: {sections: [{items: {count: 50}}]}};
          await new Promise((resolve) => view.addEventListener("ready", resolve, {once: true}));
          await view.idle();
          window.inner = document.createElement("collection-view");
          inner.style.cssText = "display: block; width: 100%; height: 100%";
          inner.reorderable = true;
          inner.description = {
            layout: {kind: "list", scrollDirection: "horizontal", itemLength: 90}, collection: {sections: [{items: {count: 50}}]}};
          const ready = new Promise((resolve) => inner.addEventListener("ready", resolve, {once: true}));
          view.elementAt(0, 0).replaceChildren(inner);
          await ready;
          await inner.idle();""")
        x, y = self.browser.eval("""
          const box = inner.getBoundingClientRect();
          return [box.x + box.width / 2, box.y + box.height / 2];""")
        for what, dx, dy in (("sideways", -160, -12), ("down", 12, -80)):
            self.browser.move(x, y)
            self.browser.down()
            for step in range(1, 17):
                self.browser.move(x + dx * step / 16, y + dy * step / 16)
                time.sleep(0.02)
            # So long it rests that it does not go on by itself.
            time.sleep(0.2)
            expected = [160, 0] if dx < 0 else [160, 80]
            found = self.browser.eval(VIEW + WAIT + """
              const offsets = () => [inner.contentOffset.x, view.contentOffset.y];
              for (let i = 0; i < 60 && offsets().join() !== args[0].join(); i++) await wait(50);
              return offsets();""", expected)
            self.browser.up()
            expect(found == expected, f"dragged {what}: {found}")
            self.browser.eval(VIEW + "await inner.idle(); await view.idle();")
        self.browser.eval(VIEW + "await view.setContentOffset({x: 0, y: 0}, false); await view.idle();")
        self.browser.move(x, y)
        self.browser.down()
        time.sleep(0.6)
        lifted = self.browser.eval(VIEW + """
          await inner.idle();
          return [...document.querySelectorAll("[data-dragging]")].map((element) => element.parentElement === inner);""")
        self.browser.up()
        expect(lifted == [True], f"of views in views a press lifts items in the inner: {lifted}")
        self.browser.eval("await inner.idle()")

    def nothing_piles_up_in_hidden_pages(self):
        self.open("collection=random&layout=flow")
        found = self.browser.eval(VIEW + WAIT + """
          // As in a tab behind others, which headless browsers do not all have.
          Object.defineProperty(document, "hidden", {get: () => true, configurable: true});
          const real = window.requestAnimationFrame;
          window.requestAnimationFrame = () => 1;
          for (let batch = 0; batch < 3; batch++) {
            await view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 5}]});
          }
          const left = view.querySelectorAll("[data-leaving]").length;
          const isThere = await Promise.race([
            view.scrollToItem(0, 300).then(() => view.idle()).then(() => true), wait(2000)]);
          const isShown = view.elementAt(0, 300) !== null;
          window.requestAnimationFrame = real;
          delete document.hidden;
          return [left, isThere, isShown];""")
        expect(found == [0, True, True], f"elements that are leaving, whether it is idle, and shows what it should: {found}")
        self.same("shown again")

    def the_collection_follows_batches(self):
        """What the element would begin another session with, and what it costs to know that."""
        self.open("layout=flow")
        found = self.browser.eval(VIEW + """
          let read = 0;
          const counted = (values) => new Proxy(values, {get: (list, name) => { read++; return list[name]; }});
          const ids = (name, count) => Array.from({length: count}, (_, item) => `${name}${item}`);
          const section = (name) =>
            ({items: {ids: counted(ids(name, 1000)), sizes: counted(Array(1000).fill([100, 20]))}});
          view.collection = {sections: [section("a"), section("b")]};
          await new Promise((resolve) => view.addEventListener("ready", resolve, {once: true}));
          view.animationDuration = 0;
          let state = 1;
          const random = (below) => {
            state = state * 48271 % 2147483647;
            return state % below;
          };
          read = 0;
          for (let round = 0; round < 12; round++) {
            const [start, from] = [random(900), random(900)];
            await view.applyUpdates({
              deleteItems: [{section: 0, start: start + 9, end: start + 11}, {section: 0, start, end: start + 4}],
              insertItems: [
                {section: 1, at: from + 5, items: {ids: ids(`c${round}-`, 3), sizes: [[100, 30], [100, 40], [100, 50]]}},
              ],
              moveItems: [
                {from: [1, from], to: [0, start]}, {from: [1, from + 1], to: [1, from + 9]},
                {from: [0, start + 5], to: [1, 0]},
              ],
            });
          }
          const readByBatches = read;
          const known = view.collection.sections.map(({items}) => items);
          const wrong = [];
          for (const section of [0, 1]) {
            for (let item = random(9); item < 900; item += known[section].ids[item + 1].startsWith("c") ? 1 : random(40)) {
              const {attributes} = await (await fetch(`${view.sessionURL}/attributes/cell/${section}/${item}`)).json();
              const {ids, sizes} = known[section];
              if (ids[item] !== attributes.id || sizes[item][1] !== attributes.frame.height) wrong.push([section, item]);
            }
          }
          return {readByBatches, wrong, counts: view.itemCounts, known: known.map(({ids}) => ids.length)};""")
        expect(found["known"] == found["counts"] and not found["wrong"],
               f"another session would be begun with something else: {found}")
        expect(found["readByBatches"] < 100, f"batches have {found['readByBatches']} of 4000 values read")

    def the_collection_follows_all_that_batches_do(self):
        """To sections, and to items in whatever words they are described."""
        self.open("layout=flow")
        size = {"width": 30, "height": 40}
        wrong = self.browser.eval(VIEW + """
          const [size, batches] = args;
          view.layout = {kind: "flow"};
          view.collection = {sections: [
            {items: {count: 9, size}}, {id: "b", items: {ids: [..."abcdef"], size}, header: {width: 0, height: 20}},
            {items: {lengths: [10, 20, 30, 40, 50]}}, {}, {items: {ids: [..."uvwxyz"]}},
          ]};
          await new Promise((resolve) => view.addEventListener("ready", resolve, {once: true}));
          view.animationDuration = 0;
          const wrong = [];
          const all = async (url) => (await (await fetch(`${url}/attributes?x=0&y=0&width=9999&height=99999`)).json()).attributes;
          for (const batch of batches) {
            await view.applyUpdates(batch);
            const {collection, layout, viewportSize: viewport} = view;
            const answer = await fetch("/v1/sessions", {
              method: "POST", headers: {"Content-Type": "application/json"},
              body: JSON.stringify({collection, layout, viewport})});
            const url = `/v1/sessions/${(await answer.json()).id}`;
            const [here, there] = [await all(view.sessionURL), await all(url)];
            if (here.length < 10 || JSON.stringify(here) !== JSON.stringify(there)) wrong.push(JSON.stringify(batch));
            await fetch(url, {method: "DELETE"});
          }
          return wrong;""", size, [
            {"deleteItems": [{"section": 0, "start": 2, "end": 4}]},
            {"insertItems": [{"section": 0, "at": 1, "items": {"count": 3, "size": size}}],
             "moveItems": [{"from": [0, 0], "to": [0, 4]}]},
            # The last of what was a section of no items, and of what is described otherwise.
            {"insertItems": [{"section": 3, "at": 0, "items": {"aspectRatios": [1, 2]}}]},
            {"deleteItems": [{"section": 3, "start": 0, "end": 2}],
             "insertItems": [{"section": 3, "at": 0, "items": {"ids": ["1", "2", "3"], "sizes": [[9, 9], [9, 8], [8, 9]]}}]},
            {"reloadItems": [{"section": 3, "start": 1, "items": {"sizes": [[20, 20]]}},
                             {"section": 2, "start": 3, "items": {"lengths": [33, 44]}}],
             "deleteItems": [{"section": 2, "start": 0, "end": 1}, {"section": 2, "start": 2, "end": 2}]},
            {"deleteSections": [2], "moveSections": [{"from": 4, "to": 0}, {"from": 1, "to": 3}],
             "insertSections": [{"at": 1, "section": {"items": {"count": 2, "size": size}}},
                                {"at": 5, "section": {"items": {"ids": ["s", "t"], "sizes": [[5, 5], [6, 6]]}}}],
             "reloadSections": [{"at": 0, "section": {"items": {"count": 4}, "footer": {"width": 0, "height": 9}}}],
             "moveItems": [{"from": [1, 4], "to": [3, 0]}],
             "deleteItems": [{"section": 4, "start": 0, "end": 2}, {"section": 1, "start": 0, "end": 1}],
             "insertItems": [{"section": 0, "at": 1, "items": {"ids": ["U", "V"]}}]},
            {"moveItems": [{"from": [4, 0], "to": [5, 1]}, {"from": [5, 1], "to": [4, 2]}],
             # What is nothing may be anywhere.
             "insertItems": [{"section": 99, "at": 9, "items": {"count": 0}}]},
            {"deleteSections": [5, 0]},
          ])
        expect(not wrong, f"another session would be begun with something else after {wrong}")

    @provokes(404, 412)
    def lost_sessions_are_made_again(self):
        self.open("collection=random&layout=waterfall")
        self.browser.eval(VIEW + """
          await view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 3}]});
          await view.idle();
          await fetch(view.sessionURL, {method: "DELETE"});
          await view.setContentOffset({x: 0, y: 900}, false);
          await view.idle();""")
        self.same("in a new session")
        counts = self.browser.eval(VIEW + "return view.itemCounts")
        expect(counts == [597], f"{counts} items")
        # Another client's changes are seen.
        self.browser.eval(VIEW + """
          await fetch(`${view.sessionURL}/updates`, {
            method: "POST", headers: {"Content-Type": "application/json"},
            body: JSON.stringify({deleteItems: [{section: 0, start: 0, end: 97}]}),
          });
          await view.setContentOffset({x: 0, y: 1200}, false);
          await view.idle();""")
        self.same("after somebody else's change")
        sizes = self.browser.eval(VIEW + """
          return [view.contentSize.height, (await (await fetch(view.sessionURL)).json()).contentSize.height];""")
        expect(sizes[0] == sizes[1], f"the content's height is {sizes[1]}, and here {sizes[0]}")
        fault = self.browser.eval(VIEW + """
          await fetch(`${view.sessionURL}/updates`, {
            method: "POST", headers: {"Content-Type": "application/json"},
            body: JSON.stringify({insertItems: [{section: 0, at: 0, items: {count: 0}}], deleteItems: [{section: 0, start: 499, end: 500}]}),
          });
          try { await view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]}); } catch (error) { return error.status; }""")
        expect(fault == 412, f"a batch for another version: {fault}")
        self.same("after it was refused")
        counts = self.browser.eval(VIEW + "return view.itemCounts")
        expect(counts == [499], f"{counts} items")
        # What is shorter now than where it was scrolled to shows its end.
        self.browser.eval(VIEW + """
          await view.setContentOffset({x: 0, y: 1e6}, false);
          await view.idle();
          await fetch(`${view.sessionURL}/updates`, {
            method: "POST", headers: {"Content-Type": "application/json"},
            body: JSON.stringify({deleteItems: [{section: 0, start: 100, end: 499}]}),
          });
          view.shadowRoot.querySelector(".scroller").scrollTop -= 1;
          await new Promise(requestAnimationFrame);
          await view.idle();""")
        self.same("after somebody else's deletions")
        counts = self.browser.eval(VIEW + "return view.itemCounts")
        expect(counts == [100], f"{counts} items")

    @provokes(502)
    def what_others_did_is_learnt_later(self):
        """If the question what it was fails."""
        self.open("collection=random&layout=list")
        failures, counts = self.browser.eval(VIEW + WAIT + """
          const real = window.fetch;
          let failures = 0;
          window.fetch = async (url, options) => {
            if (url !== view.sessionURL || options?.method !== "GET" || failures > 0) return real(url, options);
            failures++;
            return new Response("<h1>", {status: 502});
          };
          await real(`${view.sessionURL}/updates`, {
            method: "POST", headers: {"Content-Type": "application/json"},
            body: JSON.stringify({deleteItems: [{section: 0, start: 0, end: 100}]})});
          await view.setContentOffset({x: 0, y: 1000}, false);
          for (let i = 0; i < 100 && view.itemCounts[0] === 600; i++) await wait(50);
          await view.idle();
          window.fetch = real;
          return [failures, view.itemCounts];""")
        expect((failures, counts) == (1, [500]), f"after {failures} failures there are {counts} items")
        self.same("after somebody else's change")
        # Or if they did something else in between.
        changes = self.browser.eval(VIEW + """
          const real = window.fetch;
          const changes = [];
          window.fetch = async (url, options) => {
            const name = `${options.method} ${url === view.sessionURL ? "summary" : String(url).split("/").pop()}`;
            if (["POST scroll", "GET summary"].includes(name) && !changes.includes(name)) {
              changes.push(name);
              await real(`${view.sessionURL}/updates`, {
                method: "POST", headers: {"Content-Type": "application/json"},
                body: JSON.stringify({deleteItems: [{section: 0, start: 0, end: 1}]})});
            }
            return real(url, options);
          };
          // After it everything is asked for.
          await view.setLayout({...view.layout, itemSpacing: 3});
          await view.idle();
          window.fetch = real;
          return changes;""")
        expect(changes == ["POST scroll", "GET summary"], f"changes by others came before {changes}")
        self.same("after two changes by others")
        # Or if ours is about an item that they have put into another's place.
        self.browser.eval(VIEW + """
          const post = (body) => fetch(`${view.sessionURL}/updates`, {
            method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});
          const items = (length) => ({ids: ["theirs"], sizes: [[length, length]]});
          await view.setContentOffset({x: 0, y: 0}, false);
          await view.idle();
          await post({
            deleteItems: [{section: 0, start: 0, end: view.itemCounts[0]}], insertItems: [{section: 0, at: 0, items: items(50)}]});
          await view.replaceCollection({sections: [{items: items(60)}]});
          await view.idle();""")
        self.same("after a change by others of what ours is about", least=1)
        # Or if ours is about a section that they have made.
        counts = self.browser.eval(VIEW + """
          await view.replaceCollection({sections: [{items: {count: 2}}, {items: {count: 3}}]});
          await fetch(`${view.sessionURL}/updates`, {
            method: "POST", headers: {"Content-Type": "application/json"},
            body: JSON.stringify({insertSections: [{at: 2, section: {items: {count: 3}}}]})});
          await view.setLayout({...view.layout, itemSpacing: 4});
          await view.idle();
          await view.applyUpdates({insertItems: [{section: 2, at: 0, items: {count: 2}}]});
          await view.idle();
          return view.itemCounts;""")
        expect(counts == [2, 3, 5], f"after a batch about a section of others there are {counts} items")
        self.same("after a batch about a section of others", least=4)

    @provokes(404)
    def sessions_are_given_back(self):
        """Servers have room for so many: each is deleted when nobody needs it, with what the page says of itself."""
        self.open("collection=random&layout=list")
        begun, deleted = self.browser.eval(VIEW + WAIT + """
          const real = window.fetch;
          const [begun, deleted] = [[`${view.sessionURL} mine`], []];
          let late = 0;
          window.fetch = async (url, options) => {
            if (options?.method === "DELETE") deleted.push(`${url} ${options.headers["X-Page"]}`);
            const answer = await real(url, options);
            if (String(url).endsWith("/v1/sessions")) {
              begun.push(`${url}/${(await answer.clone().json()).id} mine`);
              await wait(late);
            }
            return answer;
          };
          view.headers = () => ({"X-Page": "mine"});
          const begin = async (count) => {
            for (let i = 0; i < 100 && !(view.sessionURL && begun.length === count); i++) await wait(25);
            await view.idle();
          };
          view.collection = {sections: [{items: {count: 90}}]};
          await begin(2);
          for (const name of ["pagehide", "pageshow"]) dispatchEvent(new PageTransitionEvent(name, {persisted: true}));
          await begin(3);
          const end = async (count) => { for (let i = 0; i < 200 && deleted.length < count; i++) await wait(25); };
          const main = view.parentNode;
          view.remove();
          await end(3);
          main.append(view);
          await begin(4);
          // The element may be gone for good when the answer comes.
          late = 1500;
          view.collection = {sections: [{items: {count: 80}}]};
          await wait(100);
          view.remove();
          await end(5);
          window.fetch = real;
          return [begun, deleted];""")
        expect(len(begun) == 5 and deleted == begun, f"begun: {begun}, deleted: {deleted}")

    @provokes(404)
    def other_sessions_begin_with_what_is_known(self):
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + WAIT + """
          const of = (...ids) => ({sections: [{items: {ids}}]});
          const begin = async (collection) => {
            const before = view.sessionURL;
            view.collection = collection;
            for (let i = 0; i < 200 && view.sessionURL === before; i++) await wait(25);
            await view.idle();
          };
          const lose = async () => {
            await fetch(view.sessionURL, {method: "DELETE"});
            await view.scrollToItem(0, 0, "start", false);
            await view.idle();
            return view.visibleItems.map(({attributes}) => attributes.id).join(" ");
          };
          const found = [];
          let made = 0;
          await begin(async () => of("made", `${++made}`));
          found.push(await lose());
          await begin(of("a"));
          await view.replaceCollection(of("b", "c"));
          found.push(await lose());
          await begin(of("d", "e"));
          await view.applyUpdates({
            insertSections: [{at: 0, section: {items: {ids: ["f"]}}}], deleteItems: [{section: 0, start: 0, end: 1}]});
          found.push(await lose());
          // It does not follow what has to be described in two ways, not by half either, nor what comes after that.
          const size = {width: 50, height: 50};
          await begin(of("g", "h"));
          for (const batch of [
            {insertItems: [{section: 0, at: 1, items: {ids: ["i"], size}}], insertSections: [{at: 1, section: {items: {ids: ["j"]}}}]},
            {deleteItems: [{section: 1, start: 0, end: 1}]}, {deleteItems: [{section: 0, start: 0, end: 1}]},
          ]) await view.applyUpdates(batch);
          found.push(await lose());
          await view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]});
          found.push(await lose());
          // Of a server that has no session, whatever it has begun, nobody asks for ever.
          const real = window.fetch;
          made = 0;
          window.fetch = async (url, options) => {
            if (String(url).endsWith("/v1/sessions")) made++;
            return made < 5 && String(url).includes("/scroll-offset?")
              ? new Response('{"type": "/problems/no-such-session"}', {status: 404}) : real(url, options);
          };
          await view.scrollToItem(0, 0).catch(({status}) => found.push(status));
          window.fetch = real;
          return [...found, made];""")
        expect(found == ["made 2", "b c", "f e", "g h", "h", 404, 1], f"they begin with, and in vain: {found}")

    @provokes(404)
    def what_makes_collections_may_fail(self):
        """A page asks somebody else for its data, who may be away when a session is to be begun again."""
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + WAIT + """
          let failures = 0;
          view.collection = async () => {
            if (failures-- > 0) throw new Error("not yet");
            return {sections: [{items: {ids: Array.from({length: 90}, (_, item) => `i${item}`)}}]};
          };
          const told = [];
          view.addEventListener("error", ({detail}) => told.push([detail.error.message, detail.status]));
          await new Promise((resolve) => view.addEventListener("ready", resolve, {once: true}));
          await view.idle();
          const found = [];
          for (const act of [
            () => view.scrollToItem(0, 9).catch(({message}) => found.push(message)),
            () => view.setContentOffset({x: 0, y: 500}, false),
          ]) {
            await fetch(view.sessionURL, {method: "DELETE"});
            failures = 1;
            await act();
            for (let i = 0; i < 200 && !(failures < 0 && view.sessionURL); i++) await wait(50);
            await view.idle();
            found.push(view.sessionURL !== null);
          }
          return [found, told];""")
        expect(found == [["not yet", True, True], [["not yet", 0]]], f"asked, begun again, and told: {found}")
        self.same("begun again", least=5)
        # And if it is to come after one that is shown.
        counts = self.browser.eval(VIEW + WAIT + """
          let failures = 1;
          view.collection = async () => {
            if (failures-- > 0) throw new Error("not yet");
            return {sections: [{items: {count: 50}}]};
          };
          for (let i = 0; i < 200 && view.itemCounts[0] !== 50; i++) await wait(50);
          await wait(2500);
          await view.idle();
          return [view.itemCounts, failures];""")
        expect(counts == [[50], -1], f"another collection that is there later: items, and failures left: {counts}")
        self.same("another collection", least=5)

    @provokes(412, 422)
    def refusals_are_no_dead_ends(self):
        """What another's change has made impossible is possible at once; what is only tried changes nothing."""
        self.open("collection=random&layout=list")
        before = self.ids()
        found = self.browser.eval(VIEW + """
          const {collection} = view;
          const first = {deleteItems: [{section: 0, start: 0, end: 1}]};
          const tried = await view.applyUpdates({...first, dryRun: true});
          const found = [tried.sections[0].itemCount, view.itemCounts[0], view.version, view.collection === collection];
          await fetch(`${view.sessionURL}/updates`, {
            method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(first)});
          const {status, version} = await view.applyUpdates(first).catch(({status}) => view.applyUpdates(first));
          return [...found, status ?? version];""")
        expect(found == [599, 600, 1, True, 3], f"tried, unchanged, and the version in the end: {found}")
        self.same("after two changes")
        expect(self.ids(6) == before[2:], f"{before} became {self.ids(6)}")
        # A refusal stays one, whatever comes of the look at what has changed.
        found = self.browser.eval(VIEW + """
          const real = window.fetch;
          const last = (count) => ({deleteItems: [{section: 0, start: count - 1, end: count}]});
          await real(`${view.sessionURL}/updates`, {
            method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(last(598))});
          let isLost = false;
          window.fetch = async (url, options) => {
            if (isLost || url !== view.sessionURL || options?.method !== "GET") return real(url, options);
            isLost = true;
            return new Response("<h1>", {status: 502});
          };
          const {collection} = view;
          const {status} = await view.applyUpdates(last(598)).catch((error) => error);
          window.fetch = real;
          const isKept = view.collection === collection;
          await view.applyUpdates(last(597)).catch(() => view.applyUpdates(last(597)));
          return [isLost, status, isKept, view.itemCounts[0]];""")
        expect(found == [True, 412, True, 596], f"refused, and then: {found}")
        # Of layouts that are refused one after the other none is left.
        kinds = self.browser.eval(VIEW + WAIT + """
          const refused = new Promise((resolve) => {
            const told = [];
            view.addEventListener("error", ({detail}) => { if (told.push(detail.status) === 2) resolve(told); });
          });
          const {kind} = view.layout;
          view.layout = {kind: "flow", columns: 3};
          view.layout = {kind: "flow", rows: 3};
          return [...await refused, kind, view.layout.kind];""")
        expect(kinds == [422, 422, "list", "list"], f"refused, before, and after: {kinds}")
        self.same("after refused layouts")
        # Nor is a collection lost that was to begin with one.
        found = self.browser.eval(VIEW + WAIT + """
          view.collection = {sections: [{items: {ids: ["a", "b"]}}]};
          view.layout = {kind: "flow", columns: 3};
          for (let i = 0; i < 100 && !(view.sessionURL && view.itemCounts[0] === 2); i++) await wait(25);
          await view.idle();
          return [view.layout.kind, view.visibleItems.map(({attributes}) => attributes.id)];""")
        expect(found == ["list", ["a", "b"]], f"begun with a refused layout, it shows {found}")
        self.same("begun again")

    def pages_are_told_what_to_load(self):
        """All that answers say of it, in their order, once."""
        self.open("collection=random&layout=list")
        said, heard, reach = self.browser.eval(VIEW + """
          const real = window.fetch;
          const [said, heard] = [[], []];
          window.fetch = async (url, options) => {
            const answer = await real(url, options);
            const name = String(url).split("/").pop();
            // Another session knows nothing of what was asked for before.
            const {prefetch = [], cancelPrefetch = [], reset = name === "sessions"} =
              await answer.clone().json().catch(() => ({}));
            if (prefetch.length || reset) said.push([name, "prefetch", prefetch, reset]);
            if (cancelPrefetch.length) said.push([name, "cancelprefetch", cancelPrefetch, false]);
            return answer;
          };
          for (const name of ["prefetch", "cancelprefetch"]) {
            view.addEventListener(name, ({detail: {ranges, reset}}) => heard.push([name, ranges, reset]));
          }
          let reach = null;
          view.addEventListener("request", ({detail: {body}}) => reach ??= body?.prefetch ?? null);
          view.prefetch = {ahead: 3, behind: 1};
          await new Promise((resolve) => view.addEventListener("ready", resolve, {once: true}));
          await view.idle();
          for (const y of [600, 3000, 3100]) {
            await view.setContentOffset({x: 0, y}, false);
            await view.idle();
          }
          await view.setLayout({...view.layout, itemSpacing: 9});
          await view.idle();
          await view.applyUpdates({deleteItems: [{section: 0, start: 26, end: 600}]});
          await view.replaceCollection({sections: [{items: {ids: ["r70", "r71"]}}]});
          await view.idle();
          window.fetch = real;
          return [said, heard, reach];""")
        kinds = {(name, event) for name, event, _, _ in said}
        expected = {("sessions", "prefetch"), ("scroll", "prefetch")}
        expected |= {(name, "cancelprefetch") for name in ("scroll", "updates", "collection")}
        expect(expected <= kinds and any(reset for *_, reset in said), f"answers say {said}")
        expect(heard == [each[1:] for each in said], f"answers say {said}, and the page is told {heard}")
        expect(reach == {"ahead": 3, "behind": 1}, f"asked for is {reach}")

    def sources_say_what_pages_do_not(self):
        self.open("collection=random&layout=flow")
        for layout in (None, "waterfall"):
            found = self.browser.eval(VIEW + """
              const real = window.fetch;
              const source = {collection: {sections: [{items: {count: 90}}]}, layout: {kind: "list"}, prefetch: {ahead: 2, behind: 0}};
              window.fetch = (url, options) => String(url).endsWith("/own.json")
                ? Promise.resolve(new Response(JSON.stringify(source))) : real(url, options);
              const other = document.createElement("collection-view");
              other.style.cssText = "width: 600px; height: 500px";
              if (args[0]) other.setAttribute("layout", args[0]);
              const begun = new Promise((resolve) => other.addEventListener("request", ({detail}) => resolve(detail.body)));
              view.remove();
              document.body.append(other);
              other.src = "/own.json";
              const {layout, prefetch} = await begun;
              await other.idle();
              // Another one has its own say.
              source.prefetch = {ahead: 0.5, behind: 1};
              const again = new Promise((resolve) => other.addEventListener("ready", resolve, {once: true}));
              other.src = "/another/own.json";
              await again;
              await other.idle();
              window.fetch = real;
              return [layout.kind, other.layout.kind, prefetch, other.prefetch];""", layout)
            kind = layout or "list"
            expect(found == [kind, kind, {"ahead": 2, "behind": 0}, {"ahead": 0.5, "behind": 1}],
                   f"of a source and another one, with the attribute {layout}: {found}")
            self.same("from a source")

    @provokes(404)
    def servers_can_be_changed(self):
        with server(self.program, "--cors-origin", self.shop) as url:
            self.browser.goto(f"{self.shop}/?width=768")
            self.settle()
            at, left = self.browser.eval(VIEW + WAIT + """
              let begun = null;
              view.addEventListener("ready", ({detail}) => { begun = detail.url; });
              const before = view.sessionURL;
              view.server = args[0];
              for (let i = 0; i < 200 && !begun; i++) await wait(25);
              await view.idle();
              // The one before is given back where it was.
              for (let i = 0; i < 100 && (await fetch(before)).ok; i++) await wait(25);
              return [begun, (await fetch(before)).status];""", url)
            expect(left == 404, f"asked for the session before, its server says {left}")
            expect(at and at.startswith(f"{url}/v1/sessions/"), f"the session is {at}, and the server {url}")
            self.same("from another server")

    def pages_fill_elements_in(self):
        """What is new is empty, what is recycled is not; what a page throws is told, and stops nothing."""
        self.open("collection=random&layout=list")
        self.browser.eval(VIEW + """
          const other = document.createElement("collection-view");
          other.style.cssText = "width: 600px; height: 500px";
          const [seen, told] = [new Set(), []];
          other.renderItem = (element, {id}, reuse) => {
            seen.add(`${element.firstChild ? "filled" : "empty"} ${reuse}`);
            element.textContent = id;
            if (id === "r3" && told.length === 0) throw new Error("not this one");
          };
          other.addEventListener("error", ({detail}) => told.push(detail.error.message));
          const {description, server} = view;
          Object.assign(other, {description, server});
          Object.assign(window, {seen, told});
          view.replaceWith(other);""")
        self.settle()
        self.same("filled in at first", least=5)
        found = self.browser.eval(VIEW + """
          for (const y of [2000, 0]) {
            await view.setContentOffset({x: 0, y}, false);
            await view.idle();
          }
          return [[...seen].sort(), told];""")
        expect(found == [["empty new", "filled recycled"], ["not this one"]], f"filled in, and told: {found}")
        self.same("filled in")

    def who_comes_late_fills_in_all(self):
        """A page's own script may be there when the first screen is; what the page's server has drawn stays."""
        def start():
            self.open("collection=random&layout=list")
            self.browser.eval(VIEW + """
              const other = document.createElement("collection-view");
              other.style.cssText = "width: 600px; height: 500px";
              const {description, server} = view;
              Object.assign(other, {description, server});
              view.replaceWith(other);""")
            self.settle()

        start()
        found = self.browser.eval(VIEW + """
          await view.setContentOffset({x: 0, y: 2000}, false);
          await view.idle();
          const seen = new Set();
          view.renderItem = (element, {id}, reuse) => {
            seen.add(`${element.firstChild ? "filled" : "empty"} ${reuse}`);
            if (reuse === "new") element.append(document.createElement("b"));
            element.firstChild.textContent = id;
          };
          const shown = view.visibleItems.length;
          const bold = view.visibleItems.filter(({element}) => element.firstChild.localName === "b").length;
          for (const y of [6000, 0]) {
            await view.setContentOffset({x: 0, y}, false);
            await view.idle();
          }
          return [bold > 0 && bold === shown, [...seen].sort()];""")
        expect(found == [True, ["empty new", "filled recycled"]], f"filled in by who comes late: {found}")
        self.same("filled in by who comes late", least=5)
        kept = self.browser.eval(VIEW + """
          const texts = () => view.visibleItems.map(({element}) => element.innerHTML).join();
          const before = texts();
          view.renderItem = (element, {id}, reuse) => { element.innerHTML = `<i>${id} ${reuse}</i>`; };
          return before === texts();""")
        expect(kept, "what one function has filled in is filled in by the next")
        start()
        seen = self.browser.eval(VIEW + WAIT + """
          view.animationDuration = 0.3;
          await view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 3}]});
          const left = view.querySelectorAll("[data-leaving]").length;
          const seen = new Set();
          view.renderItem = (element, {id}, reuse) => {
            seen.add(element.childNodes.length ? `filled ${reuse}` : reuse);
            element.innerHTML = `<i>${id}</i>`;
          };
          await view.idle();
          view.style.height = "900px";
          for (let i = 0; i < 200 && view.viewportSize.height !== 900; i++) await wait(25);
          await view.idle();
          return [left, [...seen]];""")
        expect(seen == [3, ["new"]], f"what leaves, and what is given to the one that is set meanwhile: {seen}")
        self.browser.goto(f"{self.shop}/?width=768")
        self.settle()
        kept = self.browser.eval(VIEW + """
          const before = view.elementAt(0, 0).firstChild;
          view.renderItem = (element) => { element.textContent = "x"; };
          return view.elementAt(0, 0).firstChild === before;""")
        expect(kept, "what the page's server has drawn is filled in again")

    @provokes(404, 412)
    def what_has_no_id_is_filled_in_anew(self):
        """Where nothing tells that an element shows another item than that of its place."""
        self.open("collection=random&layout=list")
        seen = self.browser.eval(VIEW + WAIT + HAND + """
          let data;
          const named = (name) => Array.from({length: 50}, (_, item) => `${name}${item}`);
          view.renderItem = (element, {kind, indexPath: [section, item]}, reuse) => {
            if (reuse !== "moved") element.textContent = kind === "cell" ? data[item] : data.length;
          };
          const show = async (name) => {
            data = named(name);
            view.collection = {sections: [{items: {lengths: data.map(() => 40)}, header: {width: 0, height: 20}}]};
            await ready();
            await view.idle();
          };
          const wrong = () => view.visibleItems.filter(({element, attributes: {kind, indexPath}}) =>
            element.textContent !== String(kind === "cell" ? data[indexPath[1]] : data.length)).length;
          const seen = {};
          await show("a");
          await show("b");
          seen["another collection"] = wrong();
          const real = window.fetch;
          let lost = 1;
          window.fetch = async (url, options) => {
            const answer = await real(url, options);
            if (String(url).endsWith("/updates") && lost-- > 0) throw new TypeError("cut off");
            return answer;
          };
          data.shift();
          await view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]});
          await view.idle();
          window.fetch = real;
          seen["a batch whose answer is lost"] = wrong();
          const lift = async (putBack) => {
            const element = view.elementAt(0, 1);
            const {x, y} = element.getBoundingClientRect();
            const point = hand(element, x + 9, y + 9);
            point("pointerdown");
            for (let i = 0; i < 100 && !view.querySelector("[data-dragging]"); i++) await wait(25);
            await view.idle();
            point("pointermove", {clientY: y + 100});
            await view.idle();
            seen["an item that is up"] = Number(wrong() === 0);
            await putBack(element, point, y);
            for (let i = 0; i < 100 && view.querySelector("[data-dragging]"); i++) await wait(25);
            await view.idle();
            point("pointerup");
          };
          await lift((element) => element.dispatchEvent(
            new KeyboardEvent("keydown", {key: "Escape", bubbles: true, composed: true, cancelable: true})));
          seen["an item that is put back"] = wrong();
          await lift(async (element, point, y) => {
            await fetch(view.sessionURL, {method: "DELETE"});
            point("pointermove", {clientY: y + 90});
          });
          seen["a session that is lost in a drag"] = wrong();
          await lift(async (element, point) => {
            const handle = view.elementAt(0, 4);
            handle.dataset.dragHandle = "";
            const {y} = handle.getBoundingClientRect();
            const next = hand(handle, 30, y + 9);
            // Before anything is asked about what has been put back.
            const begun = new Promise((resolve) => new MutationObserver((_, observer) => {
              observer.disconnect();
              next("pointerdown");
              resolve(view.querySelectorAll("[data-dragging]").length);
            }).observe(element, {attributes: true, attributeFilter: ["data-dragging"]}));
            element.dispatchEvent(
              new KeyboardEvent("keydown", {key: "Escape", bubbles: true, composed: true, cancelable: true}));
            seen["an item that is lifted at once when another is put back"] = await begun - 1;
            await view.idle();
            next("pointermove", {clientY: y + 60});
            await view.idle();
            data.splice(5, 0, ...data.splice(4, 1));
            next("pointerup");
            delete handle.dataset.dragHandle;
          });
          seen["an item that is put back while the next is lifted"] = wrong();
          // Somebody else's change comes before ours.
          const first = JSON.stringify({deleteItems: [{section: 0, start: 0, end: 1}]});
          for (const [what, change] of [
            ["another batch", () => view.applyUpdates(JSON.parse(first)).catch(() => {})],
            ["another size", async () => {
              view.style.width = "500px";
              for (let i = 0; i < 100 && view.contentSize.width !== 500; i++) await wait(25);
            }],
            ["another layout", () => view.setLayout({...view.layout, itemSpacing: 3})],
          ]) {
            data.shift();
            await fetch(`${view.sessionURL}/updates`, {
              method: "POST", headers: {"Content-Type": "application/json"}, body: first});
            await change();
            await view.idle();
            seen[`what others did before ${what}`] = wrong();
          }
          await show("d");
          data = ["new", ...data.slice(0, 49)];
          await view.applyUpdates({
            deleteItems: [{section: 0, start: 49, end: 50}], insertItems: [{section: 0, at: 0, items: {count: 1}}]});
          await view.idle();
          seen["a batch that cannot be followed"] = wrong();
          await fetch(view.sessionURL, {method: "DELETE"});
          data = named("d");
          await view.scrollToItem(0, 0);
          await view.idle();
          seen["a session that is lost after it"] = wrong();
          const made = () => ({sections: [{items: {lengths: data.map(() => 40)}, header: {width: 0, height: 20}}]});
          view.collection = made;
          await ready();
          await fetch(view.sessionURL, {method: "DELETE"});
          data = named("c");
          await view.scrollToItem(0, 0);
          await view.idle();
          seen["a session that is lost, and begun with others"] = wrong();
          return seen;""")
        expect(not any(seen.values()), f"so many show something else after: {seen}")

    def what_is_asked_for_next_is_asked_of_it(self):
        """A collection that has just been set is the one that questions and changes after it are about."""
        self.open("collection=random&layout=list")
        seen = self.browser.eval(VIEW + """
          view.collection = {sections: [{items: {ids: ["a", "b"]}}]};
          await view.idle();
          const ids = view.visibleItems.map(({attributes}) => attributes.id).join("");
          view.collection = {sections: [{items: {lengths: Array(1000).fill(40)}}]};
          const shown = await view.scrollToItem(0, 900, "start", false).then(() => view.idle(), ({message}) => message);
          view.collection = {sections: [{items: {ids: ["c", "d", "e"]}}]};
          const {version} = await view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]});
          return [ids, shown ?? null, version, view.itemCounts, view.collection.sections[0].items.ids];""")
        expect(seen == ["ab", None, 2, [2], ["d", "e"]], f"idle, it shows, says, and has: {seen}")
        self.same("in the end", least=2)

    @provokes(404)
    def without_a_collection_it_is_empty(self):
        """Taken away, the collection is not shown any more, and its session is given back."""
        for what, begin, end in (
            ("set to null", "other.collection = view.collection;", "other.collection = null;"),
            ("its source removed", "other.src = '/playground/gallery.json';", "other.src = null;"),
            ("set to null out of the document", "other.collection = view.collection;", """
              const parent = other.parentNode;
              other.remove();
              for (let i = 0; i < 200 && other.sessionURL; i++) await wait(25);
              other.collection = null;
              parent.append(other);"""),
        ):
            self.open("collection=random&layout=list")
            seen = self.browser.eval(VIEW + WAIT + f"""
              const other = document.createElement("collection-view");
              other.style.cssText = "width: 600px; height: 500px";
              {begin}
              view.replaceWith(other);
              for (let i = 0; i < 200 && !other.sessionURL; i++) await wait(25);
              await other.setContentOffset({{x: 0, y: 900}}, false);
              await other.idle();
              const before = other.sessionURL;
              {end}
              await other.idle();
              for (let i = 0; i < 40 && (await fetch(before)).ok; i++) await wait(25);
              return [(await fetch(before)).status, other.sessionURL, other.visibleItems.length,
                other.querySelectorAll("[data-index-path]").length, other.contentSize.height, other.contentOffset.y];""")
            expect(seen == [404, None, 0, 0, 0, 0], f"{what}: the session, its URL, what is shown, and where: {seen}")
            self.browser.eval(VIEW + """
              view.collection = {sections: [{items: {ids: ["a", "b"]}}]};
              await view.idle();""")
            self.same(f"{what}, and set again", least=2)

    def a_source_is_read_once(self):
        """Also where another script sets the layout while it is read; another source is another one."""
        self.open("layout=flow")
        found = self.browser.eval(WAIT + """
          document.querySelector("collection-view").remove();
          const real = window.fetch;
          const asked = [];
          window.fetch = async (url, options) => {
            const name = String(url).match(/(?<=own)[ab](?=[.]json)/)?.[0];
            if (!name) return real(url, options);
            asked.push(name);
            await wait(50);
            return new Response(JSON.stringify({sections: [{items: {ids: [name]}}]}));
          };
          const view = document.createElement("collection-view");
          view.style.cssText = "width: 600px; height: 500px";
          view.src = "/owna.json";
          document.body.append(view);
          for (let i = 0; i < 200 && !asked.length; i++) await wait(5);
          view.layout = "list";
          for (let i = 0; i < 200 && !view.sessionURL; i++) await wait(25);
          await view.idle();
          const first = [asked.join(""), view.layout.kind, view.visibleItems.map(({attributes: {id}}) => id).join("")];
          const again = new Promise((resolve) => view.addEventListener("ready", resolve, {once: true}));
          view.src = "/ownb.json";
          await again;
          await view.idle();
          window.fetch = real;
          return [...first, asked.join(""), view.visibleItems.map(({attributes: {id}}) => id).join("")];""")
        expect(found == ["a", "list", "a", "ab", "b"], f"what is asked for and shown, and so of another source: {found}")

    def what_is_asked_for_at_once_is_answered(self):
        """An element that has just been put into the document has a session before what is asked of it then."""
        self.open("layout=flow")
        seen = self.browser.eval("""
          document.querySelector("collection-view").remove();
          const view = document.createElement("collection-view");
          view.style.cssText = "width: 600px; height: 500px";
          view.collection = {sections: [{items: {lengths: Array(1000).fill(40)}}]};
          view.layout = "list";
          document.body.append(view);
          const failed = ({message}) => message;
          const shown = view.idle().then(() => view.visibleItems.length > 0);
          const scrolled = view.scrollToItem(0, 900, "start", false).then(() => view.contentOffset.y > 0, failed);
          const changed = view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]})
            .then(({version}) => version, failed);
          return Promise.all([shown, scrolled, changed]);""")
        expect(seen == [True, True, 2], f"idle, it shows something, has scrolled, and has this version: {seen}")
        self.same("in the end", least=2)
        for what, put in (
            ("at its end", "page.body.append(view);"),
            ("in a shadow", "page.body.attachShadow({mode: 'open'}).append(view);"),
        ):
            scrolled = self.browser.eval(WAIT + f"""
              document.querySelector("iframe")?.remove();
              const frame = document.createElement("iframe");
              document.body.append(frame);
              const page = frame.contentDocument;
              const script = page.createElement("script");
              Object.assign(script, {{type: "module", src: `${{location.origin}}/client/collection-view.js`}});
              page.head.append(script);
              for (let i = 0; i < 400 && !frame.contentWindow.customElements.get("collection-view"); i++) await wait(25);
              page.open();
              page.write("<!doctype html><p>");
              const view = page.createElement("collection-view");
              view.style.cssText = "width: 200px; height: 100px";
              view.collection = {{sections: [{{items: {{lengths: Array(1000).fill(40)}}}}]}};
              view.layout = "list";
              {put}
              const scrolled = await view.scrollToItem(0, 900, "start", false)
                .then(() => `${{page.readyState}} ${{view.contentOffset.y}}`, ({{message}}) => message);
              page.close();
              frame.remove();
              return scrolled;""")
            expect(scrolled == "loading 36000", f"put by a script into a page that is being read, {what}: {scrolled}")

    def what_leaves_shows_nothing(self):
        """Another item has its place already."""
        self.open("collection=random&layout=list")
        seen = self.browser.eval(VIEW + """
          view.animationDuration = 5;
          const first = view.elementAt(0, 0);
          await view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]});
          return [first.isConnected, view.attributesOf(first), view.attributesOf(view.elementAt(0, 0)).id];""")
        expect(seen == [True, None, "r2"], f"in the document, its attributes, and those of the next: {seen}")

    def busy_servers_are_asked_again(self):
        self.open("collection=random&layout=flow")
        asked = self.browser.eval(VIEW + """
          const real = window.fetch;
          const statuses = [503, 429, 0];
          let asked = 0;
          window.fetch = (url, options) => {
            if (!String(url).endsWith("/scroll")) return real(url, options);
            asked++;
            const status = statuses.shift();
            if (status === 0) return Promise.reject(new TypeError("cut off"));
            if (status) return Promise.resolve(new Response("", {status, headers: {"Retry-After": "0"}}));
            return real(url, options);
          };
          await view.setContentOffset({x: 0, y: 700}, false);
          await view.idle();
          window.fetch = real;
          return asked;""")
        self.same("in the end")
        expect(asked == 4, f"asked {asked} times")
        # When it says so, and a change too, which a server that says so has not made.
        waits, version = self.browser.eval(VIEW + """
          const {fetch, setTimeout} = window;
          const waits = [];
          let refusals = 5;
          window.setTimeout = (act, ms) => {
            waits.push(ms);
            return setTimeout(act, Math.min(ms, 10));
          };
          window.fetch = (url, options) => {
            if (!String(url).endsWith("/updates") || refusals-- <= 0) return fetch(url, options);
            return Promise.resolve(new Response(
              '{"type": "/problems/unavailable"}', {status: 503, headers: {"Retry-After": "7"}}));
          };
          const {version} = await view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]}).catch((error) => error);
          Object.assign(window, {fetch, setTimeout});
          return [waits.filter((ms) => ms === 7000).length, version];""")
        expect((waits, version) == (5, 2), f"of five refusals {waits} are waited for, and the version is {version}")

    def lost_answers_are_made_up_for(self):
        """The server has answered, and counts on the client having taken it."""
        self.open("collection=random&layout=flow")
        caches = self.browser.eval(VIEW + WAIT + """
          const real = window.fetch;
          const caches = [];
          let lost = 1;
          window.fetch = async (url, options) => {
            const answer = await real(url, options);
            if (!String(url).endsWith("/scroll")) return answer;
            caches.push(options.cache);
            if (lost-- > 0) throw new TypeError("cut off");
            return answer;
          };
          await view.setContentOffset({x: 0, y: 900}, false);
          await view.idle();
          window.fetch = real;
          return caches;""")
        # Another origin would be asked whether it may, each time.
        expect(caches == ["default", "default"], f"ticks are asked for as {caches}")
        self.same("after a lost answer")
        self.browser.eval(VIEW + "await view.setContentOffset({x: 0, y: 910}, false)")
        self.same("and scrolled on")
        # Gone for longer than anything is asked for again.
        seen = self.browser.eval(VIEW + WAIT + """
          const real = window.fetch;
          let isAway = true;
          window.errors = 0;
          view.addEventListener("error", () => window.errors++);
          window.fetch = (url, options) => isAway ? Promise.reject(new TypeError("refused")) : real(url, options);
          view.setContentOffset({x: 0, y: 4000}, false).catch(() => {});
          await wait(2500);
          isAway = false;
          await wait(2500);
          window.fetch = real;
          return window.errors;""")
        expect(seen > 0, "nobody is told of a server that is away")
        self.same("when the server is there again")
        made = self.browser.eval(VIEW + WAIT + """
          const real = window.fetch;
          let refused = 1;
          window.fetch = (url, options) =>
            String(url).endsWith("/v1/sessions") && refused-- > 0 ? Promise.reject(new TypeError("refused")) : real(url, options);
          view.collection = {sections: [{items: {ids: ["a", "b"]}}]};
          await wait(3500);
          window.fetch = real;
          await view.idle();
          return [...view.children].map((element) => element.textContent[0]);""")
        expect(made == ["a", "b"], f"a session that was refused once shows {made}")

    @provokes(404)
    def what_failed_is_caught_up_with(self):
        """Not scrolling alone: whatever the server was asked for while it was away, or what became of it."""
        cut = "throw new TypeError('cut off');"
        busy = "return new Response('', {status: 429, headers: {'Retry-After': '0.1'}});"
        for what, end, instead, ask in (
            ("a new size", "/viewport", cut, "view.style.width = '400px'; await failure(); await wait(200);"),
            ("a change whose answer is lost", "/updates", f"await real(url, options); {cut}",
             "await view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]}).catch(() => {});"),
            ("a layout whose answer is lost", "/layout", f"await real(url, options); {cut}",
             "await view.setLayout('coverFlow').catch(() => {});"),
            ("a size, whose answer is lost, and the one before it", "/viewport", f"await real(url, options); {cut}",
             "const {width} = view.style; view.style.width = '400px'; await failure(); await wait(200);"
             "view.style.width = width; await wait(200);"),
            ("a session that was lost", "/v1/sessions", cut,
             "await real(view.sessionURL, {method: 'DELETE'});"
             "await view.scrollToItem(0, 90, 'start').catch(() => {});"),
            ("an item that is put back", "/movement", f"if (options.method === 'DELETE') {cut}", """
             const grip = view.elementAt(0, 1).querySelector("[data-drag-handle]");
             const press = (key) => grip.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
             view.elementAt(0, 1).focus();
             press(" ");
             for (let i = 0; i < 100 && !view.shadowRoot.querySelector(".live").textContent; i++) await wait(25);
             press("Escape");
             for (let i = 0; i < 100 && failures < 3; i++) await wait(25);
             await view.idle();"""),
            ("a tick that there was no time for", "/scroll", busy,
             "view.setContentOffset({x: 0, y: 3000}, false); await failure(); await wait(2000);"),
        ):
            self.open("collection=random&layout=list")
            failures = self.browser.eval(VIEW + WAIT + f"""
              const real = window.fetch;
              let failures = 0;
              const failure = async () => {{ for (let i = 0; i < 100 && failures === 0; i++) await wait(50); }};
              window.fetch = async (url, options) => {{
                if (String(url).endsWith(args[0])) {{ failures++; {instead} }}
                return real(url, options);
              }};
              {ask}
              window.fetch = real;
              await wait(2500);
              await view.idle();
              return failures;""", end)
            expect(failures > 0, f"{what}: nothing has failed")
            width, known = self.browser.eval(VIEW + """
              const summary = await (await fetch(view.sessionURL)).json();
              return [view.viewportSize.width, summary.contentSize.width];""")
            expect(width == known, f"{what}: the server lays out for a width of {known}, not of {width}")
            counts = self.browser.eval(VIEW + """
              const {sections} = await (await fetch(view.sessionURL)).json();
              return [view.itemCounts, sections.map(({itemCount}) => itemCount)];""")
            expect(counts[0] == counts[1], f"{what}: there are {counts[1]} items, and here {counts[0]}")
            self.same(f"after the failure of {what}", least=4)
            refused = self.browser.eval(VIEW + """
              return view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]}).then(() => null, String);""")
            expect(refused is None, f"after the failure of {what} a batch is refused: {refused}")

    @provokes(412)
    def what_may_have_been_done_is_done_once(self):
        """Nobody says whether a change was made: the page's data, its promise and its event are right all the same."""
        unsure = """new Response('{"type": "/problems/uncertain"}', {status: 503, headers: {'Retry-After': '0.1'}})"""
        for what, instead in (
            ("lost behind the server", "await real(url, options); throw new TypeError('cut off');"),
            ("lost before it", "throw new TypeError('cut off');"),
            ("slower than the question about it",
             "setTimeout(() => real(url, options), 30); await wait(0); throw new TypeError('cut off');"),
            ("of a store that does not say, and has it", f"await real(url, options); return {unsure};"),
            ("of a store that does not say, and has it not", f"return {unsure};"),
            ("of a proxy that gave up", "await real(url, options); return new Response('<h1>', {status: 504});"),
        ):
            self.open("collection=random&layout=flow")
            before = self.ids()
            found = self.browser.eval(VIEW + WAIT + f"""
              const real = window.fetch;
              const seen = {{errors: 0, moved: []}};
              view.addEventListener("error", () => seen.errors++);
              view.addEventListener("reorder", ({{detail}}) => seen.moved.push(detail));
              let end = "/updates";
              let isSizeLost = false;
              window.fetch = async (url, options) => {{
                if (isSizeLost && String(url).endsWith("/viewport")) {{
                  isSizeLost = false;
                  await real(url, options);
                  throw new TypeError("cut off");
                }}
                if (end && String(url).endsWith(end)) {{ end = null; {instead} }}
                return real(url, options);
              }};
              seen.version = (await view.applyUpdates({{deleteItems: [{{section: 0, start: 1, end: 2}}]}})).version;
              await view.idle();
              end = "/movement/end";
              const first = view.elementAt(0, 0);
              first.focus();
              for (const key of [" ", "ArrowRight", "Enter"]) {{
                first.dispatchEvent(new KeyboardEvent("keydown", {{key, bubbles: true, cancelable: true}}));
                await view.idle();
                await wait(100);
              }}
              await view.idle();
              Object.assign(seen, {{
                end, faults: seen.errors, known: view.version, ids: view.collection.sections[0].items.ids.slice(0, 6)}});
              // Before the next batch a size is lost behind the server.
              isSizeLost = true;
              const told = new Promise((resolve) => view.addEventListener("error", resolve, {{once: true}}));
              view.style.width = "500px";
              await told;
              end = "/updates";
              await view.applyUpdates({{deleteItems: [{{section: 0, start: 0, end: 1}}]}});
              await view.idle();
              seen.afterSize = [view.collection.sections[0].items.ids.length, view.itemCounts[0]];
              end = "/collection";
              await view.replaceCollection({{sections: [{{items: {{ids: [...{json.dumps(before[3:7])}, "new"]}}}}]}});
              await view.idle();
              window.fetch = real;
              return {{...seen, replaced: view.collection.sections[0].items.ids}};""")
            expect(found["afterSize"] == [598, 598], f"{what}, after a lost size: {found['afterSize']}")
            expect(found["replaced"] == [*before[3:7], "new"], f"{what}: another collection is {found['replaced']}")
            expect(found["version"] == 2 and found["known"] == 3, f"{what}: the versions are {found}")
            expect(found["end"] is None and found["faults"] == 0, f"{what}: {found}")
            expect([moved["to"] for moved in found["moved"]] == [[0, 1]], f"{what}: events {found}")
            expected = [before[2], before[0], *before[3:7]]
            expect(found["ids"] == expected, f"{what}: {before} became {found['ids']}")
            expect(self.ids(5) == found["replaced"], f"{what}: the server has {self.ids(5)}")
            self.same(f"after a change {what}", least=4)
        # What others have done before, and nobody here knows of, is not taken for it.
        counts = self.browser.eval(VIEW + """
          const real = window.fetch;
          let lost = 1;
          window.fetch = async (url, options) => {
            if (!String(url).endsWith("/collection") || lost-- <= 0) return real(url, options);
            await real(`${view.sessionURL}/updates`, {
              method: "POST", headers: {"Content-Type": "application/json"},
              body: JSON.stringify({deleteItems: [{section: 0, start: 0, end: 1}]})});
            throw new TypeError("cut off");
          };
          await view.replaceCollection({sections: [{items: {count: 9}}]});
          await view.idle();
          window.fetch = real;
          return [view.itemCounts, view.collection.sections[0].items.count];""")
        expect(counts == [[9], 9], f"another collection, after a change by others: {counts}")
        self.same("after another collection that was lost", least=4)

    def it_says_where_it_is(self):
        """The server knows of another offset: it was started anew, or is another one, or others look at the session."""
        for what, ask in (
            ("a batch", "view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 9}], anchor: 'visible'})"),
            ("a batch that anchors nothing", "view.applyUpdates({deleteItems: [{section: 0, start: 99, end: 100}]})"),
            ("other items", "view.replaceCollection({sections: [{items: {count: 5000}}]}, 'end')"),
            ("another layout", "view.setLayout({kind: 'list', itemSpacing: 3})"),
            ("another size", "(view.style.height = '300px', wait(200))"),
            ("an item that is visible", "view.scrollToItem(...shown(), 'nearest', false)"),
        ):
            self.open("collection=random&layout=list")
            before, after = self.browser.eval(VIEW + WAIT + f"""
              await view.setContentOffset({{x: 0, y: 3000}}, false);
              await view.idle();
              const box = view.getBoundingClientRect();
              const shown = () => view.visibleItems.map(({{attributes}}) => attributes).find(({{kind, frame}}) =>
                kind === "cell" && frame.y >= view.contentOffset.y &&
                frame.y + frame.height <= view.contentOffset.y + box.height).indexPath;
              const before = view.contentOffset.y;
              const other = await fetch(`${{view.sessionURL}}/scroll`, {{
                method: "POST", headers: {{"Content-Type": "application/json"}},
                body: JSON.stringify({{contentOffset: {{x: 0, y: 0}}}})}});
              if (!other.ok) throw new Error(other.status);
              await {ask};
              await view.idle();
              return [before, view.contentOffset.y];""")
            expect(after > before / 2, f"{what}: from {before} to {after}")
            self.same(f"after {what}, of a server that knew of another offset", least=3)

    def what_is_never_answered_is_asked_again(self):
        """A server, or a proxy before it, that takes a request and says nothing."""
        self.open("collection=random&layout=list")
        self.browser.eval(VIEW + WAIT + """
          const real = window.fetch;
          window.silent = [];
          window.fetch = async (url, options) => {
            const index = window.silent.findIndex((end) => String(url).endsWith(end));
            if (index < 0) return real(url, options);
            const [end] = window.silent.splice(index, 1);
            const never = new Promise((_, reject) =>
              options?.signal?.addEventListener("abort", () => reject(options.signal.reason)));
            // Its head may come and its body not.
            return end === "/scroll" ? {ok: true, status: 200, headers: new Headers(), text: () => never} : never;
          };
          view.answerTimeout = 0.3;""")
        for what, ask in (
            ("/scroll", "view.setContentOffset({x: 0, y: 3000}, false)"),
            ("/v1/sessions", "view.collection = {sections: [{items: {ids: ['a', 'b']}}]}"),
            # What comes after a source waits for it.
            ("/hang.json",
             "view.src = '/hang.json'; await wait(100); view.collection = {sections: [{items: {ids: ['c', 'd']}}]}"),
        ):
            isIdle = self.browser.eval(VIEW + WAIT + f"""
              window.silent.push(args[0]);
              {ask};
              await wait(3500);
              return window.silent.length === 0 && Promise.race([view.idle().then(() => true), wait(1500)]);""", what)
            expect(isIdle, f"{what} is waited for without an end")
            self.same(f"after no answer to {what}", least=2)

    def what_comes_late_is_not_taken(self):
        self.open("layout=flow")
        texts = self.browser.eval(WAIT + """
          document.querySelector("collection-view").remove();
          const real = window.fetch;
          window.fetch = async (url, options) => {
            const name = String(url).match(/data-([ab])\\.json/)?.[1];
            if (!name) return real(url, options);
            await wait(name === "a" ? 400 : 50);
            return new Response(JSON.stringify({sections: [{items: {ids: [`${name}1`, `${name}2`]}}]}));
          };
          const view = document.createElement("collection-view");
          view.style.cssText = "width: 600px; height: 500px";
          view.setAttribute("layout", "flow");
          view.setAttribute("src", "/data-a.json");
          document.body.append(view);
          await wait(150);
          view.setAttribute("src", "/data-b.json");
          await wait(1000);
          await view.idle();
          window.fetch = real;
          return [...view.children].map((element) => element.textContent);""")
        expect(texts == ["b1", "b2"], f"another source's data are shown: {texts}")
        texts = self.browser.eval(VIEW + WAIT + """
          const real = window.fetch;
          window.fetch = async (url, options) => {
            const answer = await real(url, options);
            if (String(url).endsWith("/updates")) await wait(300);
            return answer;
          };
          const update = view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]});
          await wait(50);
          view.collection = {sections: [{items: {ids: ["A", "B", "C"]}}]};
          await update;
          await wait(300);
          await view.idle();
          window.fetch = real;
          return [...view.children].map((element) => element.textContent);""")
        expect(texts == ["A", "B", "C"], f"a batch for the data before leaves {texts}")

    def moved_and_hidden_it_stays(self):
        self.open("collection=random&layout=flow")
        self.browser.eval(VIEW + WAIT + """
          await view.setContentOffset({x: 0, y: 2000}, false);
          await view.idle();
          view.parentNode.insertBefore(view, view.nextSibling);
          await wait(300);""")
        expect(self.same("moved")["offset"]["y"] == 2000, "what is moved in the document loses its place")
        offset = self.browser.eval(VIEW + WAIT + """
          const scroller = view.shadowRoot.querySelector(".scroller");
          scroller.scrollTop = 1000;
          view.style.display = "none";
          await wait(300);
          view.style.display = "";
          await wait(300);
          await view.idle();
          return [scroller.scrollTop, view.contentOffset.y];""")
        expect(offset[0] == offset[1], f"what was hidden is at {offset}")
        self.same("shown again")
        # Nobody tells it that it was hidden.
        offset = self.browser.eval(VIEW + WAIT + """
          view.hidden = true;
          view.setContentOffset({x: 0, y: 1500}, false);
          view.hidden = false;
          await wait(200);
          await view.idle();
          return [view.shadowRoot.querySelector(".scroller").scrollTop, view.contentOffset.y];""")
        expect(offset == [1500, 1500], f"what was hidden for less than a frame is at {offset}")
        self.same("shown again at once")
        # Where there is no scroller any part of a pixel can be; where there is one, whole ones, as a rule.
        for part in (0.6, 0.4):
            self.browser.eval(VIEW + WAIT + """
              const main = view.parentNode;
              const edge = view.attributesOf(view.elementAt(0, view.visibleItems[0].attributes.indexPath[1])).frame;
              view.remove();
              view.setContentOffset({x: 0, y: edge.y + edge.height - args[0]}, false);
              await view.idle();
              main.append(view);
              await wait(200);
              await view.idle();""", part)
            self.same(f"{part} of a pixel before the end of an item")

    def hidden_it_goes_on(self):
        """What is not shown cannot be scrolled; where it is to be, it is when it shows."""
        hidden = "view.style.display = 'none'; await wait(100);"
        shown = "view.style.display = ''; await wait(200); await view.idle(); return view.contentOffset.y;"
        first = {"deleteItems": [{"section": 0, "start": 0, "end": 3}], "anchor": "visible"}
        self.open("collection=random&layout=flow")
        for what, then in (
            ("scrolled to", "await view.setContentOffset({x: 0, y: 3000}); return view.contentOffset.y"),
            ("scrolled to an item", "await view.scrollToItem(0, 90, 'start'); return view.contentOffset.y"),
            ("changed", "return (await view.applyUpdates(args[0])).contentOffset.y"),
            ("removed and changed", "view.style.display = ''; view.remove();"
             "const {contentOffset: {y}} = await view.applyUpdates(args[0]); main.append(view); return y"),
            ("removed for long", "view.style.display = ''; view.remove(); await wait(1200);"
             "const {y} = view.contentOffset; main.append(view); return y"),
        ):
            wanted = self.browser.eval(VIEW + WAIT + f"const main = view.parentNode; {hidden} {then}", first)
            expect(wanted > 1000, f"what is hidden and {what} is to be at {wanted}")
            self.browser.eval(VIEW + WAIT + shown)
            self.settle()
            offset = self.same(f"hidden and {what}")["offset"]["y"]
            # Screens have whole pixels.
            expect(abs(offset - wanted) < 1, f"what was hidden and {what} is at {offset} instead of {wanted}")

    def what_is_set_while_away_counts(self):
        self.open("layout=list&collection=random")
        self.browser.eval(VIEW + WAIT + """
          const main = view.parentNode;
          view.remove();
          view.collection = {sections: [{items: {ids: ["a", "b", "c", "d"]}}]};
          main.append(view);
          await wait(300);
          await view.idle();""")
        texts = self.browser.eval(VIEW + "return view.visibleItems.map(({attributes}) => attributes.id)")
        expect(texts == ["a", "b", "c", "d"], f"what was set while it was in no document does not show: {texts}")
        self.same("set while away", least=4)

    def strangers_do_not_stay(self):
        """Elements that nobody moves: those of a copy, and those that came with no answer or an unusable one."""
        self.open("layout=list&collection=random")
        # The page minds a view of its own that becomes small.
        self.browser.eval(VIEW + """
          const {description, server} = view;
          view.remove();
          const other = document.createElement("collection-view");
          other.style.cssText = "width: 600px; height: 500px";
          Object.assign(other, {description, server});
          document.body.append(other);""")
        self.settle()
        drawn = "<div data-kind='cell' data-index-path='0,0'>drawn</div>"
        for what, html in (
            ("copied", None), ("drawn without an answer", drawn),
            ("drawn with answers for several viewports",
             '<script type="application/json">{"viewports": []}</script>' + drawn),
        ):
            self.browser.eval(VIEW + """
              const other = view.cloneNode(args[0] === null);
              if (args[0] !== null) other.innerHTML = args[0];
              window.said = [];
              other.addEventListener("error", ({detail}) => said.push(detail.error.message));
              const {description, server} = view;
              Object.assign(other, {description, server});
              view.replaceWith(other);""", html)
            self.settle()
            self.same(what, least=5)
            left = self.browser.eval(VIEW + """
              return view.querySelectorAll("[data-index-path]").length - view.visibleItems.length""")
            expect(left == 0, f"{what}: {left} elements that nobody moves")
            said = self.browser.eval("return said")
            expect(len(said) == ("several" in what), f"{what}: {said}")

    def other_documents_have_its_styles(self):
        self.open("layout=flow&collection=random")
        seen = self.browser.eval(VIEW + WAIT + """
          await view.setContentOffset({x: 0, y: 1000}, false);
          await view.idle();
          const count = view.visibleItems.length;
          const {width, height} = view.viewportSize;
          const frame = document.createElement("iframe");
          document.body.append(frame);
          await wait(200);
          view.style.cssText = `width: ${width}px; height: ${height}px`;
          frame.contentDocument.body.append(view);
          await wait(500);
          await view.idle();
          const scroller = view.shadowRoot.querySelector(".scroller");
          return [getComputedStyle(scroller).overflowY, view.contentOffset.y, view.visibleItems.length === count];""")
        expect(seen == ["scroll", 1000, True], f"in another document it is {seen}")

    def the_focus_stays_in_shadows(self):
        """In another element's shadow, too, the focus stays with an item that is scrolled away and comes back."""
        self.open("layout=flow&collection=random")
        self.browser.eval(VIEW + WAIT + """
          const host = document.createElement("div");
          const root = host.attachShadow({mode: "open"});
          view.replaceWith(host);
          view.style.cssText = "width: 600px; height: 500px";
          root.append(view);
          window.shadowed = view;
          await wait(300);
          await view.idle();
          view.elementAt(0, 0).focus({preventScroll: true});""")
        self.browser.key("ArrowRight")
        focus = self.browser.eval(WAIT + """
          const names = [];
          for (const y of [0, 4000, 0]) {
            await wait(200);
            await shadowed.setContentOffset({x: 0, y}, false);
            await shadowed.idle();
            await wait(100);
            const {activeElement} = shadowed.getRootNode();
            names.push(activeElement?.dataset.indexPath ?? activeElement?.localName ?? null);
          }
          return names;""")
        expect(focus == ["0,1", "collection-view", "0,1"], f"the focus is at {focus}")

    def drags_that_fail_are_over(self):
        self.open("collection=random&layout=flow")
        found = self.browser.eval(VIEW + WAIT + """
          const element = view.elementAt(0, 2);
          const box = element.getBoundingClientRect();
          let x = box.x + 20, y = box.y + 20;
          const point = (type) => element.dispatchEvent(new PointerEvent(type, {
            pointerId: 1, isPrimary: true, button: 0, pointerType: "mouse", clientX: x, clientY: y,
            bubbles: true, composed: true, cancelable: true,
          }));
          const lift = async () => {
            point("pointerdown");
            await wait(500);
            for (let step = 0; step < 10; step++) {
              x += 6; y += 6;
              point("pointermove");
              await wait(20);
            }
          };
          await lift();
          const isUp = document.querySelectorAll("[data-dragging]").length;
          const real = window.fetch;
          let lost = 1;
          window.fetch = async (url, options) => {
            if (options?.method === "PATCH" && lost-- > 0) throw new TypeError("cut off");
            return real(url, options);
          };
          x += 6;
          point("pointermove");
          await wait(300);
          window.fetch = real;
          point("pointerup");
          await view.idle();
          let status = 200;
          try {
            await view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]});
          } catch (error) { status = error.status; }
          const left = document.querySelectorAll("[data-dragging]").length;
          x = box.x + 20;
          y = box.y + 20;
          await lift();
          view.style.width = "500px";
          await wait(300);
          point("pointerup");
          await wait(100);
          await view.idle();
          const {contentSize} = await (await fetch(view.sessionURL)).json();
          return [isUp, left, status, view.viewportSize.width, contentSize.width];""")
        expect(found[:3] == [1, 0, 200], f"up, up afterwards, and the next batch: {found}")
        expect(found[3] == found[4] <= 500, f"resized in a drag: {found[3]}, and {found[4]} at the server")
        self.same("after a step was lost, and another size")

    @provokes(404)
    def what_is_called_off_is_put_back(self):
        """Whatever takes the item out of the hand that has it by its handle; then all else may be changed again."""
        for what, end in (
            ("cancelled", "point('pointercancel')"), ("moved in the document", "view.parentNode.append(view)"),
            ("given up", "grip.dispatchEvent(key('Escape'))"),
            ("given up where something else has the focus", "document.activeElement.dispatchEvent(key('Escape'))"),
            ("let go where it was", "y -= 70; point('pointermove'); await view.idle(); grip.dispatchEvent(key('ArrowDown'));"
             "await wait(100); await view.idle(); point('pointerup')"),
            ("of a session that is lost", "await fetch(view.sessionURL, {method: 'DELETE'}); point('pointermove')"),
        ):
            self.open("collection=random&layout=list")
            before = self.ids()
            found = self.browser.eval(VIEW + WAIT + f"""
              let moved = 0;
              view.addEventListener("reorder", () => moved++);
              const grip = view.elementAt(0, 1).querySelector("[data-drag-handle]");
              let {{x, y}} = grip.getBoundingClientRect();
              const key = (key) => new KeyboardEvent("keydown", {{key, bubbles: true, composed: true, cancelable: true}});
              const point = (type) => grip.dispatchEvent(new PointerEvent(type, {{
                pointerId: 1, isPrimary: true, button: 0, pointerType: "mouse", clientX: x, clientY: y,
                bubbles: true, composed: true, cancelable: true,
              }}));
              point("pointerdown");
              y += 70;
              point("pointermove");
              const isUp = view.querySelectorAll("[data-dragging]").length;
              await view.idle();
              {end};
              await wait(100);
              await view.idle();
              point("pointerup");
              const left = view.querySelectorAll("[data-dragging]").length;
              await view.applyUpdates({{deleteItems: [{{section: 0, start: 599, end: 600}}]}});
              await view.idle();
              return [isUp, left, moved];""")
            expect(found == [1, 0, 0], f"{what}: up, up afterwards, and moved: {found}")
            self.same(f"{what}, and put back")
            expect(self.ids() == before, f"{what}: {before} became {self.ids()}")

    def a_hand_that_lost_its_item_is_empty(self):
        """Until the mouse is let go and takes hold of something else."""
        self.open("collection=random&layout=list")
        self.browser.eval(VIEW + "await view.setContentOffset({x: 0, y: 1000}, false); await view.idle();")
        x, y = self.lift(self.browser.eval(VIEW + "return view.visibleItems[3].attributes.indexPath[1]"))
        for step in range(1, 9):
            self.browser.move(x, y - 20 * step)
        self.browser.eval(VIEW + "await view.idle()")
        self.browser.key("Escape")
        self.browser.eval(VIEW + WAIT + """
          for (let i = 0; i < 100 && view.querySelector("[data-dragging]"); i++) await wait(50);
          await view.idle();""")
        before = self.browser.eval(VIEW + "return view.contentOffset.y")
        self.browser.move(x, y - 161)
        after = self.browser.eval(VIEW + WAIT + "await wait(100); await view.idle(); return view.contentOffset.y")
        self.browser.up()
        expect(after == before, f"after Escape the mouse moved a pixel, and the content from {before} to {after}")
        self.same("put back")

    @provokes(404)
    def a_session_lost_in_a_drag_is_begun_with_the_size_of_then(self):
        for how, lose in (
            ("lost", "await fetch(lost, {method: 'DELETE'});"),
            ("replaced", "view.collection = {sections: [{items: {lengths: Array(90).fill(40)}}]};"),
        ):
            self.open("collection=random&layout=list")
            told, width, content = self.browser.eval(VIEW + WAIT + """
              const grip = view.elementAt(0, 1).querySelector("[data-drag-handle]");
              let {x, y} = grip.getBoundingClientRect();
              const point = (type) => grip.dispatchEvent(new PointerEvent(type, {
                pointerId: 1, isPrimary: true, button: 0, pointerType: "mouse", clientX: x, clientY: y,
                bubbles: true, composed: true, cancelable: true,
              }));
              point("pointerdown");
              y += 70;
              point("pointermove");
              await view.idle();
              view.style.width = "400px";
              await wait(100);
              const lost = view.sessionURL;
              """ + lose + """
              y += 5;
              point("pointermove");
              for (let i = 0; i < 100 && (!view.sessionURL || view.sessionURL === lost); i++) await wait(50);
              await view.idle();
              point("pointerup");
              await view.idle();
              return [view.viewportSize.width, view.shadowRoot.querySelector(".scroller").clientWidth, view.contentSize.width];""")
            expect(told == width == content, f"{how}: {width} px wide, the server believes {told}, the content has {content}")
            self.same(f"{how}, and begun anew")

    def drags_are_no_clicks(self):
        """A press is one, if the mouse stays; what is dragged by a control goes nowhere."""
        self.open("collection=random&layout=list")
        self.browser.eval(VIEW + """
          window.clicks = 0;
          view.addEventListener("click", () => clicks++);
          const button = document.createElement("button");
          button.style.cssText = "width: 40px; height: 20px";
          view.elementAt(0, 2).append(button);""")
        x, y = self.center(2)
        found = []
        for way in (0, -100):
            self.browser.move(x, y)
            self.browser.down()
            for step in range(1, 9):
                self.browser.move(x, y + way * step / 8)
            # So long it rests that it does not go on by itself.
            time.sleep(0.2)
            self.browser.up()
            time.sleep(0.1)
            self.browser.eval(VIEW + "await view.idle()")
            found.append(self.browser.eval(VIEW + "return [clicks, view.contentOffset.y]"))
        expect(found == [[1, 0], [1, 100]], f"clicks and offsets: {found}")
        x, y = self.browser.eval(VIEW + """
          const box = view.querySelector("[data-kind=cell] button").getBoundingClientRect();
          return [box.x + box.width / 2, box.y + box.height / 2];""")
        self.browser.move(x, y)
        self.browser.down()
        for step in range(1, 9):
            self.browser.move(x, y - 10 * step)
        self.browser.up()
        found = self.same("dragged by a button")["offset"]["y"]
        expect(found == 100, f"dragged by a button it goes to {found}")

    def what_is_not_reorderable_stays(self):
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + WAIT + """
          view.reorderable = false;
          const asked = [];
          view.addEventListener("request", ({detail}) => asked.push(detail.url.split("/").pop()));
          const element = view.elementAt(0, 1);
          const {x, y} = element.getBoundingClientRect();
          const point = (type) => element.dispatchEvent(new PointerEvent(type, {
            pointerId: 1, isPrimary: true, button: 0, pointerType: "mouse", clientX: x + 9, clientY: y + 9,
            bubbles: true, composed: true, cancelable: true,
          }));
          point("pointerdown");
          await wait(500);
          point("pointerup");
          element.focus();
          element.dispatchEvent(new KeyboardEvent("keydown", {key: " ", bubbles: true, composed: true, cancelable: true}));
          await view.idle();
          return [view.querySelectorAll("[data-dragging]").length, asked.filter((name) => name === "movement")];""")
        expect(found == [0, []], f"up, and asked for: {found}")

    def what_is_gone_is_not_lifted(self):
        """A batch takes the item away on which a finger has just been put."""
        self.open("collection=random&layout=list")
        lifted = self.browser.eval(VIEW + WAIT + """
          view.animationDuration = 0;
          const real = window.fetch;
          const lifted = [];
          window.fetch = (url, options) => {
            if (String(url).endsWith("/movement")) lifted.push(options.body);
            return real(url, options);
          };
          const box = view.elementAt(0, 2).getBoundingClientRect();
          const point = (type) => view.elementAt(0, 2).dispatchEvent(new PointerEvent(type, {
            pointerId: 1, isPrimary: true, button: 0, pointerType: "mouse", clientX: box.x + 20, clientY: box.y + 20,
            bubbles: true, composed: true, cancelable: true,
          }));
          point("pointerdown");
          await view.applyUpdates({deleteItems: [{section: 0, start: 2, end: 3}]});
          await wait(500);
          point("pointerup");
          await view.idle();
          window.fetch = real;
          return lifted;""")
        expect(not lifted, f"an item that is gone is lifted, and with it {lifted}")
        self.same("after a touch of what went away")

    def what_is_lifted_is_what_was_touched(self):
        """Whatever is under way when it is, and makes another item, or none, or another session of its place."""
        for what, act, up, first in (
            ("an item before it goes", "view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]})", 1,
             ["r2", "r4", "r3", "r5"]),
            ("it goes itself", "view.applyUpdates({deleteItems: [{section: 0, start: 2, end: 3}]})", 0,
             ["r1", "r2", "r4", "r5"]),
            ("another collection comes", "(view.collection = {sections: [{items: {ids: [...'abcdefgh']}}]}, ready())", 0,
             ["a", "b", "c", "d"]),
        ):
            self.open("collection=random&layout=list&size=40&spacing=0")
            found = self.browser.eval(VIEW + WAIT + HAND + f"""
              const errors = [];
              view.addEventListener("error", ({{detail}}) => errors.push(detail.error.message));
              const ids = Array.from({{length: 600}}, (_, item) => `r${{item + 1}}`);
              view.collection = {{sections: [{{items: {{ids, lengths: ids.map(() => 40)}}}}]}};
              await ready();
              await view.idle();
              const real = window.fetch;
              let answer, asked;
              const [held, isAsked] = [new Promise((go) => {{ answer = go; }}), new Promise((go) => {{ asked = go; }})];
              window.fetch = async (url, options) => {{
                const response = await real(url, options);
                if (String(url).includes("/scroll-offset?") || String(url).endsWith("/updates")) {{ asked(); await held; }}
                return response;
              }};
              // What comes after it waits for it.
              if (!args[0]) view.scrollToItem(0, 0);
              const act = {act};
              await isAsked;
              const grip = view.elementAt(0, 2).querySelector("[data-drag-handle]");
              const {{x, y}} = grip.getBoundingClientRect();
              const point = hand(grip, x, y);
              point("pointerdown");
              answer();
              await act;
              await view.idle();
              window.fetch = real;
              const up = view.querySelectorAll("[data-dragging]").length;
              point("pointermove", {{clientY: y + 2}});
              await view.idle();
              point("pointermove", {{clientY: y + 5}});
              await view.idle();
              point("pointerup", {{clientY: y + 5}});
              await wait(100);
              await view.idle();
              await view.applyUpdates({{deleteItems: [{{section: 0, start: view.itemCounts[0] - 1, end: view.itemCounts[0]}}]}});
              await view.idle();
              return [up, errors];""", "applyUpdates" in act)
            expect(found == [up, []], f"{what}: up, and errors: {found}")
            self.same(what, least=4)
            expect(self.ids(4) == first, f"{what}: {self.ids(4)}")

    @provokes(409, 412)
    def what_others_have_moved_is_not_lifted(self):
        """Another item is where it was touched, and nobody has told yet."""
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + WAIT + HAND + """
          const told = [];
          view.addEventListener("error", ({detail}) => told.push(detail.status));
          const grip = view.elementAt(0, 2).querySelector("[data-drag-handle]");
          const {x, y} = grip.getBoundingClientRect();
          await fetch(`${view.sessionURL}/updates`, {
            method: "POST", headers: {"Content-Type": "application/json"},
            body: JSON.stringify({deleteItems: [{section: 0, start: 0, end: 1}]})});
          const point = hand(grip, x, y);
          point("pointerdown");
          point("pointermove", {clientY: y + 100});
          await view.idle();
          const up = view.querySelectorAll("[data-dragging]").length;
          point("pointerup", {clientY: y + 100});
          await view.idle();
          return [up, told, view.version];""")
        expect(found == [0, [412], 2], f"up, told, and the version: {found}")
        self.same("after a touch of what others have moved")

    def palms_are_no_pens(self):
        """A pen's hand lies on the screen: it takes nothing from the pen, and takes nothing with it."""
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + WAIT + HAND + """
          const [element, other] = [view.elementAt(0, 2), view.elementAt(0, 1)];
          const {x, y} = element.getBoundingClientRect();
          const pen = hand(element, x + 20, y + 10, {pointerId: 5, pointerType: "pen"});
          const palm = hand(other, x + 20, y - 30, {pointerId: 7, pointerType: "touch"});
          const up = () => view.querySelectorAll("[data-dragging]").length;
          const found = [];
          pen("pointerdown");
          for (let i = 0; i < 100 && !up(); i++) await wait(25);
          await view.idle();
          palm("pointerdown");
          palm("pointercancel");
          await view.idle();
          found.push(up());
          pen("pointerup");
          await view.idle();
          found.push(up());
          // The palm comes before the pen has lifted anything.
          pen("pointerdown");
          palm("pointerdown");
          await wait(500);
          palm("pointercancel");
          pen("pointerup");
          await view.idle();
          found.push(up());
          await view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]});
          // And when it scrolls already.
          pen("pointerdown");
          pen("pointermove", {clientY: y - 10});
          palm("pointerdown");
          pen("pointermove", {clientY: y - 40});
          found.push(view.contentOffset.y);
          pen("pointerup", {clientY: y - 40});
          palm("pointercancel");
          return found;""")
        expect(found == [1, 0, 0, 50], f"up beside a palm, let go, after a palm, and scrolled beside it: {found}")
        self.same("after palms")

    def what_is_let_go_elsewhere_is_over(self):
        """A mouse that leaves at once is let go where the view does not hear of it."""
        self.open("collection=random&layout=list")
        x, y = self.browser.eval(VIEW + """
          const box = view.getBoundingClientRect();
          return [box.x + box.width / 2, box.bottom - 3];""")
        self.browser.move(x, y)
        self.browser.down()
        self.browser.move(x, y + 30)
        time.sleep(0.4)
        self.browser.up()
        for step in range(1, 5):
            self.browser.move(x, y - 30 * step)
        time.sleep(0.1)
        found = self.browser.eval(VIEW + """
          return [view.contentOffset.y, document.querySelectorAll("[data-dragging]").length];""")
        expect(found == [0, 0], f"no button is down, and the offset and what is up are {found}")

    def the_focus_stays_with_its_item(self):
        """Whatever becomes of the other items; the keyboard's is one item, and that is the one to tab to."""
        self.needs_focus()
        for what, focus, batch, current, stays in (
            ("an item comes before it", "view.elementAt(0, 3)",
             {"insertItems": [{"section": 0, "at": 0, "items": {"ids": ["new"], "sizes": [[90, 90]]}}]}, "0,4", True),
            ("an item before it goes", "view.elementAt(0, 5)",
             {"deleteItems": [{"section": 0, "start": 1, "end": 2}]}, "0,4", True),
            ("it is moved", "view.elementAt(0, 5)", {"moveItems": [{"from": [0, 5], "to": [0, 2]}]}, "0,2", True),
            ("it goes", "view.elementAt(0, 2)", {"deleteItems": [{"section": 0, "start": 2, "end": 3}]}, "0,2", False),
            ("it goes, and all after it", "view.elementAt(0, 2)",
             {"deleteItems": [{"section": 0, "start": 2, "end": 600}]}, "0,1", False),
            ("another item comes, and the focus is in it", "view.elementAt(0, 3).querySelector('input')",
             {"insertItems": [{"section": 0, "at": 0, "items": {"ids": ["new"], "sizes": [[90, 90]]}}]}, "0,4", True),
        ):
            self.open("collection=random&layout=flow")
            found = self.browser.eval(VIEW + f"""
              for (const {{element}} of view.visibleItems) element.append(document.createElement("input"));
              const focused = {focus};
              focused.focus();
              const removed = [];
              new MutationObserver((records) => removed.push(...records.flatMap((record) => [...record.removedNodes])))
                .observe(view, {{childList: true}});
              await view.applyUpdates(args[0]);
              const moved = removed.filter((element) => element.isConnected).length;
              const isSilent = document.activeElement.closest("[aria-hidden]") !== null;
              await view.idle();
              const stops = [...view.querySelectorAll("[tabindex='0']")].map((element) => element.dataset.indexPath);
              const own = document.activeElement.closest("[data-index-path]");
              return [own?.dataset.indexPath, view.currentIndexPath.join(), stops.join(" "), isSilent,
                document.activeElement === focused, moved];""", batch)
            expect(found[:5] == [current, current, current, False, stays], f"{what}: {found} instead of {current}")
            expect(found[5] == 0 or "moveItems" in batch, f"{what}: {found[5]} elements are moved in the document")
            self.browser.key("ArrowUp")
            self.browser.eval(VIEW + "await view.idle()")
            self.same(what, least=2)
        # Whose item has left the screen may go elsewhere, and it comes back.
        self.open("collection=random&layout=flow")
        stops = self.browser.eval(VIEW + """
          view.elementAt(0, 0).focus();
          await view.setContentOffset({x: 0, y: 2000}, false);
          await view.idle();
          document.getElementById("share").focus();
          const stops = [];
          for (const y of [1000, 200, 0]) {
            await view.setContentOffset({x: 0, y}, false);
            await view.idle();
            stops.push(view.querySelectorAll("[tabindex='0']").length);
          }
          return [...stops, view.querySelector("[tabindex='0']").dataset.indexPath, document.activeElement.id];""")
        expect(stops == [1, 1, 1, "0,0", "share"], f"places to tab to, the item's, and what has the focus: {stops}")

    def the_focus_outlasts_what_has_it(self):
        """A page that fills its items in with new contents takes those away that have the focus."""
        for what, act in (
            ("reloaded", "await view.applyUpdates({reloadItems: [{section: 0, start: 2, items: {sizes: [[90, 90]]}}]});"),
            ("moved", "await view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]});"),
            ("lifted and moved by a key", """
              document.activeElement.dispatchEvent(new KeyboardEvent(
                "keydown", {key: "ArrowRight", ctrlKey: true, bubbles: true, composed: true, cancelable: true}));
              for (let i = 0; i < 40 && view.currentIndexPath?.[1] !== 3; i++) await wait(25);"""),
        ):
            self.open("collection=random&layout=flow")
            found = self.browser.eval(VIEW + WAIT + f"""
              view.renderItem = (element, {{id}}) => {{ element.innerHTML = `<button>${{id}}</button>`; }};
              for (const {{element, attributes}} of view.visibleItems) view.renderItem(element, attributes);
              view.elementAt(0, 2).firstChild.focus();
              {act}
              await wait(50);
              await view.idle();
              const item = document.activeElement.closest("[data-index-path]");
              return [item?.textContent, `${{view.currentIndexPath}}` === item?.dataset.indexPath,
                view.querySelectorAll("[data-dragging]").length];""")
            up = 1 if "key" in what else 0
            expect(found == ["r3", True, up], f"{what}: the item with the focus, whether it is current, and up: {found}")
        self.open("collection=random&layout=flow")
        found = self.browser.eval(VIEW + """
          view.renderItem = (element, {id}) => {
            const had = element.contains(document.activeElement);
            element.innerHTML = `<button>${id}</button>`;
            if (had) element.firstChild.focus();
          };
          for (const {element, attributes} of view.visibleItems) view.renderItem(element, attributes);
          view.elementAt(0, 2).firstChild.focus();
          await view.applyUpdates({reloadItems: [{section: 0, start: 2, items: {sizes: [[90, 90]]}}]});
          await view.idle();
          return [document.activeElement.localName, document.activeElement.textContent];""")
        expect(found == ["button", "r3"], f"where the page puts the focus itself, it is at {found}")

    def keys_lead_to_nothing_that_is_gone(self):
        """All items go while the view is on its way to the one that a key has chosen."""
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + WAIT + """
          const {element} = view.visibleItems.filter(({attributes}) => attributes.kind === "cell").at(-2);
          element.focus();
          element.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true, composed: true, cancelable: true}));
          for (let i = 0; i < 200 && view.contentOffset.y === 0; i++) await wait(5);
          const {y} = view.contentOffset;
          await view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 600}]});
          await view.idle();
          return [y > 0, view.currentIndexPath];""")
        expect(found == [True, None], f"on its way, and the current item: {found}")

    def controls_in_items_have_their_keys(self):
        self.needs_focus()
        self.open("collection=random&layout=list")
        self.browser.eval(VIEW + """
          window.pressed = 0;
          const button = document.createElement("button");
          button.addEventListener("click", () => pressed++);
          view.elementAt(0, 1).append(button);
          button.focus();""")
        self.browser.key("Space")
        time.sleep(0.3)
        found = self.browser.eval("return [pressed, document.querySelectorAll('[data-dragging]').length]")
        expect(found == [1, 0], f"the button was pressed, and items lifted: {found}")

    def controls_in_items_have_their_presses(self):
        """What is pressed inside them lifts nothing; a handle lifts at once, whatever it is and wherever."""
        self.open("collection=random&layout=list")
        for html, lifts in (
            ("<span>text</span>", "later"), ("<label>name</label>", None), ("<label><b>name</b></label>", None),
            ("<p contenteditable>text</p>", None), ("<p contenteditable='false'>text</p>", "later"),
            ("<audio controls></audio>", None), ("<video controls></video>", None), ("<video></video>", "later"),
            ("<details><summary>more</summary></details>", None), ("<a href='#there'>there</a>", None),
            ("<label><i data-drag-handle>⠿</i></label>", "at once"), ("<button data-drag-handle>⠿</button>", "at once"),
            ("<div data-drag-handle><button>press</button></div>", None),
        ):
            found, prevented = self.browser.eval(VIEW + WAIT + HAND + """
              const [html, lifts] = args;
              const element = view.elementAt(0, 1);
              const more = document.createElement("div");
              more.innerHTML = html;
              element.append(more);
              let innermost = more;
              while (innermost.firstElementChild) innermost = innermost.firstElementChild;
              const {x, y} = element.getBoundingClientRect();
              const point = hand(innermost, x + 9, y + 9);
              const up = () => view.querySelectorAll("[data-dragging]").length;
              point("pointerdown");
              let found = up() ? "at once" : null;
              for (let i = 0; i < (lifts ? 100 : 20) && !up(); i++) await wait(25);
              if (up()) found ??= "later";
              await view.idle();
              point("pointerup");
              await view.idle();
              // And such as have keys of their own keep them.
              const key = new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true, composed: true, cancelable: true});
              innermost.dispatchEvent(key);
              await view.idle();
              more.remove();
              await view.setContentOffset({x: 0, y: 0}, false);
              await view.idle();
              return [found, key.defaultPrevented];""", html, lifts)
            expect(found == lifts, f"pressed, {html} lifts its item {found} instead of {lifts}")
            hasKeys = "controls" in html or "contenteditable>" in html
            expect(prevented != hasKeys, f"the view takes keys from {html}: {prevented}")
        # What is around the view is not in its items.
        self.browser.eval(VIEW + "view.parentNode.setAttribute('contenteditable', '')")
        self.lift(2)
        up = self.browser.eval("return document.querySelectorAll('[data-dragging]').length")
        self.browser.up()
        self.same("in what can be edited")
        expect(up == 1, f"in what can be edited {up} items are up")

    def who_goes_away_lifts_nothing(self):
        """An item that is up keeps all others from being changed, and the keys that drop it go elsewhere now."""
        self.needs_focus()
        self.open("collection=random&layout=list")
        before = self.ids()
        self.browser.eval(VIEW + "view.elementAt(0, 1).focus()")
        self.browser.key("Space")
        self.browser.eval(VIEW + WAIT + """
          const live = view.shadowRoot.querySelector(".live");
          for (let i = 0; i < 60 && !live.textContent; i++) await wait(50);""")
        self.browser.key("ArrowDown")
        lifted = self.browser.eval(VIEW + WAIT + """
          for (let i = 0; i < 60 && document.activeElement.dataset.indexPath !== "0,2"; i++) await wait(50);
          return [document.querySelectorAll("[data-dragging]").length, document.activeElement.dataset.indexPath];""")
        expect(lifted == [1, "0,2"], f"up, and the focus: {lifted}")
        self.browser.eval("document.getElementById('share').focus()")
        time.sleep(0.2)
        left = self.browser.eval(VIEW + """
          await view.idle();
          await view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]});
          return document.querySelectorAll("[data-dragging]").length;""")
        expect(left == 0, f"{left} items are up")
        self.same("put back")
        expect(self.ids(7) == before[1:], "what was lifted is not where it was")

    def pages_scroll_across_it(self):
        """A wheel goes to the page where the collection has no way to go."""
        for what, description, isOurs in (
            ("a list", {"layout": {"kind": "list"}, "collection": {"sections": [{"items": {"count": 90}}]}}, True),
            ("a list that all fits", {"layout": {"kind": "list"}, "collection": {"sections": [{"items": {"count": 2}}]}},
             False),
            ("pages side by side",
             {"layout": {"kind": "pagedGrid"}, "collection": {"sections": [{"items": {"count": 900}}]}}, False),
        ):
            self.open("layout=flow&collection=random")
            self.browser.eval(VIEW + """
              const other = document.createElement("collection-view");
              const {server} = view;
              view.remove();
              for (const {style} of document.body.children) style.display = "none";
              document.body.append(other);
              other.style.cssText = "width: 600px; height: 500px";
              for (const {style} of [document.documentElement, document.body]) {
                style.overflow = "visible";
                style.height = "3000px";
              }
              Object.assign(other, {server, description: args[0]});""", description)
            self.settle()
            x, y = self.middle()
            for _ in range(2):
                self.browser.wheel(x, y, 0, 100)
                time.sleep(0.1)
            time.sleep(0.3)
            page, own = self.browser.eval(VIEW + "return [scrollY, view.contentOffset.y]")
            expect((page == 0, own > 0) == (isOurs, isOurs), f"{what}: the page scrolls by {page}, and it by {own}")

    def held_keys_do_not_pile_up(self):
        self.open("collection=random&layout=list")
        asked, end = self.browser.eval(VIEW + WAIT + """
          const real = window.fetch;
          let asked = 0, letGo;
          const held = new Promise((resolve) => letGo = resolve);
          window.fetch = async (url, options) => { asked++; await held; return real(url, options); };
          view.elementAt(0, 0).focus();
          for (let press = 0; press < 40; press++) {
            (document.activeElement ?? view).dispatchEvent(new KeyboardEvent("keydown", {
              key: "End", repeat: press > 0, bubbles: true, composed: true, cancelable: true,
            }));
            await wait(10);
          }
          letGo();
          await view.idle();
          window.fetch = real;
          const end = document.activeElement.dataset.indexPath;
          for (let i = 0; i < 300 && document.activeElement.dataset.indexPath !== "0,0"; i++) {
            document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {
              key: "Home", repeat: true, bubbles: true, composed: true, cancelable: true,
            }));
            await wait(100);
          }
          return [asked, end];""")
        expect(0 < asked < 20, f"forty presses before the first answer ask {asked} times")
        expect(end == "0,599", f"a key that is held leads to {end}")
        focus = self.browser.eval("return document.activeElement.dataset.indexPath ?? 'nothing'")
        expect(focus == "0,0", f"another that is held leads to {focus}")

    def the_viewport_can_be_resized(self):
        self.open("collection=gallery&layout=waterfall")
        self.browser.eval(VIEW + "await view.setContentOffset({x: 0, y: 5000}, false); await view.idle()")
        seen = "return view.visibleItems.filter((i) => i.attributes.kind === 'cell').map((i) => i.attributes.id)"
        for width, height in ((900, 700), (360, 740), (1280, 800)):
            before = self.browser.eval(VIEW + seen)
            self.browser.resize(width, height)
            time.sleep(0.15)
            self.same(f"at {width} × {height}")
            after = self.browser.eval(VIEW + seen)
            expect(set(before) & set(after), f"at {width} × {height} nothing is seen of {before}, but {after}")
            wide = self.browser.eval("return document.documentElement.scrollWidth")
            expect(wide <= width, f"the page is {wide} wide at {width}")

    @provokes(422)
    def edges_lie_on_the_pixels_of_the_screen(self):
        """As the server places them for that scale, so that a first screen of the same one stays where it is."""
        self.open("collection=gallery&layout=waterfall")
        seen = self.browser.eval(VIEW + """
          const {collection, layout} = view;
          const heights = [];
          for (const [scale, expected] of [
            [null, undefined], [2, 2], ["1.5", 1.5], ["auto", devicePixelRatio], [null, undefined],
          ]) {
            view.displayScale = scale;
            await view.idle();
            const answer = await (await fetch("/v1/layout", {
              method: "POST", headers: {"Content-Type": "application/json"},
              body: JSON.stringify({
                collection, layout,
                viewport: {...view.viewportSize, ...(expected && {displayScale: expected})}}),
            })).json();
            heights.push([view.displayScale, Object.keys(view.viewportSize).length, view.contentSize.height, answer.contentSize.height]);
          }
          const refused = new Promise((resolve) => {
            view.addEventListener("error", ({detail}) => resolve(detail.problem?.pointer), {once: true});
          });
          view.displayScale = "none";
          return [heights, [view.displayScale, await refused]];""")
        heights, refused = seen
        for (value, members, own, expected), wanted in zip(heights, [None, 2, 1.5, "auto", None], strict=True):
            expect(value == wanted and members == 2 and own == expected, f"at {wanted}: {value}, {own} and {expected}")
        expect(len({own for _, _, own, _ in heights}) > 2, f"all scales are alike: {heights}")
        expect(refused == ["none", "/viewport/displayScale"], f"what is no scale is {refused}")
        # Without it again, whenever that is: before there is a session, and while nobody sees it.
        for what, before, after in (
            ("while a session begins", "view.collection = {...view.collection}; await begun;", ""),
            ("while it is hidden", "view.style.display = 'none'; await wait(100);", "view.style.display = '';"),
        ):
            own, scaled = self.browser.eval(VIEW + WAIT + f"""
              view.displayScale = 2;
              await view.idle();
              const scaled = view.contentSize.height;
              const real = window.fetch;
              const begun = new Promise((resolve) => {{
                window.fetch = async (url, options) => {{
                  if (options?.method === "POST" && url.endsWith("/sessions")) resolve();
                  return real(url, options);
                }};
              }});
              {before}
              view.displayScale = null;
              await wait(100);
              {after}
              await wait(100);
              await view.idle();
              window.fetch = real;
              return [view.contentSize.height, scaled];""")
            expect(own == heights[0][2] != scaled, f"without a scale {what}: {own} instead of {heights[0][2]}")

    def resized_while_it_begins(self):
        """The collection may be large, and is sent once, whatever size the element gets meanwhile."""
        self.open("layout=flow")
        asked = self.browser.eval(WAIT + """
          document.querySelector("collection-view").remove();
          const real = window.fetch;
          const asked = [];
          window.fetch = async (url, options) => {
            const place = new URL(url, location).pathname.replace(/[0-9a-f-]{16,}/i, "ID");
            if (/gallery|sessions$|viewport$/.test(place)) {
              asked.push(`${options?.method ?? "GET"} ${place}`);
              await wait(500);
            }
            return real(url, options);
          };
          const view = document.createElement("collection-view");
          view.style.cssText = "width: 600px; height: 500px";
          view.setAttribute("src", "/playground/gallery.json");
          view.setAttribute("layout", "waterfall");
          view.addEventListener("ready", () => view.setContentOffset({x: 0, y: 5000}, false), {once: true});
          document.body.append(view);
          for (const width of [500, 550, 450, 400]) {
            await wait(180);
            view.style.width = `${width}px`;
          }
          await wait(500);
          for (let i = 0; i < 100 && !view.sessionURL; i++) await wait(25);
          await view.idle();
          window.fetch = real;
          return asked;""")
        expect(asked == ["GET /playground/gallery.json", "POST /v1/sessions", "PUT /v1/sessions/ID/viewport"],
               f"asked: {asked}")
        answer = self.same("resized twice while the source came, and twice while the session was begun")
        expect(answer["offset"]["y"] > 1000, f"what it was scrolled by before it was told of is lost: {answer['offset']}")
        size = self.browser.eval(VIEW + "return [view.viewportSize.width, view.contentSize.width]")
        expect(size[0] == size[1] <= 400, f"the viewport's and the content's width are {size}")

    def a_million_items(self):
        self.open("collection=million&layout=waterfall")
        self.browser.eval(VIEW + "await view.scrollToItem(0, 999999, 'end'); await view.idle()")
        self.same("at the last")
        expect(self.browser.eval(VIEW + "return view.elementAt(0, 999999) !== null"), "the last is not there")
        x, y = self.middle()
        start = self.browser.eval(VIEW + "return view.contentOffset.y")
        for _ in range(3):
            self.browser.wheel(x, y, 0, -400)
            time.sleep(0.05)
        time.sleep(0.4)
        back = start - self.same("a little back")["offset"]["y"]
        expect(1100 <= back <= 1300, f"went back by {back} instead of 1200")
        self.browser.eval(VIEW + "await view.setContentOffset({x: 0, y: 0}); await view.idle()")
        self.same("at the first")
        times, busy, longest = self.browser.traced(lambda: self.browser.eval(VIEW + """
          const scroller = view.shadowRoot.querySelector(".scroller");
          const times = [];
          const began = performance.now();
          let last = began;
          await new Promise((resolve) => {
            const step = (now) => {
              times.push(now - last);
              last = now;
              scroller.scrollTop += 40;
              if (times.length < 240 && now - began < 10_000) requestAnimationFrame(step); else resolve();
            };
            requestAnimationFrame(step);
          });
          return {frames: times.slice(5), ticks: playground.live.ticks.slice(-100)};"""))
        frames, ticks = sorted(times["frames"]), times["ticks"]
        at = lambda part: frames[min(int(len(frames) * part), len(frames) - 1)]
        self.notes.append(
            f"a million items, 40 px a frame: frames {at(.5):.1f} ms median, {at(.95):.1f} p95, {frames[-1]:.1f} worst, "
            f"{sum(f > 25 for f in frames)} of {len(frames)} over 25; ticks {statistics.median(ticks):.1f} ms")
        if busy is not None:
            busy /= len(frames) + 5
            self.notes.append(f"of each frame the page's thread was busy for {busy:.1f} ms; its longest task took {longest:.1f} ms")
            expect(0 < busy < 16, f"{busy} ms of work a frame")
        # How long frames take is told only: headless browsers draw with the processor, which others have too.
        self.same("after scrolling")

    def far_jumps_leave_what_goes(self):
        """What a jump leaves out of sight is not placed anew; a dragged thumb jumps once a frame."""
        self.open("collection=million&layout=waterfall")
        written = self.browser.eval(VIEW + """
          const scroller = view.shadowRoot.querySelector(".scroller");
          const observer = new MutationObserver(() => {});
          observer.observe(view, {subtree: true, attributes: true, attributeFilter: ["style"]});
          const written = [];
          for (const part of [0.3, 0.7, 0.5]) {
            scroller.scrollTop = scroller.scrollHeight * part;
            scroller.dispatchEvent(new Event("scroll"));
            written.push(observer.takeRecords().length);
          }
          observer.disconnect();
          return written;""")
        expect(written == [0, 0, 0], f"before an answer, so many styles are written: {written}")
        expect(self.same("in the middle")["offset"]["y"] > 1e6, "it has not jumped")

    def a_billion_items(self):
        """Far beyond what a browser can scroll by itself."""
        self.open("collection=random&layout=list")
        self.browser.eval(VIEW + """
          view.description = {collection: {sections: [{items: {count: 1e9}}]}, layout: {kind: "list"}};
          await new Promise((resolve) => view.addEventListener("ready", resolve, {once: true}));
          await view.scrollToItem(0, 999999999, "end");
          await view.idle();""")
        end = self.same("at the last of a billion")["offset"]["y"]
        size = self.browser.eval(VIEW + "return view.viewportSize.height")
        expect(end == 44e9 - size, f"the end is at {end}")
        expect(self.browser.eval(VIEW + "return view.elementAt(0, 999999999) !== null"), "the last is not there")
        for target in (22e9, 1_234_567_890, 3_000_000, 500):
            self.browser.eval(VIEW + "await view.setContentOffset({x: 0, y: args[0]}, false); await view.idle()", target)
            expect(self.same(f"at {target}")["offset"]["y"] == target, f"not at {target}")
        # By the thumb: half of the way is half of the content.
        self.browser.eval(VIEW + """
          const scroller = view.shadowRoot.querySelector(".scroller");
          const seen = new Promise((resolve) => scroller.addEventListener("scroll", resolve, {once: true}));
          scroller.scrollTop = (scroller.scrollHeight - scroller.clientHeight) / 2;
          await seen;
          await view.idle();""")
        middle = self.same("in the middle")["offset"]["y"]
        expect(abs(middle - 22e9) < 1e6, f"the middle is at {middle}")
        self.browser.eval(VIEW + """
          const scroller = view.shadowRoot.querySelector(".scroller");
          for (let i = 0; i < 10; i++) {
            // Several at once would be taken for the thumb.
            const seen = new Promise((resolve) => scroller.addEventListener("scroll", resolve, {once: true}));
            scroller.scrollTop -= 1000;
            // And a page may be busy, and hear of it late.
            for (const start = performance.now(); i === 5 && performance.now() - start < 300;);
            await seen;
          }
          await new Promise((resolve) => setTimeout(resolve, 300));""")
        moved = middle - self.same("up from the middle")["offset"]["y"]
        expect(moved == 10000, f"ten thousand pixels were {moved}")
        # It has come to rest: the thumb is where it belongs, and may be taken from there.
        thumb = self.browser.eval(VIEW + WAIT + """
          const scroller = view.shadowRoot.querySelector(".scroller");
          const part = () => scroller.scrollTop / (scroller.scrollHeight - scroller.clientHeight);
          // Of several in a row Firefox does not tell the end of the last.
          scroller.scrollTop -= 10;
          for (let i = 0; i < 60 && Math.abs(part() - 0.5) > 1e-5; i++) await wait(50);
          return part();""")
        expect(abs(thumb - 0.5) < 1e-5, f"in the middle the thumb is at {thumb}")

    def long_ways_meet_both_ends(self):
        """Long content that is scrolled without a rest is at its end when the scroller is, and not before."""
        self.open("collection=random&layout=list")
        self.browser.eval(VIEW + """
          view.description = {collection: {sections: [{items: {count: 1e9}}]}, layout: {kind: "list"}};
          await new Promise((resolve) => view.addEventListener("ready", resolve, {once: true}));
          await view.idle();""")
        for sign, start in ((-1, 2e6), (1, 44e9 - 2e6)):
            left = self.browser.eval(VIEW + """
              const [sign, start] = args;
              await view.setContentOffset({x: 0, y: start}, false);
              await view.idle();
              const scroller = view.shadowRoot.querySelector(".scroller");
              const end = sign < 0 ? 0 : scroller.scrollHeight - scroller.clientHeight;
              let position = scroller.scrollTop;
              Object.defineProperty(scroller, "scrollTop", {
                get: () => position, set: (value) => { position = value; }, configurable: true,
              });
              while (position !== end) {
                position = sign < 0 ? Math.max(position - 1000, end) : Math.min(position + 1000, end);
                scroller.dispatchEvent(new Event("scroll"));
              }
              delete scroller.scrollTop;
              return sign < 0 ? view.contentOffset.y : view.contentSize.height - view.viewportSize.height - view.contentOffset.y;""",
              sign, start)
            expect(left == 0, f"the scroller has no way to go, and the content {left} px")

    def swinging_beyond_the_ends(self):
        """As Safari on Apple's systems does: the content goes along by itself, and nothing is to be done."""
        swing = VIEW + WAIT + """
          const scroller = view.shadowRoot.querySelector(".scroller");
          const end = scroller.scrollTop;
          const done = [];
          // An end may be within a pixel.
          const { y } = view.contentOffset;
          view.addEventListener("tick", ({detail: {contentOffset}}) => {
            if (Math.abs(contentOffset.y - y) > 1) done.push(`tick at ${contentOffset.y}`);
          });
          view.addEventListener("snap", () => done.push("snap"));
          for (const beyond of [30, 80, 60, 20]) {
            Object.defineProperty(scroller, "scrollTop", {
              get: () => end + args[0] * beyond, set: (position) => done.push(`put at ${position}`), configurable: true,
            });
            scroller.dispatchEvent(new Event("scroll"));
            await wait(20);
          }
          await wait(300);
          delete scroller.scrollTop;
          scroller.dispatchEvent(new Event("scroll"));
          await view.idle();
          return done;"""
        billion = """
          view.description = {collection: {sections: [{items: {count: 1e9}}]}, layout: {kind: "list"}};
          await new Promise((resolve) => view.addEventListener("ready", resolve, {once: true}));"""
        for what, state, more in (
            ("pinned headers", "collection=gallery&layout=waterfall&pin=true", ""),
            ("cover flow", "collection=random&layout=coverFlow&direction=vertical", ""),
            ("a billion items", "collection=random&layout=list", billion),
        ):
            self.open(state)
            self.browser.eval(VIEW + more + "await view.idle()")
            for end, sign in ((0, -1), (1e12, 1)):
                self.browser.eval(VIEW + "await view.setContentOffset({x: 0, y: args[0]}, false); await view.idle()", end)
                time.sleep(0.3)
                before = self.same(what)["offset"]
                done = self.browser.eval(swing, sign)
                expect(not done, f"{what}, beyond an end: {done}")
                after = self.same(f"{what}, back")["offset"]
                expect(abs(before["y"] - after["y"]) <= 1, f"{what}: from {before} it came back to {after}")

    def fingers_that_rest_are_waited_for(self):
        """Where nothing says that scrolling has ended, long content must not be put elsewhere under a finger."""
        self.open("collection=million&layout=waterfall")
        ways = self.browser.eval(VIEW + WAIT + """
          if ("onscrollend" in window) return null;
          await view.setContentOffset({x: 0, y: 30_000_000}, false);
          await view.idle();
          const scroller = view.shadowRoot.querySelector(".scroller");
          const cell = view.querySelector("[data-kind=cell]");
          const touch = (type, touches) => cell.dispatchEvent(Object.assign(new Event(type, {bubbles: true}), {touches}));
          const scroll = async () => {
            const seen = new Promise((resolve) => scroller.addEventListener("scroll", resolve, {once: true}));
            scroller.scrollTop += 1500;
            await seen;
          };
          touch("touchstart", [{}]);
          const ways = [];
          let last = scroller.scrollTop;
          const look = async () => {
            await wait(400);
            await view.idle();
            ways.push(scroller.scrollTop - last);
            last = scroller.scrollTop;
          };
          await scroll();
          await look();
          await scroll();
          await look();
          // The one that was touched has left the document by now.
          ways.push(cell.isConnected && view.contains(cell));
          touch("touchend", []);
          await look();
          return ways;""")
        if ways is None:
            raise Skipped("it says when scrolling has ended")
        expect(ways[:2] == [1500, 1500], f"under a finger it goes {ways[:2]}")
        expect(ways[3] < -2000, f"let go, it goes {ways}")
        self.same("let go")

    def wheels_begin_where_it_rests(self):
        """In browsers that do not tell when scrolling has ended, too: a wheel that turns a little goes back there."""
        self.open("layout=list")
        for what, act in (
            ("scrolled by a wheel", "scroller.scrollTop = 1060; await ended();"),
            ("scrolled by the page", "await view.setContentOffset({x: 0, y: 1060}, false);"),
            ("dragged, and the drag cancelled", """
              point("pointerdown");
              for (const y of [300, 600, 1060]) point("pointermove", 340 - y);
              point("pointercancel");"""),
            ("scrolled by an item at an edge", """
              view.reorderable = true;
              point("pointerdown");
              for (let i = 0; i < 100 && !view.querySelector("[data-dragging]"); i++) await wait(25);
              await view.idle();
              view.shadowRoot.querySelector(".scroller").scrollTop = 1060;
              await ended();
              point("pointerup");"""),
        ):
            seen = self.browser.eval(WAIT + HAND + f"""
              const frame = document.createElement("iframe");
              frame.style.cssText = "position: fixed; inset: 0; width: 600px; height: 500px";
              document.body.append(frame);
              const window = frame.contentWindow;
              // Before the module looks for it.
              for (let owner = window; owner; owner = Object.getPrototypeOf(owner)) delete owner.onscrollend;
              if ("onscrollend" in window) throw new Error("it is told when scrolling has ended");
              const view = frame.contentDocument.createElement("collection-view");
              // Where it is to rest an item is in the middle, and stays there in another layout.
              view.style.cssText = "width: 500px; height: 480px";
              frame.contentDocument.body.append(view);
              const script = frame.contentDocument.createElement("script");
              Object.assign(script, {{type: "module", src: "/client/collection-view.js"}});
              frame.contentDocument.body.append(script);
              Object.assign(view, {{
                server: `${{location.origin}}/`, layout: {{kind: "list", itemLength: 200}},
                collection: {{sections: [{{items: {{count: 90}}}}]}}}});
              for (let i = 0; i < 200 && !view.sessionURL; i++) await wait(25);
              await view.idle();
              const scroller = view.shadowRoot.querySelector(".scroller");
              const ended = async () => {{
                const seen = new Promise((resolve) => scroller.addEventListener("scroll", resolve, {{once: true}}));
                await seen;
                await wait(300);
              }};
              const point = (type, clientY = 300) =>
                (type === "pointerdown" ? view.elementAt(0, 1) : scroller).dispatchEvent(new window.PointerEvent(type, {{
                  pointerId: 1, isPrimary: true, button: 0, pointerType: "mouse", clientX: 9, clientY, bubbles: true,
                  composed: true, cancelable: true}}));
              await view.setContentOffset({{x: 0, y: 40}}, false);
              await view.idle();
              {act}
              await view.idle();
              await view.setLayout({{...view.layout, snap: {{mode: "start"}}}});
              await view.idle();
              const {{y}} = view.contentOffset;
              let target = null;
              view.addEventListener("snap", ({{detail}}) => {{ target = detail.target.y; }});
              scroller.scrollTop += 10;
              for (let i = 0; i < 100 && target === null; i++) await wait(50);
              await view.idle();
              frame.remove();
              return [y, target, view.contentOffset.y];""")
            expect(seen == [1060, 1000, 1000], f"{what}: from one place it snaps to another, and is there: {seen}")

    def what_is_set_later_is_another_matter(self):
        """A batch, or data, that wait while others are set are for those that were there."""
        self.open("layout=list")
        for what, act in (
            ("a batch", "view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 2}]})"),
            ("data", "view.replaceCollection(of('c', 70))"),
        ):
            seen = self.browser.eval(VIEW + f"""
              const of = (name, count) => ({{sections: [{{items: {{ids: Array.from({{length: count}}, (_, i) => name + i)}}}}]}});
              view.collection = of("a", 100);
              await view.idle();
              {act}.catch(() => {{}});
              view.collection = of("b", 50);
              await view.idle();
              return [view.visibleItems[0].attributes.id, view.itemCounts[0], view.collection.sections[0].items.ids.length];""")
            expect(seen == ["b0", 50, 50], f"{what} and what is set then: {seen}")
        seen = self.browser.eval(VIEW + """
          view.replaceCollection({sections: [{items: {count: 70}}]});
          view.collection = null;
          await view.idle();
          return [view.itemCounts, view.visibleItems.length];""")
        expect(seen == [[], 0], f"data, and none then: {seen}")

    def what_makes_header_fields_may_fail(self):
        """The session that is there stays; the server forgets that of who leaves then by itself."""
        self.open("collection=random&layout=list")
        seen = self.browser.eval(VIEW + WAIT + """
          const errors = [];
          view.addEventListener("error", ({detail}) => errors.push(String(detail.error)));
          const {sessionURL} = view;
          view.headers = () => { throw new Error("no key yet"); };
          view.collection = {sections: [{items: {count: 3}}]};
          await view.idle();
          const isThere = view.sessionURL === sessionURL;
          view.remove();
          await wait(1200);
          return [isThere, ...errors];""")
        expect(seen == [True, *["Error: no key yet"] * 2], f"there, and told: {seen}")

    def what_a_page_does_not_know_yet_is_nothing(self):
        """Frameworks set `undefined` first."""
        self.open("layout=list")
        seen = self.browser.eval(VIEW + """
          const errors = [];
          view.addEventListener("error", ({detail}) => errors.push(String(detail.error)));
          const {server, layout} = view;
          for (const value of [undefined, null]) {
            for (const name of ["server", "layout", "collection", "prefetch", "displayScale"]) view[name] = value;
            await view.idle();
          }
          const found = [view.server === server, view.layout === layout, view.collection, view.visibleItems.length];
          view.collection = {sections: [{items: {count: 9}}]};
          await view.idle();
          return [...found, view.visibleItems.length, errors];""")
        expect(seen == [True, True, None, 0, 9, []], f"of what is not known: {seen}")

    def what_a_page_styles_is_where_it_belongs(self):
        """Whatever a page says of all its boxes, and wherever it hides the element."""
        self.open("layout=list")
        seen = self.browser.eval(VIEW + """
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(`
            html { box-sizing: border-box } *, *::before { box-sizing: inherit }
            collection-view > * { padding: 10px; border: 1px solid; max-width: 100%; min-height: 300px }`);
          document.adoptedStyleSheets.push(sheet);
          view.collection = {sections: [{items: {count: 50, size: {width: 100, height: 100}}}]};
          await view.idle();
          const {element, attributes: {frame}} = view.visibleItems[1];
          const {width, height} = element.getBoundingClientRect();
          view.style.visibility = "hidden";
          const hidden = getComputedStyle(element).visibility;
          view.style.visibility = "";
          document.adoptedStyleSheets.pop();
          return [width - frame.width, height - frame.height, hidden, getComputedStyle(element).visibility];""")
        expect(seen == [0, 0, "hidden", "visible"], f"wider, longer, hidden, and shown by: {seen}")

    def pages_that_are_written_in_columns(self):
        for mode in ("vertical-rl", "vertical-lr"):
            self.open("collection=random&layout=pagedGrid")
            self.browser.eval(VIEW + f"""
              document.documentElement.style.writingMode = '{mode}';
              view.collection = view.collection;
              await view.idle();""")
            self.same(f"{mode}", least=5)
            own = self.browser.eval(VIEW + "return getComputedStyle(view.visibleItems[0].element).writingMode")
            expect(own == mode, f"texts in a page that is written {mode} are written {own}")
            self.browser.eval(VIEW + "await view.setContentOffset({x: view.viewportSize.width * 2, y: 0}, false)")
            answer = self.same(f"{mode}, the third page", least=5)
            seen = self.browser.eval(VIEW + """
              const box = view.getBoundingClientRect();
              return view.visibleItems.map(({element}) => element.getBoundingClientRect())
                .filter((item) => item.left >= box.left - 1 && item.right <= box.right + 1).length;""")
            expect(answer["offset"]["x"] > 0 and seen > 5, f"{mode}: {seen} items are seen at {answer['offset']}")

    def a_scroll_that_is_asked_for_ends_where_it_should(self):
        """Whichever side the scroll bar has gone to with the layout before, and whatever size the element gets."""
        self.open("layout=list")
        for kind in ("coverFlow", "pagedGrid", "banner", "wheel"):
            seen = self.browser.eval(VIEW + f"""
              view.layout = "list";
              view.collection = {{sections: [{{items: {{count: 77, size: {{width: 100, height: 100}}}}}}]}};
              await view.idle();
              await view.setLayout("{kind}");
              await view.scrollToItem(0, 40, "center");
              await view.idle();
              const there = view.contentOffset.x;
              await view.scrollToItem(0, 40, "center", false);
              await view.idle();
              const far = view.scrollToItem(0, 3, "center");
              await new Promise((resolve) => setTimeout(resolve, 100));
              view.style.height = "400px";
              await far;
              await view.idle();
              const resized = view.contentOffset.x;
              await view.scrollToItem(0, 3, "center", false);
              await view.idle();
              view.style.height = "";
              return [there, resized, view.contentOffset.x];""")
            there, resized, expected = seen
            expect(there > 500, f"{kind}: it ends at {there}")
            # The middle of an item is no page.
            if kind != "pagedGrid":
                expect(abs(resized - expected) < 60, f"{kind}: in another size at {resized} instead of {expected}")
        # Pages are as broad as the element, which another layout's scroll bar, or the page, makes broader or narrower.
        for what, act in (("another layout", ""), ("less room", "view.style.width = '500px';")):
            page = self.browser.eval(VIEW + f"""
              await view.setLayout("list");
              await view.scrollToItem(0, 40, "start", false);
              await view.setLayout("pagedGrid");
              await view.idle();
              const there = view.setContentOffset({{x: 2 * view.viewportSize.width, y: 0}});
              await new Promise((resolve) => setTimeout(resolve, 120));
              {act}
              await there;
              await view.idle();
              const page = view.contentOffset.x / view.viewportSize.width;
              view.style.width = "";
              await view.idle();
              return page;""")
            expect(page == round(page) > 0, f"with {what} it ends at page {page}")

    def the_focus_of_a_header_is_no_cells(self):
        self.open("layout=list")
        seen = self.browser.eval(VIEW + """
          view.layout = {kind: "list"};
          view.renderItem = (element, {kind, indexPath}) => {
            if (kind !== "header") element.textContent = indexPath;
            else if (!element.querySelector("input")) element.innerHTML = "<input>";
          };
          view.collection = {sections: [{header: {width: 100, height: 40}, items: {count: 60}}]};
          await view.idle();
          view.elementAt(0, 3).focus();
          view.querySelector("input").focus();
          const focused = () => document.activeElement.dataset.indexPath ?? document.activeElement.localName;
          const seen = [focused()];
          for (const y of [100, 0]) {
            await view.setContentOffset({x: 0, y}, false);
            await view.idle();
            seen.push(focused());
          }
          return seen;""")
        expect(seen == ["input", "collection-view", "collection-view"], f"the focus is at {seen}")

    @provokes(422)
    def a_layout_that_is_refused_while_a_session_begins(self):
        """What has been shown is shown with the layout before."""
        self.open("layout=list")
        seen = self.browser.eval(VIEW + WAIT + """
          const of = (count) => ({sections: [{items: {count}}]});
          view.collection = of(4);
          await view.idle();
          const real = window.fetch;
          const begun = new Promise((resolve) => {
            window.fetch = async (url, options) => {
              if (options?.method === "POST" && url.endsWith("/sessions")) {
                resolve();
                await wait(200);
              }
              return real(url, options);
            };
          });
          const refused = new Promise((resolve) => {
            view.addEventListener("error", ({detail}) => resolve(detail.status), {once: true});
          });
          view.collection = of(3);
          await begun;
          view.layout = {kind: "flow", columns: 3};
          const status = await refused;
          await view.idle();
          window.fetch = real;
          return [status, view.layout.kind, view.itemCounts, view.visibleItems.length];""")
        expect(seen == [422, "list", [3], 3], f"refused, and then: {seen}")

    def what_scrolls_in_an_item_keeps_its_scroll_bar(self):
        self.open("layout=list")
        seen = self.browser.eval(VIEW + WAIT + HAND + """
          view.reorderable = true;
          view.renderItem = (element) => {
            element.innerHTML = "<div><p></p></div>";
            const {firstChild} = element;
            Object.assign(firstChild.style, {
              display: "block", width: "200px", height: "90px", overflow: "scroll", borderRight: "12px solid"});
            firstChild.firstChild.style.height = "900px";
          };
          view.collection = {sections: [{items: {count: 50, size: {width: 100, height: 100}}}]};
          await view.idle();
          const inner = view.elementAt(0, 1).firstChild;
          const {right, top} = inner.getBoundingClientRect();
          const bar = inner.offsetWidth - inner.clientWidth - 12;
          const found = [bar];
          // Its bar, its border, and what scrolls.
          for (const x of [right - 12 - bar / 2, right - 6, right - 100]) {
            const point = hand(inner, x, top + 24);
            point("pointerdown");
            await wait(500);
            found.push(view.querySelector("[data-dragging]") !== null);
            point("pointerup");
            await view.idle();
          }
          return found;""")
        bar, *seen = seen
        if bar < 1:
            raise Skipped("its scroll bars take no room")
        expect(seen == [False, True, True], f"lifted by the scroll bar, the border, and what scrolls: {seen}")

    def pages_that_are_read_from_the_right(self):
        self.open("collection=random&layout=pagedGrid")
        self.browser.eval("document.documentElement.dir = 'rtl'")
        self.same("from the right", least=5)
        self.browser.eval(VIEW + "const {width} = view.viewportSize; await view.setContentOffset({x: 2 * width, y: 0}, false)")
        answer = self.same("the third page", least=5)
        seen = self.browser.eval(VIEW + """
          const box = view.getBoundingClientRect();
          return view.visibleItems.map(({element}) => element.getBoundingClientRect())
            .filter((item) => item.left >= box.left - 1 && item.right <= box.right + 1).length;""")
        expect(answer["offset"]["x"] > 0 and seen > 5, f"{seen} items are seen at {answer['offset']}")
        texts = self.browser.eval(VIEW + "return getComputedStyle(view.visibleItems[0].element).direction")
        expect(texts == "rtl", f"texts are written {texts}")

    def first_screens_of_a_server_stay(self):
        """Elements that the page's server has drawn are taken over where they are; from another origin, too."""
        for width, scale in ((1200, ""), (768, ""), (360, ""), (1200, "&scale=2"), (768, "&scale=1.5")):
            self.browser.resize(width, 800)
            self.browser.goto(f"{self.shop}/?width={width}{scale}")
            self.browser.eval(VIEW + "for (let i = 0; i < 200 && !view.version; i++) await new Promise((r) => setTimeout(r, 25));")
            answer = self.same(f"drawn by a server, {width} wide{scale}")
            seen = self.browser.eval(VIEW + """
              return {
                shift: shifts.reduce((sum, {value}) => sum + value, 0), canShift: PerformanceObserver.supportedEntryTypes.includes("layout-shift"),
                kept: drawn.filter(({element, box}) => {
                  const now = element.getBoundingClientRect();
                  return element.isConnected && Math.abs(now.x - box.x) < 0.02 && Math.abs(now.y - box.y) < 0.02 &&
                    Math.abs(now.width - box.width) < 0.02;
                }).length, count: drawn.length};""")
            expect(seen["kept"] == seen["count"] == answer["count"], f"{width}{scale}: {seen}")
            expect(seen["shift"] == 0, f"{width}{scale}: shifted by {seen['shift']}")
            if seen["canShift"] and not scale:
                self.notes.append(f"layout shift at {width}: {seen['shift']}")
        self.browser.resize(1280, 800)

    def first_screens_may_come_after_the_module(self):
        """Where that is there before the page has been read, the element is told of before what is drawn in it."""
        self.open("layout=flow")
        for what, begin, source in (
            ("set later", "", ""), ("set by a script at once", "view.collection = collection;", ""),
            ("from a source", "", "src='/own.json'"),
        ):
            # What is defined after its start tag has been read is told of its attributes where it is.
            early, late = ("", "<collection-view layout='list'>") if not source else (
                f"<collection-view {source} layout='list'>", "")
            seen = self.browser.eval(WAIT + f"""
              document.querySelector("iframe")?.remove();
              const ids = Array.from({{length: 100}}, (_, item) => `r${{item + 1}}`);
              const collection = {{sections: [{{items: {{ids, lengths: ids.map(() => 40)}}}}]}};
              const layout = {{kind: "list"}};
              const answer = await (await fetch("/v1/layout", {{
                method: "POST", headers: {{"Content-Type": "application/json"}},
                body: JSON.stringify({{collection, layout, viewport: {{width: 300, height: 200}}}}),
              }})).json();
              const frame = document.createElement("iframe");
              frame.style.cssText = "position: fixed; inset: 0; width: 500px; height: 400px";
              document.body.append(frame);
              const page = frame.contentDocument;
              page.open();
              const real = frame.contentWindow.fetch;
              frame.contentWindow.fetch = (url, options) => /own[.]json/.test(url)
                ? Promise.resolve(new Response(JSON.stringify({{collection}}))) : real.call(frame.contentWindow, url, options);
              const sheet = new frame.contentWindow.CSSStyleSheet();
              sheet.replaceSync("collection-view {{ width: 300px; height: 200px }}");
              page.adoptedStyleSheets = [sheet];
              page.write(`<!doctype html>
                <script type="module" async src="${{location.origin}}/client/collection-view.js"><\/script>{early}`);
              // WebKit runs it when all has been read.
              for (let i = 0; i < 80 && !frame.contentWindow.customElements.get("collection-view"); i++) await wait(25);
              page.write("{late}");
              const view = page.querySelector("collection-view");
              {begin}
              await wait(300);
              page.write(`<script type="application/json">${{JSON.stringify(answer)}}<\/script>`);
              for (const {{indexPath, id}} of answer.attributes) {{
                page.write(`<div data-index-path="${{indexPath}}" class="drawn">${{id}}</div>`);
              }}
              const drawn = view.querySelector(".drawn");
              page.write("</collection-view>");
              page.close();
              if (!view.src) view.collection = collection;
              for (let i = 0; i < 200 && !view.sessionURL; i++) await wait(25);
              await wait(100);
              await view.idle();
              const isTaken = view.elementAt(0, 0) === drawn;
              await view.setContentOffset({{x: 0, y: 1000}}, false);
              await view.idle();
              const left = view.querySelectorAll("[data-index-path]").length - view.visibleItems.length;
              frame.remove();
              return [isTaken, left];""")
            expect((seen[0] or begin) and seen[1] == 0, f"{what}: taken over, and left in the document: {seen}")

    def the_readme_shows_something(self):
        """What it says to paste into a page, in a page that has nothing else."""
        readme = (HERE.parents[1] / "README.md").read_text()
        element = re.search("<collection-view.*</collection-view>", readme)[0]
        self.browser.goto(f"{self.shop}/?width=768")
        self.browser.eval("""
          for (const style of document.querySelectorAll("style")) style.remove();
          document.body.innerHTML = args[0].replace("/photos.json", `${args[1]}/playground/gallery.json`);""",
          element, self.url)
        self.settle()
        self.same("by what the README says", least=5)

    def an_element_by_its_attributes_alone(self):
        self.open("layout=flow")
        self.browser.eval("""
          document.querySelector("collection-view").remove();
          const view = document.createElement("collection-view");
          view.style.cssText = "width: 600px; height: 500px";
          view.setAttribute("src", "/playground/gallery.json");
          view.setAttribute("layout", '{"kind":"list","itemLength":40}');
          window.prefetched = [];
          view.addEventListener("prefetch", ({detail}) => prefetched.push(...detail.ranges));
          document.body.append(view);""")
        self.settle()
        self.same("from a URL")
        expect(self.browser.eval("return prefetched.length") > 0, "nothing is prefetched")
        self.browser.eval(VIEW + """
          await view.replaceCollection({sections: [{items: {ids: ["a", "b", "c", "d"]}}]});
          await view.idle();""")
        self.same("other data", least=4)
        moving = self.browser.eval(VIEW + """
          const answer = await view.replaceCollection({sections: [{items: {ids: ["d", "n", "a", "b"]}}]});
          await view.idle();
          return answer.moving.length;""")
        self.same("data that differ", least=4)
        expect(moving == 3, f"{moving} items move")
        texts = self.browser.eval(VIEW + "return [...view.children].map((element) => element.textContent)")
        expect(texts == ["d", "n", "a", "b"], f"there are {texts}")

    def what_is_set_before_it_is_there_counts(self):
        """Properties of an element that the module makes a collection view of only then, and after its attributes."""
        self.open("layout=flow")
        for what, html, act in (
            ("of an element in the document", "<collection-view layout='list' label='markup'></collection-view>",
             "view.layout = {kind: 'waterfall'};"),
            ("of one made by a script", "", """
              view = document.createElement("collection-view");
              document.body.append(view);
              view.layout = {kind: "waterfall"};"""),
        ):
            seen = self.browser.eval(WAIT + f"""
              document.querySelector("iframe")?.remove();
              const frame = document.createElement("iframe");
              frame.style.cssText = "position: fixed; inset: 0; width: 600px; height: 500px";
              window.document.body.append(frame);
              const {{origin}} = location;
              const seen = await (async (document) => {{
                document.body.innerHTML = args[0];
                let view = document.body.firstChild;
                {act}
                view.style.cssText = "width: 500px; height: 400px";
                Object.assign(view, {{
                  server: `${{origin}}/`, label: "set", reorderable: true, src: `${{origin}}/playground/gallery.json`}});
                const script = document.createElement("script");
                Object.assign(script, {{type: "module", src: `${{origin}}/client/collection-view.js`}});
                document.body.append(script);
                for (let i = 0; i < 200 && !view.sessionURL; i++) await wait(25);
                const list = view.shadowRoot.querySelector("[role=list]");
                return [Boolean(view.sessionURL), list.ariaLabel, view.label, view.reorderable, view.layout.kind];
              }})(frame.contentDocument);
              frame.remove();
              return seen;""", html)
            expect(seen == [True, "set", "set", True, "waterfall"], f"{what}: {seen}")

    def scroll_bars_come_first(self):
        """They take room: of a session that begins without them, the viewport would be another at once."""
        self.open("layout=flow&collection=random")
        asked = self.browser.eval(VIEW + WAIT + """
          const asked = [];
          for (const layout of ["list", "coverFlow"]) {
            const other = document.createElement("collection-view");
            other.style.cssText = "width: 600px; height: 500px";
            other.addEventListener("request", ({detail}) => asked.push(`${detail.method} ${detail.url.split("/").pop()}`));
            other.server = view.server;
            document.body.append(other);
            other.description = {collection: {sections: [{items: {count: 100}}]}, layout: {kind: layout}};
            for (let i = 0; i < 200 && !other.sessionURL; i++) await wait(25);
            await wait(200);
            await other.idle();
            other.remove();
          }
          return asked;""")
        expect(asked == ["POST sessions", "POST scroll"] * 2, f"asked for {asked}")

    @provokes(422)
    def it_is_as_its_types_say(self):
        """Null takes an attribute away; without a session there are no problem details."""
        self.open("layout=flow")
        seen = self.browser.eval("""
          const view = document.createElement("collection-view");
          for (const name of ["src", "label"]) {
            view[name] = "x";
            view[name] = null;
          }
          const error = await view.applyUpdates({}).catch((error) => error);
          return [view.src, view.label, error.name, error.status, error.problem, error.message];""")
        expect(seen == [None, None, "LayoutError", 0, None, "there is no session"], f"it is {seen}")
        refused = self.browser.eval(VIEW + """
          const {layout} = view;
          const status = await view.setLayout({kind: "flow", columns: 3}).then(() => 200, (error) => error.status);
          const known = (await (await fetch(view.sessionURL)).json()).contentSize;
          const {contentSize} = view;
          return [status, view.layout === layout, contentSize.width === known.width, contentSize.height === known.height];""")
        expect(refused == [422, True, True, True], f"a layout that is refused leaves {refused}")
        told = self.browser.eval(VIEW + """
          const failed = new Promise((resolve) => view.addEventListener("error", ({detail}) => resolve(detail), {once: true}));
          view.layout = {kind: "flow", columns: 3};
          const {error, status, problem} = await failed;
          view.label = "Stamps";
          return [error.status, status, problem?.status, view.shadowRoot.querySelector("[role=list]").ariaLabel];""")
        expect(told == [422, 422, 422, "Stamps"], f"an event says of a refusal, and the list is called, {told}")

    def curl_tells_the_same(self):
        """The commands that the page shows, run by a shell."""
        self.open("layout=waterfall&collection=random&at=0,700")
        time.sleep(0.3)
        count = self.same("at first")["count"]
        for kind in ("session", "once"):
            self.browser.eval("document.querySelector(`input[name=curl][value=${args[0]}]`).click()", kind)
            command = self.browser.eval("return document.getElementById('curl').textContent")
            ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=10)
            try:
                attributes = json.loads(ran.stdout)["attributes"]
            except (ValueError, KeyError):
                raise Failed(f"{command[:200]}: {ran.stdout[:300]}") from None
            expect(len(attributes) == count, f"{kind}: {len(attributes)} elements instead of {count}")

    @provokes(404)
    def changes_are_told_of(self):
        """By headers, and by the command that lays out from nothing, in another session too."""
        self.open("collection=gallery&layout=list")
        names = self.browser.eval(VIEW + WAIT + """
          const names = [];
          for (const act of ["delete", "delete", "insert"]) {
            const {version} = view;
            document.getElementById(act).click();
            for (let i = 0; i < 200 && view.version === version; i++) await wait(25);
            await view.idle();
            names.push(view.querySelector("[data-kind=header]").textContent);
          }
          return names;""")
        expect([name.split()[-1] for name in names] == ["792", "791", "793"], f"headers say {names}")
        commands = self.browser.eval(VIEW + WAIT + """
          document.querySelector("input[name=curl][value=once]").click();
          const commands = [document.getElementById("curl").textContent];
          await fetch(view.sessionURL, {method: "DELETE"});
          await view.setContentOffset({x: 0, y: 100}, false);
          await view.idle();
          document.querySelector("input[name=curl][value=session]").click();
          document.querySelector("input[name=curl][value=once]").click();
          return [...commands, document.getElementById("curl").textContent];""")
        expect(not any("gallery.json" in command for command in commands), f"commands for what is no more: {commands}")
        self.browser.eval(VIEW + WAIT + """
          document.querySelector("input[value=json]").click();
          for (let i = 0; i < 200 && view.itemCounts.join() !== "5,40"; i++) await wait(25);
          await view.idle();""")
        name = self.browser.eval(VIEW + "return view.querySelector('[data-kind=header]').textContent")
        expect(name == "Section 1 · 5", f"of another collection the header says {name}")

    def skipping_the_controls_is_no_new_page(self):
        self.open("layout=list&collection=random")
        self.browser.eval("window.mark = 'same'; document.querySelector('.skip').click()")
        time.sleep(1)
        found = self.browser.eval(VIEW + "return [window.mark ?? null, view.layout.kind, location.hash]")
        expect(found == ["same", "list", "#layout=list&collection=random"], f"it is the {found}")

    @provokes(401)
    def keys_are_asked_for(self):
        """A server with keys: the page asks for one, goes on with it, and shows it to nobody."""
        key = "0123456789abcdef"
        with tempfile.NamedTemporaryFile("w") as keys:
            keys.write(f"alice:{hashlib.sha256(key.encode()).hexdigest()}\n")
            keys.flush()
            with server(self.program, "--api-keys-file", keys.name) as url:
                self.browser.goto(f"{url}/#layout=waterfall&collection=random")
                waiting = """
                  for (let i = 0; i < 200 && document.getElementById("failed").hidden; i++) await new Promise((r) => setTimeout(r, 25));
                  return !document.getElementById("failed").hidden && !document.getElementById("key").hidden;"""
                expect(self.browser.eval(waiting), "no key is asked for")
                type_key = """
                  document.getElementById("secret").value = args[0];
                  document.querySelector("#key button").click();"""
                self.browser.eval("document.getElementById('failed').hidden = true;" + type_key, "another")
                expect(self.browser.eval(waiting), "a wrong key is taken")
                self.browser.eval(type_key, key)
                self.settle()
                expect(self.browser.eval("return document.getElementById('failed').hidden"), "the question stays")
                expect(self.browser.eval("return document.querySelector('collection-view').visibleItems.length > 4"), "nothing is shown")
                time.sleep(0.3)
                page = self.browser.eval("return document.documentElement.outerHTML + location.href")
                expect(key not in page, "the key is shown")
                for kind in ("session", "once"):
                    self.browser.eval("document.querySelector(`input[name=curl][value=${args[0]}]`).click()", kind)
                    command = self.browser.eval("return document.getElementById('curl').textContent")
                    ran = subprocess.run(
                        ["bash", "-c", command], capture_output=True, text=True, timeout=10,
                        env={**os.environ, "LAYOUTD_KEY": key})
                    expect('"attributes":' in ran.stdout, f"{command[:200]}: {ran.stdout[:300]}")

    def links_bring_back(self):
        """What is shown is in the address."""
        self.open("layout=wheel&collection=random")
        self.browser.eval(VIEW + "await view.scrollToItem(0, 20, 'center', false)")
        time.sleep(0.6)
        link = self.browser.eval("return location.href")
        before = self.same("before")["offset"]
        self.browser.goto(link)
        self.settle()
        time.sleep(0.2)
        after = self.same("after")["offset"]
        expect(before["x"] > 0 and abs(after["x"] - before["x"]) <= 1, f"{before} became {after}")
        # The size of the items and that of the viewport are two things.
        self.open("layout=flow&collection=random&size=60&viewport=400,300")
        self.browser.eval(VIEW + "await view.setContentOffset({ x: 0, y: 50 }, false)")
        time.sleep(0.6)
        link = self.browser.eval("return location.href")
        self.browser.goto(link)
        self.settle()
        shown = self.browser.eval(VIEW + """
          const { width, height } = view.viewportSize;
          return [view.layout.itemSize.width, width <= 400 && height <= 300];""")
        expect(shown == [60, True], f"{link}: {shown}")

    def strange_links_are_no_dead_ends(self):
        """What nobody could have chosen is not taken, and what is around it is."""
        for link, layout, collection in (
            ("layout=toString&collection=random", "waterfall", "random"),
            ("layout=__proto__&collection=constructor", "waterfall", "gallery"),
            ("layout=waterfall-x&collection=random", "waterfall", "random"),
            ("layout=flow&collection=random&direction=diagonal&size=abc&spacing=&at=x,y", "flow", "random"),
            ("%&layout=list&collection=random&%E0%A4%A", "list", "random"),
        ):
            self.open(link)
            self.same(link)
            shown = self.browser.eval(VIEW + """
              const chosen = (name) => document.querySelector(`input[name=${name}]:checked`)?.value;
              return [view.layout.kind, chosen("layout"), chosen("collection")];""")
            expect(shown == [layout, layout, collection], f"{link}: {shown}")

    def the_last_choice_counts(self):
        """What comes late from the network does not replace what was chosen after it."""
        self.open("layout=flow&collection=random")
        count = self.browser.eval(VIEW + WAIT + """
          const choose = (name) => document.querySelector(`input[value='${name}']`).click();
          const { fetch } = window;
          let arrived;
          const late = new Promise((resolve) => { arrived = resolve; });
          window.fetch = async (...request) => {
            const answer = await fetch(...request);
            if (new URL(request[0], location).pathname === "/playground/gallery.json") {
              await wait(200);
              setTimeout(arrived, 200);
            }
            return answer;
          };
          choose("gallery");
          choose("random");
          await late;
          await view.idle();
          return view.itemCounts.reduce((sum, count) => sum + count, 0);""")
        expect(count == 600, f"{count} items instead of the 600 that were chosen last")
        self.same("the last choice")

    def fingers(self):
        """On a phone: one card a swipe, and an item is moved after it has been held."""
        if not self.browser.phone:
            raise Skipped("touches by WebDriver do not scroll")
        with self.browser.phone() as touch:
            def swipe(start, end):
                for step in range(1, 11):
                    touch("Move", tuple(a + (b - a) * step / 10 for a, b in zip(start, end)))
                    time.sleep(0.016)

            for layout in ("flow", "banner"):
                self.open(f"layout={layout}&collection=random")
                x, y = self.middle()
                touch("Start", (x, y))
                swipe((x, y), (x - 150, y) if layout == "banner" else (x, y - 150))
                touch("End")
                time.sleep(0.8)
                offset = self.same(f"{layout}, swiped")["offset"]
                expect(offset["x"] + offset["y"] > 100, f"{layout}: {offset}")
            snapped = self.browser.eval("return playground.live.snap?.indexPath")
            expect(snapped == [0, 1], f"a swipe goes to {snapped}")
            self.open("layout=flow&collection=random")
            self.browser.eval(VIEW + "window.moved = []; view.addEventListener('reorder', (e) => moved.push(e.detail))")
            start, end = self.center(0), self.center(3)
            touch("Start", start)
            time.sleep(0.6)
            swipe(start, end)
            time.sleep(0.3)
            touch("End")
            self.same("after a finger")
            moved = self.browser.eval("return moved")
            expect(len(moved) == 1 and moved[0]["from"] == [0, 0], f"events: {moved}")
            # What is touched is taken out of the document when its item is filled in anew.
            for what, inside, seconds in (("held by what is in it", "b", 0.6), ("taken by its handle", "i", 0.1)):
                self.open("layout=list&collection=random")
                self.browser.eval(VIEW + """
                  window.moved = [];
                  view.addEventListener("reorder", ({detail}) => moved.push(detail));
                  view.renderItem = (element, {id}) => {
                    element.innerHTML = `<b>${id}</b><i data-drag-handle>=</i>`;
                    [...element.children].forEach(({style}, index) => {
                      style.cssText = `position: absolute; top: 0; left: ${90 * index}px; width: 80px; height: 30px`;
                    });
                  };
                  await view.replaceCollection({sections: [{items: {ids: [...Array(50).keys()].map(String)}}]});
                  await view.setLayout({kind: "list", itemLength: 40});
                  await view.idle();""")
                start, end = self.browser.eval(VIEW + """
                  return [0, 3].map((item) => {
                    const {x, y} = view.elementAt(0, item).querySelector(args[0]).getBoundingClientRect();
                    return [x + 15, y + 15];
                  });""", inside)
                touch("Start", start)
                time.sleep(seconds)
                middle = (start[0], (start[1] + end[1]) / 2)
                swipe(start, middle)
                self.browser.eval(VIEW + "await view.idle()")
                swipe(middle, end)
                touch("End")
                self.browser.eval(VIEW + "await view.idle()")
                moved = self.browser.eval("return moved")
                expect(len(moved) == 1 and moved[0]["to"] == [0, 3], f"{what}, it goes: {moved}")

    def accessible(self):
        import axe_playwright_python

        axe = next(pathlib.Path(axe_playwright_python.__file__).parent.rglob("axe.min.js")).read_text()
        for state, size in (
            ("layout=waterfall&theme=light", (1280, 800)), ("layout=list&theme=dark", (1280, 800)),
            ("layout=coverFlow&theme=dark", (360, 740)), ("layout=flow&collection=json&theme=light", (360, 740)),
        ):
            self.browser.resize(*size)
            self.open(state)
            # Not in the middle of a change of colours.
            time.sleep(0.3)
            found = self.browser.eval(axe + """;
              const {violations} = await axe.run(document);
              return violations.map(({id, nodes}) => `${id}: ${nodes.slice(0, 2).map(({html, any}) => `${html.slice(0, 90)} ${any[0]?.message ?? ""}`).join(" | ")}`);""")
            expect(not found, f"{state}: " + "; ".join(found))
        self.browser.resize(1280, 800)

    def pictures(self):
        if not self.screenshots:
            return
        for theme, (width, height) in (
            ("light", (1400, 900)), ("dark", (1400, 900)), ("light", (360, 740)), ("dark", (360, 740)),
        ):
            self.browser.resize(width, height)
            for layout in LAYOUTS:
                self.open(f"layout={layout}&theme={theme}&collection=random")
                self.browser.eval(VIEW + "await view.scrollToItem(0, 12, 'center', false); await view.idle()")
                time.sleep(0.2)
                self.browser.screenshot(f"{self.screenshots}/{self.browser.name}-{layout}-{theme}-{width}.png")
        self.browser.resize(1280, 800)


# In the order in which they are written.
CHECKS = [name for name in vars(Checks) if not name.startswith("_")]


def run(checks, skipped):
    """Runs all checks, or those that were asked for; returns how many failed, and counts who skipped which."""
    failures = 0
    browser = checks.browser
    for name in only or CHECKS:
        start = time.monotonic()
        word, problem = "ok", None
        try:
            # What the check before has left on its page is not this one's.
            browser.keep_refused()
            browser.refused.clear()
            browser.messages.clear()
            check = getattr(checks, name)
            check()
            browser.keep_refused()
            provoked = [f"status of {status} " for status in getattr(check, "provokes", ())]
            errors = [m for m in browser.messages if not any(each in m for each in provoked)]
            expect(not browser.refused and not errors, f"the browser complains: {browser.refused} {errors}")
        except Skipped as reason:
            skipped[name] += 1
            word = f"skipped, {reason}"
        except Failed as failed:
            word, problem = "FAILED", str(failed)
        except Exception:
            word, problem = "FAILED", traceback.format_exc(limit=3)
        print(f"{browser.name}: {name.replace('_', ' ')}: {word}, {time.monotonic() - start:.1f} s", flush=True)
        if problem:
            failures += 1
            print(f"  {problem}", flush=True)
    for note in checks.notes:
        print(f"{browser.name}: {note}")
    return failures


GALLERY = pathlib.Path(__file__).parents[1] / "LayoutAPITests/Fixtures/gallery.json"


class Shop(http.server.BaseHTTPRequestHandler):
    """A page's own server, which draws the first screen by one POST /v1/layout."""

    layoutd = ""
    widths = [1200, 768, 360]
    # Without the header, which is no matter here.
    collection = {"sections": [{"items": json.loads(GALLERY.read_text())["collection"]["sections"][0]["items"]}]}

    def ask(self, query, body):
        request = urllib.request.Request(
            f"{self.layoutd}/v1/layout{query}", json.dumps(body).encode(), {"Content-Type": "application/json"})
        return urllib.request.urlopen(request).read()

    def do_GET(self):
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        if "width" not in query:
            self.send_error(404)
            return
        width = int(query["width"])
        scale = {"displayScale": float(query["scale"])} if "scale" in query else {}
        # The page is the same for all: a style sheet says which pictures show, and where.
        viewports = [{"width": other, "height": 600, **scale} for other in Shop.widths]
        description = {"collection": Shop.collection, "layout": {"kind": "waterfall", "minimumColumnWidth": 160}}
        sheet = self.ask("?format=css&selector=collection-view", {**description, "viewports": viewports}).decode()
        answers = json.loads(self.ask("", {**description, "viewports": viewports}))["viewports"]
        answer = answers[Shop.widths.index(width)]
        names = {tuple(cell["indexPath"]): cell["id"] for each in answers for cell in each["attributes"]}
        cells = "".join(
            f"<div data-kind='cell' data-index-path='{s},{i}'>{name}</div>" for (s, i), name in sorted(names.items()))
        # The scroll bar of a headless browser may take its part: the page says that it wants none.
        page = f"""<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,">
          <style>
            {sheet}
            body {{ margin: 0 }}
            collection-view {{ display: block; overflow: hidden; width: {width}px !important; height: 600px !important }}
            collection-view::part(scroller) {{ scrollbar-width: none }}
            collection-view > div {{ background: #cde }}
          </style>
          <collection-view layout='{json.dumps(description["layout"])}' {"display-scale=" + query["scale"] if scale else ""}>
            <script type="application/json">{json.dumps(answer)}</script>{cells}</collection-view>
          <script>
            window.shifts = [];
            try {{
              new PerformanceObserver((list) => shifts.push(...list.getEntries()))
                .observe({{type: "layout-shift", buffered: true}});
            }} catch {{ }}
            window.drawn = [...document.querySelectorAll("[data-index-path]")]
              .filter((element) => getComputedStyle(element).visibility === "visible")
              .map((element) => ({{element, box: element.getBoundingClientRect()}}));
            document.querySelector("collection-view").collection = {json.dumps(description["collection"])};
          </script>
          <script type="module" src="{self.layoutd}/client/collection-view.js"></script>""".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_):
        pass


parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--browser", choices=["chromium", "firefox", "webkit"])
parser.add_argument("--screenshots")
parser.add_argument("--only", nargs="*", choices=CHECKS, metavar="CHECK")
options = parser.parse_args()
only = options.only
if options.screenshots:
    pathlib.Path(options.screenshots).mkdir(parents=True, exist_ok=True)

shop = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shop)
threading.Thread(target=shop.serve_forever, daemon=True).start()
origin = f"http://127.0.0.1:{shop.server_port}"
failures = 0
skipped = collections.Counter()
kinds = (Chromium, Firefox, WebKit)
with server(options.program, "--cors-origin", origin) as url:
    Shop.layoutd = url
    for kind in kinds:
        if options.browser in (None, kind.name):
            browser = kind()
            try:
                failures += run(Checks(browser, options.program, url, origin, options.screenshots), skipped)
            finally:
                browser.close()
for name, count in skipped.items():
    if count == len(kinds):
        failures += 1
        print(f"{name.replace('_', ' ')}: FAILED, no browser has what it is about")
sys.exit(1 if failures else 0)
