"""Items that are lifted, moved and dropped by hand."""

import time

from page import HAND, HELD, VIEW, WAIT, Page, expect, provokes

# A server that takes its time with ticks and movements, what scrolls by so much, and what takes the sixth cell in
# view by its handle and drags it by 10.
TAKES = """
const real = window.fetch;
const slow = (scroll, movement) => {
  window.fetch = async (url, options) => {
    if (/scroll$/.test(url)) await wait(scroll);
    if (/(movement|end)$/.test(url)) await wait(movement);
    return real(url, options);
  };
};
const scroll = async (way) => {
  const y = view.contentOffset.y + way;
  view.shadowRoot.querySelector(".scroller").scrollTop += way;
  for (let i = 0; i < 100 && view.contentOffset.y !== y; i++) await wait(5);
};
const take = () => {
  const {element} = view.visibleItems.filter(({attributes: {kind}}) => kind === "cell")[5];
  const grip = element.querySelector("[data-drag-handle]");
  const {x, y} = grip.getBoundingClientRect();
  const before = element.getBoundingClientRect().y;
  const point = hand(grip, x + 2, y + 5);
  point("pointerdown");
  point("pointermove", {clientY: y + 15});
  return {
    element, drop: () => point("pointerup", {clientY: y + 15}),
    way: () => Math.round(element.getBoundingClientRect().y - before),
  };
};"""


