"""The element in a page: its size, its styles, its attributes, and first screens drawn by a server."""

import time

from page import HAND, VIEW, WAIT, Page, expect, provokes


class EmbeddingChecks(Page):
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

    def another_screen_has_other_pixels(self):
        """Where a page is zoomed, or moved to another screen, the server is told; where it has a scale of its own it is not."""
        self.open("collection=random&layout=list")
        told = self.browser.eval(VIEW + WAIT + """
          const queries = [];
          const real = window.matchMedia;
          window.matchMedia = (media) => {
            const query = Object.assign(new EventTarget(), {media, matches: true, isHeard: 0});
            const {addEventListener, removeEventListener} = query;
            query.addEventListener = (...more) => { query.isHeard++; addEventListener.apply(query, more); };
            query.removeEventListener = (...more) => { query.isHeard--; removeEventListener.apply(query, more); };
            queries.push(query);
            return query;
          };
          const told = [];
          view.addEventListener("request", ({detail: {body}}) => { if (body?.viewport) told.push(body.viewport.displayScale); });
          const screen = async (ratio) => {
            Object.defineProperty(window, "devicePixelRatio", {value: ratio, configurable: true});
            for (const query of [...queries]) query.dispatchEvent(new Event("change"));
            await wait(50);
            await view.idle();
          };
          await screen(2);
          view.displayScale = "auto";
          await wait(50);
          await view.idle();
          for (const ratio of [1.5, 3]) await screen(ratio);
          view.displayScale = 2;
          await wait(50);
          await view.idle();
          await screen(1);
          window.matchMedia = real;
          delete window.devicePixelRatio;
          return [told, queries.map(({media}) => media.match(/[0-9.]+/)[0]).join(" "), queries.reduce((sum, {isHeard}) => sum + isHeard, 0)];""")
        expect(told == [[2, 1.5, 3, 2], "2 1.5 3", 0], f"scales, what is asked for, and still listened to: {told}")

    def who_is_gone_is_told_of_nothing(self):
        """What a page takes out of the document is not kept by what it has listened to."""
        self.open("collection=random&layout=list")
        left = self.browser.eval(VIEW + WAIT + HAND + """
          const heard = new Map();
          const {addEventListener, removeEventListener} = EventTarget.prototype;
          const isOutside = (target) => target === undefined || target === window || target === document || target instanceof MediaQueryList;
          const count = (target, type, by) => {
            if (isOutside(target)) heard.set(type, (heard.get(type) ?? 0) + by);
          };
          EventTarget.prototype.addEventListener = function (type, ...more) {
            count(this, type, 1);
            more[1]?.signal?.addEventListener("abort", () => count(this, type, -1));
            return addEventListener.call(this ?? window, type, ...more);
          };
          EventTarget.prototype.removeEventListener = function (type, ...more) {
            count(this, type, -1);
            return removeEventListener.call(this ?? window, type, ...more);
          };
          const other = document.createElement("collection-view");
          other.style.cssText = "width: 400px; height: 300px";
          const {server} = view;
          Object.assign(other, {
            server, displayScale: "auto", layout: "list", reorderable: true, collection: {sections: [{items: {count: 90}}]}});
          document.body.append(other);
          for (let i = 0; i < 200 && !other.sessionURL; i++) await wait(25);
          await other.idle();
          const {x, y} = other.elementAt(0, 1).getBoundingClientRect();
          const point = hand(other.elementAt(0, 1), x + 9, y + 9);
          point("pointerdown");
          for (let i = 0; i < 100 && !other.querySelector("[data-dragging]"); i++) await wait(25);
          await other.idle();
          point("pointerup");
          await other.idle();
          const most = Object.fromEntries(heard);
          const parent = document.createElement("div");
          document.body.append(parent);
          parent.append(other);
          other.remove();
          await wait(50);
          Object.assign(EventTarget.prototype, {addEventListener, removeEventListener});
          parent.remove();
          return [most, [...heard].filter(([, count]) => count !== 0)];""")
        most, left = left
        expect(most.get("pagehide") == 1 and most.get("change") == 1, f"it listens to {most}")
        expect(not left, f"gone, it listens to {left}")

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

    def an_element_by_its_attributes_alone(self):
        self.open("layout=flow")
        self.browser.eval("""
          document.querySelector("collection-view").remove();
          const view = document.createElement("collection-view");
          view.style.cssText = "width: 600px; height: 500px";
          view.setAttribute("src", "/playground/gallery.json");
          view.setAttribute("layout", '\\n  {"kind":"list","itemLength":40}');
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
          const list = view.shadowRoot.querySelector("[role=list]");
          const names = [list.getAttribute("aria-label")];
          view.label = null;
          return [error.status, status, problem?.status, ...names, list.getAttribute("aria-label")];""")
        expect(told == [422, 422, 422, "Stamps", None], f"an event says of a refusal, and the list is called, {told}")
