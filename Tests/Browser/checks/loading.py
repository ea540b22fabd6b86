"""Elements and what pages put into them, and the items that come from elsewhere."""

from page import HAND, VIEW, WAIT, Page, expect, provokes


class LoadingChecks(Page):
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

    def pages_say_what_sources_do_not(self):
        """What a page has set before its source is read stays, in whatever way it has said so."""
        self.open("collection=random&layout=flow")
        for what, act in (
            ("at once", "other.description = {layout: {kind: 'waterfall'}, prefetch: {ahead: 3, behind: 3}};"),
            ("one by one", "other.layout = 'waterfall'; other.prefetch = {ahead: 3, behind: 3};"),
        ):
            found = self.browser.eval(VIEW + f"""
              const real = window.fetch;
              const source = {{collection: {{sections: [{{items: {{count: 90}}}}]}}, layout: {{kind: "list"}}, prefetch: {{ahead: 2, behind: 0}}}};
              window.fetch = (url, options) => String(url).endsWith("/own.json")
                ? Promise.resolve(new Response(JSON.stringify(source))) : real(url, options);
              const other = document.createElement("collection-view");
              other.style.cssText = "width: 600px; height: 500px";
              other.server = view.server;
              {act}
              other.src = "/own.json";
              document.body.append(other);
              for (let i = 0; i < 200 && !other.sessionURL; i++) await new Promise((go) => setTimeout(go, 25));
              await other.idle();
              window.fetch = real;
              const {{layout, prefetch}} = other.description;
              other.remove();
              return [layout.kind, prefetch];""")
            expect(found == ["waterfall", {"ahead": 3, "behind": 3}], f"set {what}, and a source with its own: {found}")

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
              other.visibleItems[2].element.focus();
              const asked = [];
              other.addEventListener("prefetch", ({{detail}}) => asked.push(detail));
              {end}
              await other.idle();
              for (let i = 0; i < 40 && (await fetch(before)).ok; i++) await wait(25);
              return [(await fetch(before)).status, other.sessionURL, other.visibleItems.length,
                other.querySelectorAll("[data-index-path]").length, other.contentSize.height, other.contentOffset.y,
                other.currentIndexPath, asked.at(-1)];""")
            expect(seen == [404, None, 0, 0, 0, 0, None, {"ranges": [], "reset": True}],
                   f"{what}: the session, its URL, what is shown, and where, what is current, and to load: {seen}")
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
          // Frameworks set what is there already.
          view.src = view.src;
          view.label = view.label;
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
            for (const name of ["server", "layout", "collection", "prefetch", "displayScale", "description"]) view[name] = value;
            await view.idle();
          }
          const found = [view.server === server, view.layout === layout, view.collection, view.visibleItems.length];
          view.collection = {sections: [{items: {count: 9}}]};
          await view.idle();
          found.push(view.visibleItems.length);
          const other = document.createElement("collection-view");
          other.style.cssText = "width: 400px; height: 300px";
          other.addEventListener("error", ({detail}) => errors.push(String(detail.error)));
          Object.assign(other, {server, layout: "list", renderItem: undefined, collection: {sections: [{items: {ids: ["a"]}}]}});
          document.body.append(other);
          await other.idle();
          const texts = [other.elementAt(0, 0).textContent];
          other.renderItem = (element, {id}) => { element.textContent = `own ${id}`; };
          texts.push(other.elementAt(0, 0).textContent);
          // Others after the first leave what is filled in as it is.
          other.elementAt(0, 0).append("!");
          other.renderItem = null;
          other.renderItem = (element) => { element.textContent = "third"; };
          texts.push(other.elementAt(0, 0).textContent);
          other.remove();
          return [...found, errors, texts];""")
        expect(seen == [True, True, None, 0, 9, [], ["a", "own a", "own a!"]], f"of what is not known: {seen}")

    def decorations_lie_behind_all_else(self):
        """Whatever they are called: covers aside are lower than their section."""
        self.open("layout=list")
        for kind in ("background", "constructor", "__proto__"):
            found = self.browser.eval(VIEW + """
              await view.replaceCollection({sections: [{items: {count: 5}, decorations: [{kind: args[0]}]}]});
              await view.setLayout({kind: "coverFlow"});
              await view.idle();
              const elements = [...view.querySelectorAll("[data-index-path]:not([data-leaving])")];
              const heights = (isCell) => elements.filter(({dataset}) => (dataset.kind === "cell") === isCell)
                .map(({style}) => Number(style.zIndex));
              const hidden = elements.filter((element) => element.getAttribute("aria-hidden") === "true");
              return [heights(true), heights(false), hidden.map(({dataset}) => dataset.kind)];""", kind)
            cells, decorations, hidden = found
            expect(min(cells) < 0 and len(decorations) == 1, f"{kind}: elements at {cells} and {decorations}")
            expect(decorations[0] < min(cells), f"{kind} is at {decorations[0]}, covers at {cells}")
            expect(hidden == [kind], f"{kind}: who cannot see is not told of {hidden}")
            self.same(kind, least=2)
