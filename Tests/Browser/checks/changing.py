"""Batch updates: their animations, and what the page then holds."""

import time

from page import HAND, VIEW, WAIT, Page, Skipped, expect, provokes


class ChangingChecks(Page):
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
        # Of a section that is reloaded its header and its footer, too, which look as they did.
        shown = self.browser.eval(VIEW + """
          const section = (name) => ({
            items: {ids: [`${name}1`, `${name}2`]}, header: {width: 0, height: 30}, footer: {width: 0, height: 20}});
          let version = 1;
          view.renderItem = (element, _, reuse) => { if (reuse !== "moved") element.textContent = version; };
          view.layout = "list";
          view.collection = {sections: [section("a"), section("b"), section("c")]};
          await view.idle();
          const shown = [];
          for (const more of [{}, {moveSections: [{from: 2, to: 0}]}]) {
            version++;
            await view.applyUpdates({reloadSections: [{at: 1, section: section("b")}], ...more});
            await view.idle();
            shown.push(view.visibleItems.map(({element, attributes: {indexPath: [at], kind}}) => `${at} ${kind} ${element.textContent}`));
          }
          return shown;""")
        for which, at in enumerate((1, 2)):
            anew = [each for each in shown[which] if each.endswith(str(which + 2))]
            expected = [f"{at} {kind} {which + 2}" for kind in ("header", "cell", "cell", "footer")]
            expect(anew == expected, f"of a section that is reloaded are filled anew {anew} of {shown[which]}")

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

    def what_plays_goes_on(self):
        """In an item that is moved in the document, too, where the browser knows how."""
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + WAIT + """
          if (!view.moveBefore) return null;
          const frame = document.createElement("iframe");
          const loaded = new Promise((resolve) => frame.addEventListener("load", resolve, {once: true}));
          frame.srcdoc = "<p>";
          view.elementAt(0, 1).append(frame);
          await loaded;
          frame.contentWindow.mark = "same";
          await view.applyUpdates({moveItems: [{from: [0, 1], to: [0, 3]}]});
          await view.idle();
          await wait(100);
          return [view.elementAt(0, 3).contains(frame), frame.contentWindow.mark ?? null];""")
        if found is None:
            raise Skipped("it moves nothing without taking it out")
        expect(found == [True, "same"], f"in its item, and as it was: {found}")

    def what_leaves_shows_nothing(self):
        """Another item has its place already."""
        self.open("collection=random&layout=list")
        seen = self.browser.eval(VIEW + """
          view.animationDuration = 5;
          const first = view.elementAt(0, 0);
          await view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]});
          const {x, y, width, height} = first.getBoundingClientRect();
          const isPressed = first.contains(document.elementFromPoint(x + width / 2, y + height / 2));
          return [first.isConnected, view.attributesOf(first), view.attributesOf(view.elementAt(0, 0)).id, isPressed,
            first.getAttribute("aria-hidden")];""")
        expect(seen == [True, None, "r2", False, "true"],
               f"in the document, its attributes, those of the next, whether it is pressed, and hidden from readers: {seen}")

    def what_leaves_goes_to_its_side(self):
        """To another layout what comes before goes up and what comes after down, and so they come."""
        self.open("collection=random&layout=list")
        wrong, counts = self.browser.eval(VIEW + """
          const own = (element) => element.getAnimations()[0].effect.getKeyframes()
            .map(({transform}) => Number(transform.match(/translate\\([^,]*, ([-0-9.]+)px/)[1]));
          const [small, large] = [40, 350].map((itemLength) => ({kind: "list", itemLength}));
          const wrong = [];
          view.collection = {sections: [{items: {count: 300}}]};
          await view.setLayout(small);
          await view.scrollToItem(0, 100, "center", false);
          await view.idle();
          await view.setLayout(large);
          const run = view.visibleItems.map(({attributes: {indexPath}}) => indexPath[1]);
          const leaving = [...view.querySelectorAll("[data-leaving]")];
          for (const element of leaving) {
            const item = Number(element.dataset.indexPath.split(",")[1]);
            const [from, to] = own(element);
            if ((to < from) !== (item < run[0])) wrong.push(`${item} leaves from ${from} to ${to}`);
          }
          for (const animation of document.getAnimations()) animation.finish();
          await view.idle();
          await view.setLayout(small);
          const come = view.visibleItems.filter(({attributes: {indexPath: [, item]}}) => !run.includes(item));
          for (const {element, attributes: {indexPath: [, item]}} of come) {
            const [from, to] = own(element);
            if ((from < to) !== (item < run[0])) wrong.push(`${item} comes from ${from} to ${to}`);
          }
          await view.idle();
          // So does what a batch moves out of sight.
          await view.setContentOffset({x: 0, y: 0}, false);
          await view.idle();
          const shown = view.visibleItems.length;
          await view.applyUpdates({insertItems: [{section: 0, at: 0, items: {count: 50}}]});
          const gone = view.querySelectorAll("[data-leaving]").length;
          if (gone !== shown) wrong.push(`${gone} of ${shown} that are moved out of sight leave`);
          await view.idle();
          return [wrong, [leaving.length, come.length]];""")
        expect(min(counts) > 4 and not wrong, f"of {counts} that leave and come: {wrong}")

    def what_has_become_shorter_ends_earlier(self):
        """Nothing of where it was before can be scrolled to."""
        for what, layout, act in (
            ("a batch", {"kind": "list"}, "await view.applyUpdates({deleteItems: [{section: 0, start: 1800, end: 2000}]})"),
            ("a batch, sideways", {"kind": "list", "scrollDirection": "horizontal"},
             "await view.applyUpdates({deleteItems: [{section: 0, start: 1800, end: 2000}]})"),
            ("more room", {"kind": "flow"}, "view.style.width = '600px'; for (let i = 0; i < 200 && view.viewportSize.width < 500; i++) await wait(25)"),
        ):
            self.open("layout=list")
            length, seen = self.browser.eval(VIEW + WAIT + f"""
              view.style.width = "400px";
              await wait(100);
              view.description = {{layout: args[0], collection: {{sections: [{{items: {{count: 2000, size: {{width: 90, height: 90}}}}}}]}}}};
              await new Promise((resolve) => view.addEventListener("ready", resolve, {{once: true}}));
              await view.setContentOffset({{x: 1e6, y: 1e6}}, false);
              await view.idle();
              const length = () => Math.max(view.contentSize.width, view.contentSize.height);
              const before = length();
              {act}
              await view.idle();
              if (before < 22_000 || length() >= before) throw new Error(`from ${{before}} it has become ${{length()}}`);
              const {{scrollWidth, scrollHeight}} = view.shadowRoot.querySelector(".scroller");
              return [length(), Math.max(scrollWidth, scrollHeight)];""", layout)
            expect(seen <= length + 1, f"{what}: the content ends at {length}, and the scroller at {seen}")
            self.same(f"after {what}")

    def what_an_anchor_leaves_behind_is_gone(self):
        """What has not changed, and is out of sight where the change has gone to."""
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + """
          await view.setContentOffset({x: 0, y: 2000}, false);
          await view.idle();
          const answer = await view.applyUpdates({deleteItems: [{section: 0, start: 580, end: 600}], anchor: "end"});
          const {height} = view.viewportSize;
          const {y} = view.contentOffset;
          const out = view.visibleItems.filter(({attributes: {frame}}) => frame.y + frame.height < y || frame.y > y + height);
          return [answer.leaving.length > 0, y < 1500, out.length];""")
        expect(found == [True, True, 0], f"whether something leaves, it is elsewhere, and how many are out of sight: {found}")
        self.same("at the end")

    def who_wants_stillness_has_it(self):
        """Where the system asks for less motion, what changes is there at once."""
        self.open("layout=list")
        seen = self.browser.eval(WAIT + """
          const frame = document.createElement("iframe");
          frame.style.cssText = "position: fixed; inset: 0; width: 600px; height: 500px";
          document.body.append(frame);
          const window = frame.contentWindow;
          // Before the module asks.
          const asked = [];
          window.matchMedia = (media) => {
            asked.push(media);
            return {media, matches: media.includes("reduce"), addEventListener() {}, removeEventListener() {}};
          };
          const page = frame.contentDocument;
          const view = page.createElement("collection-view");
          view.style.cssText = "width: 500px; height: 400px";
          page.body.append(view);
          const script = page.createElement("script");
          Object.assign(script, {type: "module", src: "/client/collection-view.js"});
          page.body.append(script);
          const ids = Array.from({length: 90}, (_, item) => `i${item}`);
          Object.assign(view, {server: `${location.origin}/`, layout: "list", collection: {sections: [{items: {ids}}]}});
          for (let i = 0; i < 200 && !view.sessionURL; i++) await wait(25);
          await view.idle();
          await view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 2}]});
          const moving = [...view.children].filter((element) => element.getAnimations().length > 0).length;
          const leaving = view.querySelectorAll("[data-leaving]").length;
          view.setContentOffset({x: 0, y: 900});
          const {y} = view.contentOffset;
          await view.idle();
          frame.remove();
          return [asked.length > 0, moving, leaving, y];""")
        expect(seen == [True, 0, 0, 900], f"asked for it, and moving, leaving, and scrolled at once: {seen}")

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
