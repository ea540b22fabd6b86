"""Keys, the focus, and what readers of the screen are told."""

import pathlib
import time

from page import HAND, REST, VIEW, WAIT, Page, expect, provokes


class KeyboardChecks(Page):
    def reorder_by_keyboard(self):
        self.open("collection=random&layout=flow")
        before = self.ids()
        self.browser.eval(VIEW + "view.elementAt(0, 1).focus()")
        wait = VIEW + "await view.idle(); return view.shadowRoot.querySelector('.live').textContent"
        self.browser.key("Space")
        said = self.browser.eval(wait)
        expect("2 of 600" in said, f"said: {said}")
        live = self.browser.eval(VIEW + "return view.shadowRoot.querySelector('.live').getAttribute('aria-live')")
        expect(live == "assertive", f"what is said is read out: {live}")
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

    def _focus_by(self, key):
        """The place of what has the focus when a key has been pressed, and the view rests."""
        self.browser.key(key)
        time.sleep(0.15)
        self.browser.eval(VIEW + "await view.idle()")
        return self.browser.eval("return document.activeElement.dataset.indexPath ?? 'nothing'")

    def keyboard_goes_everywhere(self):
        self.open("collection=random&layout=waterfall")
        self.browser.eval(VIEW + "view.elementAt(0, 0).focus()")
        for key, path in (("ArrowRight", "0,1"), ("ArrowDown", None), ("End", "0,599"), ("Home", "0,0")):
            focus = self._focus_by(key)
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
            focus = self._focus_by(key)
            expect(focus == f"0,{item}", f"at the border of a line, {key} leads to {focus} instead of {item}")
        self._focus_by("Home")
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
            focus = self._focus_by(key)
            expect(focus == path, f"from a long item {key} leads to {focus}")
        # In a grid up and down stay in the column.
        ways = self.browser.eval(VIEW + WAIT + """
          const left = () => Math.round(document.activeElement.getBoundingClientRect().left);
          view.description = {
            layout: {kind: "flow", itemSize: {width: 90, height: 90}}, collection: {sections: [{items: {count: 200}}]}};
          await new Promise((resolve) => view.addEventListener("ready", resolve, {once: true}));
          await view.setContentOffset({x: 0, y: 0}, false);
          await view.idle();
          const first = view.elementAt(0, 2);
          first.focus();
          // A window that has not the focus itself says late, or not, which element gets it.
          first.dispatchEvent(new FocusEvent("focusin", {bubbles: true, composed: true}));
          const isThere = () => document.activeElement.dataset.indexPath === view.currentIndexPath.join();
          const ways = [];
          for (const key of ["ArrowDown", "ArrowDown", "ArrowUp"]) {
            const [before, item] = [left(), view.currentIndexPath[1]];
            document.activeElement.dispatchEvent(
              new KeyboardEvent("keydown", {key, bubbles: true, composed: true, cancelable: true}));
            for (let i = 0; i < 400 && (view.currentIndexPath[1] === item || !isThere()); i++) await wait(25);
            await view.idle();
            ways.push([left() - before, Math.sign(view.currentIndexPath[1] - item)]);
          }
          return ways;""")
        expect(ways == [[0, 1], [0, 1], [0, -1]], f"down, down and up in a grid go across by, and on or back: {ways}")

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
                  for (let i = 0; i < 200 && Math.abs(way()) > 1; i++) await wait(50);
                  await view.idle();
                  return way();""", key, first, part, parts)
                expect(abs(way) <= 1, f"{state}: {key} goes {way} px too far")
        # Nor does one that comes before the one before it is there begin anew.
        for state, part in (("layout=list", 0.9), ("layout=pagedGrid", 1)):
            self.open(f"collection=random&{state}")
            way = self.browser.eval(VIEW + WAIT + """
              const [part] = args;
              const scroller = view.shadowRoot.querySelector(".scroller");
              for (let press = 0; press < 3; press++) {
                scroller.dispatchEvent(
                  new KeyboardEvent("keydown", {key: "PageDown", bubbles: true, composed: true, cancelable: true}));
                await wait(60);
              }
              const axis = part < 1 ? "y" : "x";
              const length = view.viewportSize[axis === "y" ? "height" : "width"];
              const way = () => view.contentOffset[axis] - 3 * part * length;
              for (let i = 0; i < 200 && Math.abs(way()) > 1; i++) await wait(50);
              await wait(200);
              await view.idle();
              return way();""", part)
            expect(abs(way) <= 1, f"{state}: three times PageDown goes {way} px too far")
        # Cards lie in one row, which has nothing above and below.
        for layout in ("coverFlow", "banner", "wheel"):
            self.open(f"collection=random&layout={layout}")
            items = self.browser.eval(VIEW + WAIT + """
              view.elementAt(0, 1).focus();
              const items = [];
              for (const key of ["ArrowUp", "ArrowDown", "ArrowRight"]) {
                document.activeElement.dispatchEvent(
                  new KeyboardEvent("keydown", {key, bubbles: true, composed: true, cancelable: true}));
                await wait(200);
                await view.idle();
                items.push(view.currentIndexPath[1]);
              }
              return items;""")
            expect(items == [1, 1, 2], f"{layout}: up, down and to the right lead to {items}")
        self.open("collection=random&layout=pagedGrid")
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

    def keys_rest_where_the_layout_does(self):
        """What a key leads to is seen, on a page that is shown whole, or wherever else the layout comes to rest."""
        lengths = [44 if item % 5 else 260 for item in range(200)]
        for layout, items in (
            ({"kind": "pagedGrid", "columns": 3, "rows": 2}, {"count": 200}),
            ({"kind": "pagedGrid", "columns": 40, "rows": 9}, {"count": 3000}),
            ({"kind": "wheel"}, {"count": 200}), ({"kind": "banner"}, {"count": 200}),
            ({"kind": "coverFlow"}, {"count": 200}),
            ({"kind": "list", "snap": {"mode": "start"}}, {"lengths": [length + 0.3 for length in lengths]}),
            ({"kind": "list", "snap": {"mode": "center"}}, {"lengths": lengths}),
            ({"kind": "list", "snap": {"mode": "page"}}, {"lengths": lengths}),
        ):
            self.open("layout=list")
            seen = self.browser.eval(VIEW + WAIT + HAND + REST + """
              const [layout, items] = args;
              view.style.cssText = "width: 600px; height: 400px";
              view.description = {layout, collection: {sections: [{items}]}};
              await ready();
              await view.idle();
              const isAcross = layout.kind !== "list";
              const cells = view.visibleItems.filter(({attributes}) => attributes.kind === "cell");
              // The one that is farthest that way.
              const far = ({element}) => element.getBoundingClientRect()[isAcross ? "right" : "bottom"];
              const [{element: first}] = cells.sort((a, b) => far(b) - far(a));
              first.focus();
              // A window that has not the focus itself does not say which element gets it.
              const current = () => view.currentIndexPath ? view.elementAt(...view.currentIndexPath) : first;
              const press = (key) => (current() ?? view.shadowRoot.querySelector(".scroller")).dispatchEvent(
                new KeyboardEvent("keydown", {key, bubbles: true, composed: true, cancelable: true}));
              const isSeen = () => {
                const box = current()?.getBoundingClientRect();
                const room = view.getBoundingClientRect();
                if (!box) return false;
                const [x, y] = [box.x + box.width / 2 - room.x, box.y + box.height / 2 - room.y];
                return x > 0 && x < room.width && y > 0 && y < room.height;
              };
              const seen = [];
              const [on, back] = isAcross ? ["ArrowRight", "ArrowLeft"] : ["ArrowDown", "ArrowUp"];
              // One by one, while what the one before it began is under way, and all at once.
              for (const [pause, keys] of [
                [450, [on, on]], [150, [on, on, on, on]], [20, [on, on]], [450, [back, back]],
                [100, [back, back, back, back]]]) {
                for (const key of keys) {
                  press(key);
                  await wait(pause);
                }
                await settled();
                // On a busy machine it may pause on its way.
                for (let i = 0; i < 30 && !(isSeen() && await rests()); i++) await wait(200);
                seen.push([pause, keys.length, view.currentIndexPath[1], isSeen(), await rests()]);
              }
              return seen;""", layout, items)
            expect(all(state[3] and state[4] for state in seen), f"{layout}: is not seen, or does not rest: {seen}")
            expect(seen[0][2] < seen[2][2] > seen[4][2], f"{layout}: leads on, and back: {seen}")

    def the_end_of_a_broad_item_is_seen_while_it_has_the_focus(self):
        """Browsers scroll across to it, and nobody could scroll back."""
        self.open("layout=flow")
        self.needs_focus()
        seen = self.browser.eval(VIEW + WAIT + HAND + """
          view.description = {
            layout: {kind: "flow"}, collection: {sections: [{items: {sizes: [[3000, 60], [80, 60]]}}]}};
          await ready();
          await view.idle();
          const button = document.createElement("button");
          button.style.cssText = "position: absolute; right: 0; top: 0";
          view.elementAt(0, 0).append(button);
          const scroller = view.shadowRoot.querySelector(".scroller");
          const seen = [];
          for (const [act, isAcross] of [
            [() => button.focus(), true], [() => view.elementAt(0, 1).focus({preventScroll: true}), false],
            [() => button.focus(), true], [() => button.blur(), false]]) {
            act();
            for (let i = 0; i < 40 && (scroller.scrollLeft > 0) !== isAcross; i++) await wait(25);
            await view.idle();
            seen.push(scroller.scrollLeft > 0);
          }
          return [...seen, view.contentOffset.x];""")
        expect(seen == [True, False, True, False, 0], f"focused, elsewhere, focused, left: scrolled across {seen}")

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
        # Though the focus itself has gone elsewhere.
        self.open("collection=random&layout=flow")
        current = self.browser.eval(VIEW + """
          view.elementAt(0, 3).focus();
          document.getElementById("share").focus();
          await view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]});
          await view.idle();
          return [view.currentIndexPath, view.querySelector("[tabindex='0']").dataset.indexPath, document.activeElement.id];""")
        expect(current == [[0, 2], "0,2", "share"], f"the current item, the one to tab to, and what has the focus: {current}")
        # Out of sight, too, where nobody is told of it.
        for what, batch, path in (
            ("items come and go before it",
             {"insertItems": [{"section": 0, "at": 0, "items": {"ids": ["x", "y"], "sizes": [[90, 90], [90, 90]]}}],
              "deleteItems": [{"section": 0, "start": 1, "end": 2}], "moveItems": [{"from": [0, 0], "to": [0, 500]}]}, [0, 4]),
            ("it is moved", {"moveItems": [{"from": [0, 4], "to": [0, 2]}]}, [0, 2]),
            ("a section comes before it", {"insertSections": [{"at": 0, "section": {"items": {"ids": ["z"]}}}]}, [1, 4]),
        ):
            self.open("collection=random&layout=flow")
            found = self.browser.eval(VIEW + """
              view.elementAt(0, 4).focus();
              await view.setContentOffset({x: 0, y: 3000}, false);
              await view.idle();
              await view.applyUpdates({...args[0], anchor: "visible"});
              await view.idle();
              const path = view.currentIndexPath;
              await view.scrollToItem(...path, "center", false);
              await view.idle();
              return [path, view.attributesOf(document.activeElement)?.id];""", batch)
            expect(found == [path, "r5"], f"out of sight {what}: the current item, and what has the focus: {found}")
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

    def keys_of_others_are_left_to_them(self):
        """The browser's own, with another key held; and what an item, or a page, has had a use for."""
        self.open("collection=random&layout=list")
        taken = self.browser.eval(VIEW + """
          view.reorderable = false;
          const press = async (key, more) => {
            const event = new KeyboardEvent("keydown", {key, bubbles: true, composed: true, cancelable: true, ...more});
            view.elementAt(0, 2).focus();
            view.elementAt(0, 2).dispatchEvent(event);
            await view.idle();
            return event.defaultPrevented;
          };
          const taken = [];
          for (const [key, more] of [
            ["ArrowLeft", {altKey: true}], ["Home", {ctrlKey: true}], ["End", {metaKey: true}], ["PageDown", {ctrlKey: true}],
          ]) taken.push(await press(key, more));
          taken.push(`${view.currentIndexPath}`);
          view.elementAt(0, 2).addEventListener("keydown", (event) => event.preventDefault(), {once: true});
          await press("ArrowDown");
          return [...taken, `${view.currentIndexPath}`, await press("ArrowDown"), `${view.currentIndexPath}`];""")
        expect(taken == [False, False, False, False, "0,2", "0,2", True, "0,3"], f"keys that it takes, and where they lead: {taken}")

    def keys_count_however_fast_they_come(self):
        """Of a server that takes its time each goes on from where those before it have led."""
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + WAIT + """
          const real = window.fetch;
          window.fetch = async (url, options) => {
            await wait(150);
            return real(url, options);
          };
          const found = [];
          for (const [keys, path] of [
            [["ArrowDown", "ArrowDown", "ArrowUp", "ArrowDown", "ArrowDown", "ArrowDown"], "0,4"],
            [["End", "ArrowUp", "ArrowUp"], "0,597"], [["Home", "ArrowDown"], "0,1"],
          ]) {
            if (found.length === 0) view.elementAt(0, 0).focus();
            for (const key of keys) {
              document.activeElement.dispatchEvent(
                new KeyboardEvent("keydown", {key, bubbles: true, composed: true, cancelable: true}));
              await wait(40);
            }
            for (let i = 0; i < 100 && document.activeElement.dataset.indexPath !== path; i++) await wait(50);
            await view.idle();
            found.push(document.activeElement.dataset.indexPath);
          }
          window.fetch = real;
          return found;""")
        expect(found == ["0,4", "0,597", "0,1"], f"quick keys lead to {found}")
        up, current, focused = self.browser.eval(VIEW + WAIT + """
          view.reorderable = true;
          view.elementAt(0, 0).focus();
          const real = window.fetch;
          window.fetch = async (url, options) => {
            await wait(150);
            return real(url, options);
          };
          for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", " "]) {
            document.activeElement.dispatchEvent(
              new KeyboardEvent("keydown", {key, bubbles: true, composed: true, cancelable: true}));
            await wait(40);
          }
          for (let i = 0; i < 100 && !view.querySelector("[data-dragging]"); i++) await wait(50);
          window.fetch = real;
          await view.idle();
          const up = view.querySelector("[data-dragging]")?.dataset.indexPath;
          const found = [up, view.currentIndexPath, document.activeElement.dataset.indexPath];
          document.activeElement.dispatchEvent(
            new KeyboardEvent("keydown", {key: "Escape", bubbles: true, composed: true, cancelable: true}));
          await view.idle();
          return found;""")
        expect([up, current, focused] == ["0,3", [0, 3], "0,3"], f"lifted is {up}, current {current}, focused {focused}")
        # What is lifted in between is moved and dropped by those after it; not if the focus has left before.
        found = self.browser.eval(VIEW + WAIT + """
          const real = window.fetch;
          const field = document.createElement("input");
          document.body.append(field);
          view.collection = {sections: [{items: {ids: Array.from({length: 200}, (_, item) => `i${item}`)}}]};
          await view.idle();
          const press = (key) => document.activeElement.dispatchEvent(
            new KeyboardEvent("keydown", {key, bubbles: true, composed: true, cancelable: true}));
          const slowly = async (keys, leave) => {
            view.elementAt(0, 0).focus();
            window.fetch = async (url, options) => {
              await wait(150);
              return real(url, options);
            };
            for (const key of keys) press(key);
            await wait(100);
            leave();
            await wait(2500);
            window.fetch = real;
            await view.idle();
          };
          await slowly(["ArrowDown", " ", "ArrowDown", " "], () => {});
          const ids = [0, 1, 2].map((item) => view.attributesOf(view.elementAt(0, item)).id);
          const up = view.querySelectorAll("[data-dragging]").length;
          const isSeen = document.hasFocus();
          await slowly(["ArrowDown", "ArrowDown", " "], () => field.focus());
          const left = isSeen ? view.querySelectorAll("[data-dragging]").length : 0;
          field.remove();
          return [ids, up, left];""")
        expect(found == [["i0", "i2", "i1"], 0, 0], f"moved and dropped, up then, and up after leaving: {found}")

    def keys_leave_the_focus_that_has_gone_elsewhere(self):
        """Where the keys before it still have to be answered, it is not taken back."""
        self.needs_focus()
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + WAIT + """
          const real = window.fetch;
          const walk = async (count, leave) => {
            view.elementAt(0, 0).focus();
            window.fetch = async (url, options) => {
              await wait(150);
              return real(url, options);
            };
            for (let i = 0; i < count; i++) {
              document.activeElement.dispatchEvent(
                new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true, composed: true, cancelable: true}));
            }
            await wait(200);
            leave();
            await wait(1500);
            window.fetch = real;
            await view.idle();
          };
          view.collection = {sections: [{items: {ids: Array.from({length: 200}, (_, item) => `i${item}`)}}]};
          await view.setLayout({kind: "list", itemLength: 30});
          await view.idle();
          const field = document.createElement("input");
          document.body.append(field);
          await walk(6, () => field.focus());
          const isLeft = document.activeElement === field;
          await walk(4, () => view.elementAt(0, 7).focus());
          const found = [isLeft, document.activeElement.dataset.indexPath, view.currentIndexPath];
          // A key that is under way, and what is in an item.
          await walk(0, () => {
            const cells = view.visibleItems.filter(({attributes: {kind}}) => kind === "cell");
            cells.at(-1).element.focus();
            document.activeElement.dispatchEvent(
              new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true, composed: true, cancelable: true}));
            setTimeout(() => view.elementAt(0, 2).focus(), 50);
          });
          found.push(document.activeElement.dataset.indexPath);
          view.elementAt(0, 5).append(field);
          await walk(4, () => field.focus());
          found.push(document.activeElement === field);
          field.remove();
          return found;""")
        expect(found == [True, "0,7", [0, 7], "0,2", True], f"left, focused and current, focused meanwhile, left: {found}")

    def the_current_item_is_the_one_that_has_the_focus(self):
        """Also after a batch of which the answer was lost: the next tick has what it moved."""
        self.needs_focus()
        self.open("collection=random&layout=flow")
        before, found = self.browser.eval(VIEW + WAIT + """
          const real = window.fetch;
          view.elementAt(0, 2).focus();
          const before = view.attributesOf(document.activeElement).id;
          let isLost = false;
          window.fetch = async (url, options) => {
            const answer = await real(url, options);
            if (isLost || !String(url).endsWith("/updates")) return answer;
            isLost = true;
            throw new TypeError("cut off");
          };
          await view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]});
          await view.idle();
          window.fetch = real;
          for (let i = 0; i < 60 && document.activeElement.dataset.indexPath !== "0,1"; i++) await wait(50);
          const {activeElement} = document;
          return [before, [view.attributesOf(activeElement)?.id, activeElement.tabIndex, view.currentIndexPath]];""")
        expect(found == [before, 0, [0, 1]], f"focused was {before}, and is, with its tab stop and what is current: {found}")

    def keys_hold_nothing_at_an_edge(self):
        """What a key has moved to the edge scrolls as far as it shows, and no further."""
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + WAIT + """
          view.collection = {sections: [{items: {ids: Array.from({length: 200}, (_, item) => `i${item}`)}}]};
          await view.idle();
          const {height} = view.viewportSize;
          const last = view.visibleItems.filter(({attributes: {frame}}) => frame.y + frame.height <= height).at(-1);
          last.element.focus();
          const press = async (key) => {
            document.activeElement.dispatchEvent(
              new KeyboardEvent("keydown", {key, bubbles: true, composed: true, cancelable: true}));
            await wait(200);
            await view.idle();
          };
          await press(" ");
          await press("ArrowDown");
          const places = [view.contentOffset.y];
          await wait(300);
          places.push(view.contentOffset.y);
          await press("Escape");
          return [places[0] > 0 && places[0] < 100, places[1] - places[0], view.querySelectorAll("[data-dragging]").length];""")
        expect(found == [True, 0, 0], f"it scrolls a little, then by, and up are: {found}")

    def windows_may_lose_the_focus(self):
        """Whoever looks something up elsewhere, and comes back, has still in hand what was lifted."""
        self.needs_focus()
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + WAIT + """
          const element = view.elementAt(0, 1);
          element.focus();
          element.dispatchEvent(new KeyboardEvent("keydown", {key: " ", bubbles: true, composed: true, cancelable: true}));
          const up = () => view.querySelectorAll("[data-dragging]").length;
          for (let i = 0; i < 100 && !view.shadowRoot.querySelector(".live").textContent; i++) await wait(25);
          const found = [];
          for (const hasFocus of [false, true]) {
            document.hasFocus = () => hasFocus;
            element.focus();
            element.blur();
            await wait(100);
            await view.idle();
            found.push(up());
          }
          delete document.hasFocus;
          return found;""")
        expect(found == [1, 0], f"up when the window has lost the focus, and when it has gone elsewhere in it: {found}")

    def the_focus_takes_along_what_was_lifted(self):
        """Whoever has gone drops nothing any more, whether that is told or not."""
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + WAIT + """
          const up = () => view.querySelectorAll("[data-dragging]").length;
          const live = view.shadowRoot.querySelector(".live");
          const press = (key) => document.activeElement.dispatchEvent(
            new KeyboardEvent("keydown", {key, bubbles: true, composed: true, cancelable: true}));
          const lift = async () => {
            live.textContent = "";
            view.elementAt(0, 2).focus();
            press(" ");
            for (let i = 0; i < 200 && !live.textContent; i++) await wait(25);
            return up();
          };
          // What the window has lost it has back, whatever this browser says of its own.
          let hasFocus = false;
          document.hasFocus = () => hasFocus;
          const over = async () => {
            for (let i = 0; i < 200 && up(); i++) await wait(25);
            await view.idle();
            const batch = view.applyUpdates({deleteItems: [{section: 0, start: 9, end: 10}]});
            return [up(), await batch.then(() => "changed", ({message}) => message)];
          };
          const found = [await lift()];
          // Not all browsers tell of a focus that is lost on the way.
          hasFocus = true;
          view.parentNode.append(view);
          found.push(...await over());
          hasFocus = false;
          found.push(await lift());
          document.getElementById("share").focus();
          await wait(100);
          found.push(up());
          hasFocus = true;
          window.dispatchEvent(new Event("focus"));
          found.push(...await over());
          delete document.hasFocus;
          return found;""")
        expect(found == [1, 0, "changed", 1, 1, 0, "changed"], f"up moved, and while the window was elsewhere: {found}")
        self.same("put back")

    @provokes(404)
    def what_is_put_back_is_told(self):
        """Who cannot see it would go on with an item that is not up; and has the focus where that item is."""
        for what, act in (
            ("a step that was lost", "lost = 1;"),
            ("a session that is gone", "await fetch(view.sessionURL, {method: 'DELETE'});"),
        ):
            self.open("collection=random&layout=list")
            found = self.browser.eval(VIEW + WAIT + f"""
              const live = view.shadowRoot.querySelector(".live");
              const told = async (text) => {{
                for (let i = 0; i < 200 && !live.textContent.startsWith(text); i++) await wait(25);
                return live.textContent.slice(0, text.length);
              }};
              const element = view.elementAt(0, 2);
              element.focus();
              const press = (key) => element.dispatchEvent(
                new KeyboardEvent("keydown", {{key, bubbles: true, composed: true, cancelable: true}}));
              let lost = 0;
              const real = window.fetch;
              window.fetch = async (url, options) => {{
                if (options?.method === "PATCH" && lost-- > 0) throw new TypeError("cut off");
                return real(url, options);
              }};
              press(" ");
              const found = [await told("Item 3 of 600 lifted")];
              press("ArrowDown");
              found.push(await told("Now 4 of 600"));
              {act}
              press("ArrowDown");
              found.push(await told("Put back."));
              window.fetch = real;
              const focused = () => document.activeElement.dataset.indexPath;
              for (let i = 0; i < 200 && !(view.sessionURL && focused() === "0,2"); i++) await wait(25);
              await view.idle();
              return [...found, focused(), view.attributesOf(document.activeElement)?.id];""")
            expect(found == ["Item 3 of 600 lifted", "Now 4 of 600", "Put back.", "0,2", "r3"], f"{what}: {found}")
            self.same(what)

    def who_has_gone_lifts_nothing(self):
        """A key that waits for those before it counts for nothing when the focus is nowhere by then."""
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + WAIT + """
          const last = view.itemCounts[0] - 1;
          await view.scrollToItem(0, last, "end", false);
          await view.idle();
          view.elementAt(0, last).focus();
          document.hasFocus = () => true;
          const real = window.fetch;
          let answer, asked;
          const [held, isAsked] = [new Promise((go) => { answer = go; }), new Promise((go) => { asked = go; })];
          const paths = [];
          window.fetch = async (url, options) => {
            if (String(url).includes("/attributes?")) { asked(); await held; }
            if (String(url).endsWith("/movement")) paths.push(options.method);
            return real(url, options);
          };
          // There is nothing below the last one, which the server has to say first.
          for (const key of ["ArrowDown", " "]) {
            document.activeElement.dispatchEvent(
              new KeyboardEvent("keydown", {key, bubbles: true, composed: true, cancelable: true}));
          }
          await isAsked;
          document.activeElement.blur();
          answer();
          for (let i = 0; i < 3; i++) await view.idle();
          await wait(200);
          await view.idle();
          window.fetch = real;
          delete document.hasFocus;
          return [view.querySelectorAll("[data-dragging]").length, paths];""")
        expect(found == [0, []], f"up without the focus, and asked of movements: {found}")

    def held_keys_do_not_pile_up(self):
        self.open("collection=random&layout=list")
        asked, end, isTaken = self.browser.eval(VIEW + WAIT + """
          const real = window.fetch;
          let asked = 0, letGo;
          const held = new Promise((resolve) => letGo = resolve);
          window.fetch = async (url, options) => { asked++; await held; return real(url, options); };
          let isTaken = true;
          view.elementAt(0, 0).focus();
          for (let press = 0; press < 40; press++) {
            isTaken &&= !(document.activeElement ?? view).dispatchEvent(new KeyboardEvent("keydown", {
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
          return [asked, end, isTaken];""")
        expect(isTaken, "the browser scrolls by keys that are held")
        expect(0 < asked < 20, f"forty presses before the first answer ask {asked} times")
        expect(end == "0,599", f"a key that is held leads to {end}")
        focus = self.browser.eval("return document.activeElement.dataset.indexPath ?? 'nothing'")
        expect(focus == "0,0", f"another that is held leads to {focus}")

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