class DraggingChecks(Page):
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
        moved, said = self.browser.eval("return [moved, document.getElementById('status').textContent]")
        expect(len(moved) == 1 and moved[0]["from"] == [0, 0], f"events: {moved}")
        up = self.browser.eval("return document.querySelectorAll('[data-dragging]').length")
        expect(up == 0, f"dropped, {up} items are up")
        expect(said == f"Moved from 1 to {moved[0]['to'][1] + 1}.", f"the page says: {said}")
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
        by_wheel = "view.shadowRoot.querySelector('.scroller').scrollTop += 400;"
        # What else there is may move with the answers: the item does not wait for them.
        late = """
          const real = window.fetch;
          window.fetch = async (url, options) => {
            const answer = await real(url, options);
            if (/(scroll|movement)$/.test(url)) await wait(300);
            return answer;
          };
          SCROLL
          for (let i = 0; i < 40 && view.contentOffset.y !== 400; i++) await wait(5);
          await new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
          const early = middle() - y;
          if (Math.abs(early) > 1) throw new Error(`before it is answered it is ${early} px from the hand`);
          window.fetch = real;""".replace("SCROLL", by_wheel)
        for what, scroll, more in (
            ("a wheel", by_wheel, ""), ("the page", "await view.setContentOffset({x: 0, y: 400}, false);", ""),
            ("a wheel, of which it is told late", late, ""),
            ("a wheel below a pinned header, of which it is told late", late, ", sectionHeadersPinToVisibleBounds: true"),
        ):
            self.open("collection=random&layout=list")
            found = self.browser.eval(VIEW + WAIT + HAND + f"""
              const ids = Array.from({{length: 100}}, (_, item) => `r${{item + 1}}`);
              await view.replaceCollection({{sections: [{{items: {{ids, lengths: ids.map(() => 40)}}}}]}});
              await view.setLayout({{kind: "list"{more}}});
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

    def what_is_taken_is_where_it_is_seen(self):
        """Below pinned headers all moves with the answers: what is taken before one has come does not jump."""
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + WAIT + HAND + TAKES + """
          const ids = Array.from({length: 300}, (_, item) => `r${item + 1}`);
          view.collection = {sections: [{header: {width: 0, height: 20}, items: {ids, lengths: ids.map(() => 40)}}]};
          await view.setLayout({kind: "list", sectionHeadersPinToVisibleBounds: true});
          await view.setContentOffset({x: 0, y: 400}, false);
          await view.idle();
          slow(300, 300);
          await scroll(90);
          const {element, drop, way} = take();
          const found = [way()];
          window.fetch = real;
          for (let i = 0; i < 100 && view.querySelector("[data-dragging]") !== element; i++) await wait(25);
          await wait(700);
          await view.idle();
          found.push(way());
          drop();
          await view.idle();
          return [...found, view.querySelectorAll("[data-dragging]").length];""")
        expect(found == [10, 10, 0], f"dragged by 10 it has gone, at once and then, and up are: {found}")
        self.same("taken before an answer has come")
        # A tick is answered before the server has said that the item is up, and another one after it has been let go.
        ways = self.browser.eval(VIEW + WAIT + HAND + TAKES + """
          const watch = async ({way}) => {
            const ways = new Set();
            for (let i = 0; i < 100; i++) {
              ways.add(way());
              await wait(10);
            }
            return [...ways];
          };
          slow(200, 500);
          await scroll(90);
          let taken = take();
          const first = await watch(taken);
          window.fetch = real;
          taken.drop();
          await view.idle();
          taken = take();
          await wait(300);
          await view.idle();
          slow(200, 200);
          await scroll(90);
          await wait(50);
          await scroll(90);
          taken.drop();
          const second = await watch(taken);
          window.fetch = real;
          await view.idle();
          return [first, Math.max(...second)];""")
        expect(ways[0] == [10], f"before it is up it goes by {ways[0]}")
        expect(ways[1] <= 50, f"after it has been let go it goes by {ways[1]}")
        self.same("let go before an answer has come")

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

    @provokes(409)
    def a_lift_that_comes_late_holds_nothing(self):
        """It comes to the server when it has been given up, and nobody else is to wait for it."""
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + WAIT + """
          const real = window.fetch;
          const asked = [];
          let late = null;
          let isLate = true;
          window.fetch = async (url, options) => {
            const isMovement = String(url).endsWith("/movement");
            if (isMovement) asked.push(options.method);
            if (!isMovement || options.method !== "POST" || late) return real(url, options);
            const send = () => real(url, {...options, signal: undefined});
            const answer = isLate ? null : await send();
            late = () => answer ?? send();
            throw new TypeError("cut off");
          };
          const type = (key) => view.elementAt(0, 1).dispatchEvent(
            new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
          const first = () => view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]}).then(() => 200, ({status}) => status);
          const giveUp = async () => {
            late = null;
            type(" ");
            for (let i = 0; i < 100 && asked.at(-1) !== "DELETE"; i++) await wait(25);
            await view.idle();
            asked.length = 0;
          };
          const lose = async () => {
            await giveUp();
            return (await late()).status;
          };
          const found = [await lose(), await first()];
          // Or before something else is lifted.
          found.push(await lose());
          type(" ");
          await view.idle();
          found.push(view.querySelectorAll("[data-dragging]").length);
          type("Escape");
          await wait(50);
          await view.idle();
          // What others have lifted since is theirs, after a change, or after one that was put back.
          const others = async () => {
            asked.length = 0;
            const {status} = await real(`${view.sessionURL}/movement`, {
              method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({indexPath: [0, 2]})});
            found.push(status, await first(), asked.length);
            await real(`${view.sessionURL}/movement`, {method: "DELETE"});
          };
          found.push(await lose(), await first());
          await others();
          // It has never come, and could not any more.
          await giveUp();
          found.push(await first());
          await others();
          isLate = false;
          await lose();
          await others();
          window.fetch = real;
          // That others have put theirs back nobody has told: until a change it may be seen as it was in their hand.
          found.push(await first());
          return found;""")
        expected = [201, 200, 201, 1, 201, 200, 201, 409, 0, 200, *[201, 409, 0] * 2, 200]
        expect(found == expected, f"late, and what comes then: {found}")
        self.same("after lifts that came late")

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
        # Where none comes of a drag that has ended elsewhere, the next click is one.
        clicks = self.browser.eval(VIEW + WAIT + HAND + """
          await view.setContentOffset({x: 0, y: 0}, false);
          await view.idle();
          const element = view.elementAt(0, 1);
          const {x, y} = element.getBoundingClientRect();
          const point = hand(element, x + 20, y + 10);
          point("pointerdown");
          point("pointermove", {clientY: y + 40});
          point("pointerup", {clientY: y + 40});
          await wait(200);
          const before = clicks;
          element.click();
          await view.idle();
          return clicks - before;""")
        expect(clicks == 1, f"a click after a drag is {clicks} clicks")

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
          // Nor is what was pressed when it still was.
          view.reorderable = true;
          point("pointerdown");
          await wait(50);
          view.reorderable = false;
          await wait(400);
          point("pointerup");
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
              const isUp = up();
              point("pointermove", {{clientY: y + 2}});
              await view.idle();
              point("pointermove", {{clientY: y + 5}});
              await view.idle();
              point("pointerup", {{clientY: y + 5}});
              await wait(100);
              await view.idle();
              await view.applyUpdates({{deleteItems: [{{section: 0, start: view.itemCounts[0] - 1, end: view.itemCounts[0]}}]}});
              await view.idle();
              return [isUp, errors];""", "applyUpdates" in act)
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
          const isUp = up();
          point("pointerup", {clientY: y + 100});
          await view.idle();
          return [isUp, told, view.version];""")
        expect(found == [0, [412], 2], f"up, told, and the version: {found}")
        self.same("after a touch of what others have moved")

    def items_are_lifted_when_they_have_been_held(self):
        """A finger for longer than a mouse; and none that has gone on meanwhile."""
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + WAIT + HAND + """
          const found = [];
          for (const [pointerType, early, late] of [["mouse", 100, 400], ["touch", 240, 400]]) {
            const element = view.elementAt(0, 2);
            const {x, y} = element.getBoundingClientRect();
            const point = hand(element, x + 20, y + 10, {pointerType});
            point("pointerdown");
            await wait(early);
            found.push(up());
            await wait(late);
            found.push(up());
            await view.idle();
            point("pointerup");
            await view.idle();
            point("pointerdown");
            point("pointermove", {clientY: y + 2});
            await wait(600);
            found.push(up());
            point("pointercancel");
            await view.idle();
          }
          return found;""")
        expect(found == [0, 1, 0, 0, 1, 0], f"up early, late, and moved, by a mouse and a finger: {found}")

    def other_presses_are_not_its_own(self):
        """Those of other buttons, and on its scroll bar; what a press would do elsewhere does not take an item away."""
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + WAIT + HAND + """
          const element = view.elementAt(0, 2);
          const {x, y} = element.getBoundingClientRect();
          const found = [];
          const right = hand(element, x + 20, y + 10, {button: 2});
          right("pointerdown");
          await wait(400);
          found.push(up());
          right("pointermove", {clientY: y - 90});
          found.push(view.contentOffset.y);
          right("pointerup", {clientY: y - 90});
          // Of several fingers the first one counts.
          const second = hand(element, x + 20, y + 10, {pointerId: 2, pointerType: "touch", isPrimary: false});
          second("pointerdown");
          await wait(500);
          found.push(up());
          second("pointerup");
          const scroller = view.shadowRoot.querySelector(".scroller");
          const box = scroller.getBoundingClientRect();
          if (scroller.clientWidth < box.width - 1) {
            const bar = hand(scroller, box.right - 3, box.top + 50);
            bar("pointerdown");
            bar("pointermove", {clientY: box.top - 60});
            found.push(view.contentOffset.y);
            bar("pointerup", {clientY: box.top - 60});
          } else {
            found.push(0);
          }
          const isPrevented = (type) => {
            const event = new Event(type, {bubbles: true, composed: true, cancelable: true});
            element.dispatchEvent(event);
            return event.defaultPrevented;
          };
          // Pictures would be dragged by the browser; and menus come up for fingers that rest.
          found.push(isPrevented("dragstart"), isPrevented("contextmenu"));
          const point = hand(element, x + 20, y + 10);
          point("pointerdown");
          for (let i = 0; i < 100 && !up(); i++) await wait(25);
          await view.idle();
          found.push(isPrevented("contextmenu"));
          // It is the drag that is called off, and not a dialog that it is in.
          const escape = new KeyboardEvent("keydown", {key: "Escape", bubbles: true, composed: true, cancelable: true});
          document.body.dispatchEvent(escape);
          found.push(escape.defaultPrevented);
          await view.idle();
          point("pointerup");
          await view.idle();
          point("pointerdown");
          for (let i = 0; i < 100 && !up(); i++) await wait(25);
          await view.idle();
          // What is touched has had the pointer by itself, and loses it to the view.
          point("lostpointercapture");
          await view.idle();
          found.push(up());
          scroller.dispatchEvent(new PointerEvent("lostpointercapture", {pointerId: 1}));
          await view.idle();
          found.push(up());
          return found;""")
        expect(found == [0, 0, 0, 0, True, False, True, True, 1, 0], f"up, offsets, what is prevented, and up: {found}")
        self.same("after presses of others")

    def menus_take_the_mouse(self):
        """On a Mac a press with the control key brings one up; nobody tells of its end, and it lifts nothing."""
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + WAIT + HAND + """
          const element = view.elementAt(0, 2);
          const {x, y} = element.getBoundingClientRect();
          const point = hand(element, x + 20, y + 10, {ctrlKey: true});
          const menu = () => {
            const event = new MouseEvent("contextmenu", {bubbles: true, composed: true, cancelable: true});
            element.dispatchEvent(event);
            return event.defaultPrevented;
          };
          point("pointerdown");
          const found = [menu()];
          await wait(500);
          found.push(up());
          // Back from it, no button is down.
          point("pointermove", {clientY: y - 60});
          found.push(view.contentOffset.y);
          point("pointerdown");
          for (let i = 0; i < 100 && !up(); i++) await wait(25);
          found.push(up(), menu());
          point("pointerup");
          await view.idle();
          found.push(up());
          // A finger that rests may be told of a menu that nobody shows, and has its item all the same.
          const finger = hand(element, x + 20, y + 10, {pointerType: "touch"});
          finger("pointerdown");
          found.push(menu());
          for (let i = 0; i < 100 && !up(); i++) await wait(25);
          found.push(up());
          finger("pointerup");
          await view.idle();
          return found;""")
        expect(
            found == [False, 0, 0, 1, True, 0, False, 1],
            f"no menu, up, scrolled; up, no menu, and dropped; a finger's menu, and up: {found}")

    def palms_are_no_pens(self):
        """A pen's hand lies on the screen: it takes nothing from the pen, and takes nothing with it."""
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + WAIT + HAND + """
          const [element, other] = [view.elementAt(0, 2), view.elementAt(0, 1)];
          const {x, y} = element.getBoundingClientRect();
          const pen = hand(element, x + 20, y + 10, {pointerId: 5, pointerType: "pen"});
          const palm = hand(other, x + 20, y - 30, {pointerId: 7, pointerType: "touch"});
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
