"""Where a collection is scrolled to, by whom, and where that ends."""

import itertools
import statistics
import time

from page import HAND, LAYOUTS, REST, SIDEWAYS, VIEW, WAIT, Page, Skipped, expect


class ScrollingChecks(Page):
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

    def wheels_turn_as_many_pages_as_they_turn(self):
        """A rule that counts from where a drag began is asked as for one flick; what the page asks then ends where it says."""
        for what, act, page in (
            ("turned over several pages", "scroller.scrollLeft += 2.6 * width;", 3),
            ("turned a little, and then scrolled by the page", """
              scroller.scrollLeft += 60;
              scroller.dispatchEvent(new Event("scroll"));
              view.setContentOffset({x: 3 * width, y: 0}, false);""", 3),
        ):
            self.open("collection=random&layout=pagedGrid")
            at = self.browser.eval(VIEW + WAIT + f"""
              const scroller = view.shadowRoot.querySelector(".scroller");
              const {{width}} = view.viewportSize;
              {act}
              await wait(300);
              const at = () => view.contentOffset.x / width;
              for (let i = 0; i < 40 && (i < 10 || at() % 1); i++) await wait(50);
              await view.idle();
              return at();""")
            expect(at == page, f"{what}, it rests at page {at}")

    def who_comes_to_rest_by_itself_scrolls_by_itself(self):
        """Fingers across go to the page, and those along it to the element, which snaps; all else is the browser's."""
        self.open("collection=random&layout=list")
        actions = self.browser.eval(VIEW + """
          const actions = [];
          for (const layout of [
            {kind: "list"}, {kind: "flow", scrollDirection: "horizontal"}, {kind: "pagedGrid"}, {kind: "banner"},
            {kind: "coverFlow", scrollDirection: "vertical"}, {kind: "list", snap: {mode: "start"}},
            {kind: "banner", snap: {mode: "none"}},
          ]) {
            await view.setLayout(layout);
            actions.push(getComputedStyle(view.shadowRoot.querySelector(".scroller")).touchAction);
          }
          return actions;""")
        across, along = "pan-y pinch-zoom", "pan-x pinch-zoom"
        expect(actions == ["auto", "auto", across, across, along, along, "auto"], f"fingers may: {actions}")

    def what_is_pinned_stays_until_it_is_told(self):
        """The browser scrolls at once; what depends on the offset goes with the answers, and does not tremble."""
        self.open("collection=random&layout=list")
        self.browser.eval(VIEW + """
          view.collection = {sections: [
            {header: {width: 0, height: 40}, footer: {width: 0, height: 40}, items: {count: 200, size: {width: 90, height: 90}}}]};
          await view.idle();""")
        for what, layout, edge in (
            ("headers", {"kind": "flow", "sectionHeadersPinToVisibleBounds": True}, "top"),
            ("footers", {"kind": "flow", "sectionFootersPinToVisibleBounds": True}, "bottom"),
            ("covers", {"kind": "coverFlow", "scrollDirection": "vertical"}, "top"),
        ):
            moved, held = self.browser.eval(VIEW + WAIT + """
              const [layout, kind, edge] = args;
              await view.setLayout(layout);
              await view.setContentOffset({x: 0, y: 600}, false);
              await view.idle();
              const element = view.querySelector(`[data-kind=${kind}]:not([data-leaving])`);
              const at = () => element.getBoundingClientRect()[edge];
              const before = at();
              const real = window.fetch;
              let answer;
              const isHeld = new Promise((go) => { answer = go; });
              window.fetch = async (url, options) => {
                if (String(url).endsWith("/scroll")) await isHeld;
                return real(url, options);
              };
              view.shadowRoot.querySelector(".scroller").scrollTop += 40;
              for (let i = 0; i < 100 && view.contentOffset.y !== 640; i++) await wait(10);
              await new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
              const held = [view.contentOffset.y, at() - before];
              window.fetch = real;
              answer();
              await view.idle();
              return [element.isConnected, held];""", layout, what[:-1] if what != "covers" else "cell", edge)
            expect(moved and held[0] == 640 and abs(held[1]) < 1, f"{what}, scrolled to {held[0]} and not told: moved {held[1]} px")
        tops = self.browser.eval(VIEW + WAIT + """
          const layout = {kind: "flow", sectionHeadersPinToVisibleBounds: true};
          view.animationDuration = 0;
          await view.setLayout(layout);
          await view.setContentOffset({x: 0, y: 1000}, false);
          await view.idle();
          const real = window.fetch;
          window.fetch = async (url, options) => {
            const answer = await real(url, options);
            if (/(layout|scroll)$/.test(url)) await wait(250);
            return answer;
          };
          const changed = view.setLayout({...layout, minimumLineSpacing: 12});
          await wait(50);
          view.shadowRoot.querySelector(".scroller").scrollTop += 200;
          await changed;
          const tops = new Set();
          const top = view.getBoundingClientRect().top;
          for (let i = 0; i < 50; i++) {
            for (const header of view.querySelectorAll("[data-kind=header]:not([data-leaving])")) {
              tops.add(Math.round(header.getBoundingClientRect().top - top));
            }
            await wait(10);
          }
          window.fetch = real;
          await view.idle();
          return [...tops];""")
        expect(tops == [0], f"scrolled while a layout is under way: headers are at {tops}")

    def far_ways_are_short(self):
        """Asked to go far it begins near the end: what is between is not asked for."""
        self.open("collection=million&layout=waterfall")
        seen, end, height = self.browser.eval(VIEW + """
          const seen = [];
          const look = () => {
            if (view.contentOffset.y > 0) seen.push(view.contentOffset.y);
            frame = requestAnimationFrame(look);
          };
          let frame = requestAnimationFrame(look);
          await view.scrollToItem(0, 500000, "start");
          cancelAnimationFrame(frame);
          await view.idle();
          return [seen, view.contentOffset.y, view.viewportSize.height];""")
        # However few frames there are time for.
        expect(len(set(seen)) > 1, f"it goes there by {seen}")
        expect(min(seen) >= end - 2 * height - 1, f"it goes to {end} by way of {min(seen)}")

    def idle_is_who_has_arrived(self):
        self.open("collection=random&layout=list")
        at = self.browser.eval(VIEW + """
          view.setContentOffset({x: 0, y: 900});
          await view.idle();
          return view.contentOffset.y;""")
        expect(at == 900, f"it says that it is idle at {at}")
        moving = self.browser.eval(VIEW + """
          const count = () => view.visibleItems.filter(({element}) => element.getAnimations().length > 0).length;
          await view.setContentOffset({x: 0, y: 0}, false);
          await view.idle();
          await view.applyUpdates({
            insertItems: [{section: 0, at: 599, items: {ids: ["new"], sizes: [[50, 50]]}}], moveItems: [{from: [0, 0], to: [0, 1]}]});
          const before = count();
          await view.idle();
          return [before > 0, view.querySelectorAll("[data-leaving]").length, count()];""")
        expect(moving == [True, 0, 0], f"something moves, and it says that it is idle while so many leave and move: {moving}")

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
        # The page is pressed while the server is asked where it goes, and then it is told.
        caught = f"""
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
          await told;"""
        # The next request is for a session that is gone, and another cannot be begun at once.
        gone = """
          const {fetch} = window;
          let lost = 2;
          window.fetch = async (url, options) => {
            if (lost === 2 && /sessions[/]./.test(url)) {
              lost--;
              return new Response('{"type": "/problems/no-such-session"}', {status: 404});
            }
            if (lost === 1 && /sessions$/.test(url)) {
              lost--;
              throw new TypeError("cut off");
            }
            return fetch(url, options);
          };"""
        begun = "for (let i = 0; i < 100 && (lost > 0 || !view.sessionURL); i++) await wait(50);"
        drags = """
          point("pointerdown");
          for (let step = 1; step < 5; step++) point("pointermove", {clientX: x + 600 - 0.1 * width * step});
          const between = at();"""
        away = "const main = view.parentNode; view.remove(); await wait(200); main.append(view);"
        # An item is held at the edge until it has scrolled a part of the way.
        edge = """
          const item = view.elementAt(0, 0);
          const box = item.getBoundingClientRect();
          const held = hand(item, box.x + 20, box.y + 20);
          held("pointerdown");
          for (let i = 0; i < 100 && !view.querySelector("[data-dragging]"); i++) await wait(25);
          await view.idle();
          held("pointermove", {clientX: x + width - 3});
          for (let i = 0; i < 400 && at() % width < 0.2 * width; i++) await wait(5);
          const between = at() % width;"""
        for what, act in (
            ("pressed on its way", flies + press + "press('pointerup');"),
            ("pressed and let go elsewhere", flies + press + "press('pointerleave');"),
            ("stopped by a wheel that turns across",
             flies + "scroller.dispatchEvent(new WheelEvent('wheel', {deltaY: 100, bubbles: true}));"),
            ("stopped by a wheel that turns across, and held",
             flies + "scroller.dispatchEvent(new WheelEvent('wheel', {deltaY: 100, bubbles: true}));" + press +
             "await wait(400); press('pointerup');"),
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
            ("held before it is known where it goes", caught + """
              press("pointermove", {clientX: x + 310});
              const between = at();
              await wait(100);
              if (at() !== between) throw new Error(`held at ${between} it goes to ${at()}`);
              press("pointerup", {clientX: x + 310});"""),
            ("held still, and let go", caught + """
              const between = at();
              press("pointerup");"""),
            ("let go while there is no session", gone + fling + "const between = at();" + begun),
            ("scrolled by a wheel while there is no session", gone + """
              await view.scrollToItem(0, 0).catch(() => {});
              scroller.scrollLeft += 0.4 * width;
              for (let i = 0; i < 200 && at() === 0; i++) await wait(5);
              const between = at();""" + begun),
            ("scrolled by an item whose session is lost", edge + gone + begun),
            ("scrolled by an item whose session is replaced",
             edge + "view.collection = {sections: [{items: {count: 300}}]};"),
            ("scrolled by an item, and by the page then", edge + """
              const before = view.sessionURL;
              view.collection = {sections: [{items: {count: 300}}]};
              view.setContentOffset({x: 2 * width, y: 0});
              for (let i = 0; i < 100 && [before, null].includes(view.sessionURL); i++) await wait(25);
              await wait(800);
              await view.idle();
              if (at() !== 2 * width) throw new Error(`the page scrolls to ${2 * width}, and it rests at ${at()}`);"""),
            ("taken out of the document in a drag, and put back", drags + away),
            ("taken out for long in a drag, and put back", drags + away.replace("200", "1300")),
            ("hidden while it scrolled smoothly, and shown", """
              scroller.scrollBy({left: 0.6 * width, behavior: "smooth"});
              for (let i = 0; i < 200 && at() === 0; i++) await wait(5);
              const between = at();
              view.style.display = "none";
              await wait(400);
              view.style.display = "";"""),
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

    def what_was_asked_before_is_not_gone_to(self):
        """Where to come to rest, of which the answer was lost, and then the content has been taken elsewhere."""
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + WAIT + HAND + """
          const scroller = view.shadowRoot.querySelector(".scroller");
          const {fetch} = window;
          const snapping = {kind: "list", snap: {mode: "start"}};
          await view.setLayout(snapping);
          window.fetch = async (url, options) => {
            if (String(url).endsWith("/snap")) throw new TypeError("cut off");
            return fetch(url, options);
          };
          const {x, y} = view.getBoundingClientRect();
          const point = hand(view.elementAt(0, 0), x + 100, y + 300);
          for (const [type, clientY] of [["pointerdown", y + 300], ["pointermove", y + 200], ["pointerup", y + 200]]) {
            point(type, {clientY});
          }
          await new Promise((resolve) => view.addEventListener("error", resolve, {once: true}));
          await view.setLayout("list");
          scroller.scrollTop += 3000;
          for (let i = 0; i < 40 && view.contentOffset.y < 3000; i++) await wait(25);
          // Until it is known that it has come to rest.
          await wait(400);
          const before = view.contentOffset.y;
          window.fetch = fetch;
          await view.setLayout(snapping);
          // For longer than failures are left alone.
          await wait(2300);
          await view.idle();
          return view.contentOffset.y - before;""")
        expect(abs(found) < 300, f"it goes {found} to where somebody was before")
        self.same("after a question that was lost")

    def who_is_told_where_it_goes_may_go_elsewhere(self):
        """At once or by and by: what the page wants then is wanted later."""
        self.open("collection=random&layout=pagedGrid")
        found = self.browser.eval(VIEW + WAIT + """
          const {width} = view.viewportSize;
          const found = [];
          for (const isAnimated of [false, true]) {
            await view.setContentOffset({x: 0, y: 0}, false);
            await view.idle();
            const isThere = new Promise((resolve) => view.addEventListener("snap", ({detail}) => {
              found.push(detail.target.x / width);
              resolve(view.setContentOffset({x: 3 * width, y: 0}, isAnimated));
            }, {once: true}));
            view.shadowRoot.querySelector(".scroller").scrollLeft += 0.3 * width;
            await isThere;
            await view.idle();
            found.push(view.contentOffset.x / width);
          }
          return found;""")
        expect(found == [1, 3, 1, 3], f"it would go to, and is at, pages {found}")
        self.same("where the page went")

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
        # What is wanted to be seen, and is, scrolls nothing; and who is told that it is there sees what is there.
        seen = self.browser.eval(VIEW + """
          await view.setContentOffset({x: 0, y: 2000}, false);
          const {height} = view.viewportSize;
          const isSeen = ({attributes: {frame}}) => frame.y + frame.height > 2000 && frame.y < 2000 + height;
          const shown = view.visibleItems.map(isSeen);
          const inside = view.visibleItems.find(({attributes: {frame}}) => frame.y > 2000);
          await view.scrollToItem(...inside.attributes.indexPath);
          const places = [view.contentOffset.y];
          await view.scrollToItem(0, 0);
          return [shown.length > 2 && !shown.includes(false), ...places, view.contentOffset.y < 50];""")
        # A hand that is put on it holds it where it is.
        held = self.browser.eval(VIEW + WAIT + HAND + """
          await view.setContentOffset({x: 0, y: 0}, false);
          await view.idle();
          const {x, y} = view.getBoundingClientRect();
          const scroller = view.shadowRoot.querySelector(".scroller");
          const stopped = view.setContentOffset({x: 0, y: 3000});
          for (let i = 0; i < 100 && view.contentOffset.y === 0; i++) await new Promise(requestAnimationFrame);
          const point = hand(scroller, x + 100, y + 100);
          point("pointerdown");
          const before = view.contentOffset.y;
          await wait(500);
          const after = view.contentOffset.y;
          point("pointerup");
          await stopped;
          return [before > 0 && before < 3000, after - before];""")
        expect(held == [True, 0], f"held on its way, it goes on by {held}")
        expect(seen == [True, 2000, True], f"shown at once, and scrolled to what is seen, and to what is not: {seen}")

    def changes_do_not_undo_scrolling(self):
        """What is scrolled while a change is under way, the server has not been told of yet."""
        collection = "{sections: [{items: {ids: Array.from({length: 200}, (_, item) => `i${item + 2}`)}}]}"
        changes = (
            ("a batch", "view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]})"),
            ("other data", f"view.replaceCollection({collection})"),
            ("another size", "new Promise((resolve) => { view.style.width = '580px'; setTimeout(resolve, 500); })"),
            ("another layout", "view.setLayout({kind: 'list', snap: {mode: 'none'}})"),
        )
        for (what, change), isLate in itertools.product(changes, (False, True)):
            self.open("layout=list&collection=random")
            offset, start = self.browser.eval(VIEW + WAIT + f"""
              view.description = {{layout: {{kind: "list"}}, collection: {collection.replace("+ 2", "+ 1")}}};
              await new Promise((resolve) => view.addEventListener("ready", resolve, {{once: true}}));
              await view.setContentOffset({{x: 0, y: 1000}}, false);
              await view.idle();
              const [isLate] = args;
              const real = window.fetch;
              let start = 1000;
              const scroll = () => {{ view.shadowRoot.querySelector(".scroller").scrollTop += 300; }};
              window.fetch = async (url, options) => {{
                const answer = await real(url, options);
                if (!/(updates|collection|viewport|layout)$/.test(url)) return answer;
                const {{status, headers}} = answer;
                const text = await answer.text();
                // An item is in the middle then.
                if (String(url).endsWith("/layout")) start = JSON.parse(text).contentOffset.y;
                await wait(300);
                // So late that no frame comes in between, which would tell of it.
                if (isLate) scroll();
                return new Response(text, {{status, headers}});
              }};
              const changed = {change};
              await wait(150);
              if (!isLate) scroll();
              await changed;
              window.fetch = real;
              await view.idle();
              return [view.contentOffset.y, start];""", isLate)
            when = "as its answer came" if isLate else "while it came"
            expect(offset == start + 300, f"{what}: scrolled by 300 from {start} {when}, it is at {offset}")
            self.same(what, least=5)
        # Far away and back: what was out of sight when the answer came is not, where the server knows of.
        self.browser.eval(VIEW + WAIT + """
          const {y} = view.contentOffset;
          const real = window.fetch;
          window.fetch = async (url, options) => {
            const answer = await real(url, options);
            // By now it has told where it was.
            if (String(url).endsWith("/updates")) view.setContentOffset({x: 0, y: y + 3000}, false);
            return answer;
          };
          const changed = view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]});
          changed.then(() => view.setContentOffset({x: 0, y}, false));
          await changed;
          await view.idle();
          window.fetch = real;""")
        self.same("away and back while a batch came", least=5)

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
          // By itself, with nothing asked for after it.
          view.shadowRoot.querySelector(".scroller").scrollTop = 1000;
          for (let i = 0; i < 100 && view.contentOffset.y !== 1000; i++) await wait(10);
          const isDrawn = await Promise.race([view.idle().then(() => true), wait(2000)]);
          window.requestAnimationFrame = real;
          delete document.hidden;
          return [left, isThere, isShown, isDrawn];""")
        expect(found == [0, True, True, True],
               f"elements that are leaving, whether it is idle, shows what it should, and is idle again: {found}")
        self.same("shown again")

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
        left = self.browser.eval(VIEW + """
          const {scrollTop, scrollHeight, clientHeight} = view.shadowRoot.querySelector(".scroller");
          return scrollHeight - clientHeight - scrollTop;""")
        expect(abs(left) <= 1, f"at the end the thumb has {left} px to go")
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
        left = self.browser.eval(VIEW + """
          await view.setLayout({kind: "list", scrollDirection: "horizontal"});
          await view.setContentOffset({x: 1e12, y: 0}, false);
          await view.idle();
          return view.contentSize.width - view.viewportSize.width - view.contentOffset.x;""")
        expect(abs(left) <= 1, f"sideways it ends {left} px before the end")
        self.same("at the end sideways")

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

    def what_rests_does_so_in_another_size(self):
        """Where a layout has come to rest it does after the element has got another size; with the same in the middle,
        if that is where it snaps."""
        self.open("layout=list")
        self.browser.eval(VIEW + """
          view.style.width = "700px";
          view.style.height = "400px";
          view.collection = {sections: [{items: {count: 200, size: {width: 100, height: 100}}}]};
          await view.idle();""")
        flow = {"kind": "flow", "snap": {"mode": "center"}}
        for layout, axis, start, step in (
            ({"kind": "coverFlow"}, "x", 910, 30), ({"kind": "pagedGrid"}, "x", 300, 30), ({"kind": "banner"}, "x", 910, 30),
            ({"kind": "list", "snap": {"mode": "page"}}, "y", 700, 30), (flow, "y", 777, 20),
        ):
            seen = self.browser.eval(VIEW + WAIT + REST + """
              const [layout, axis, start, step] = args;
              view.style.width = "700px";
              view.style.height = "400px";
              await view.setLayout(layout);
              await view.setContentOffset({x: 0, y: 0, [axis]: start}, false);
              const scroller = view.shadowRoot.querySelector(".scroller");
              const middle = () => {
                const {x, width} = view.getBoundingClientRect();
                const far = ({element}) => {
                  const box = element.getBoundingClientRect();
                  return Math.abs(box.x + box.width / 2 - x - width / 2);
                };
                const [first] = view.visibleItems.filter(({attributes}) => attributes.kind === "cell")
                  .sort((a, b) => far(a) - far(b));
                return [first.attributes.indexPath[1], Math.round(far(first))];
              };
              // A wheel leaves it somewhere, from where it goes to where the layout wants to be.
              scroller[axis === "x" ? "scrollLeft" : "scrollTop"] += step;
              await settled();
              const seen = [];
              for (const [width, height] of [[700, 400], [540, 330], [860, 450], [700, 400]]) {
                view.style.width = `${width}px`;
                view.style.height = `${height}px`;
                // But for a scroll bar.
                for (let i = 0; i < 200 && Math.abs(width - view.viewportSize.width) > 40; i++) await wait(25);
                await settled();
                seen.push([width, await rests(), ...middle()]);
              }
              return seen;""", layout, axis, start, step)
            expect(all(state[1] for state in seen), f"{layout}: does not rest: {seen}")
            if layout["kind"] == "coverFlow":
                expect(all(state[2:] == seen[0][2:] for state in seen), f"in the middle is another: {seen}")

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
