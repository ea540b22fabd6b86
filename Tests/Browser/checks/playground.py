"""The playground's own controls, links and words, and the README's example."""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time

from page import VIEW, WAIT, Failed, Page, expect, provokes, server

README = pathlib.Path(__file__).parents[3] / "README.md"


class PlaygroundChecks(Page):
    def the_readme_shows_something(self):
        """What it says to paste into a page, in a page that has nothing else."""
        readme = README.read_text()
        element = re.search("<collection-view.*</collection-view>", readme)[0]
        self.browser.goto(f"{self.shop}/?width=768")
        self.browser.eval("""
          for (const style of document.querySelectorAll("style")) style.remove();
          document.body.innerHTML = args[0].replace("/photos.json", `${args[1]}/playground/gallery.json`);""",
          element, self.url)
        self.settle()
        self.same("by what the README says", least=5)
        hidden = self.browser.eval(VIEW + """
          view.hidden = true;
          return view.getClientRects().length === 0;""")
        expect(hidden, "what the page hides is there")

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
        # So are the page's colours, and JSON of one's own that is short enough for mail.
        own = {"sections": [{"items": {"ids": ["it's", "mine"]}}]}
        self.open("layout=list&collection=json&theme=dark")
        self.browser.eval(VIEW + WAIT + """
          const json = document.getElementById("json");
          json.value = JSON.stringify(args[0]);
          json.dispatchEvent(new Event("input", {bubbles: true}));
          document.getElementById("apply").click();
          for (let i = 0; i < 200 && view.itemCounts.join() !== "2"; i++) await wait(25);
          await view.idle();
          for (let i = 0; i < 100 && !location.hash.includes("mine"); i++) await wait(25);""", own)
        command = self.browser.eval("""
          document.querySelector("input[name=curl][value=once]").click();
          return document.getElementById("curl").textContent;""")
        ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=10)
        expect("it's" in ran.stdout, f"{command}: {ran.stdout[:200]} {ran.stderr[:200]}")
        link = self.browser.eval("return location.href")
        self.browser.goto(link)
        self.settle()
        shown = self.browser.eval(VIEW + """
          return [document.documentElement.dataset.theme, view.visibleItems.map(({attributes: {id}}) => id)];""")
        expect(shown == ["dark", ["it's", "mine"]], f"{link}: {shown}")
        length, kept = self.browser.eval(VIEW + WAIT + """
          const json = document.getElementById("json");
          json.value = JSON.stringify({sections: [{items: {ids: Array.from({length: 2000}, (_, i) => `i${i}`)}}]});
          json.dispatchEvent(new Event("input", {bubbles: true}));
          document.getElementById("apply").click();
          for (let i = 0; i < 200 && view.itemCounts.join() !== "2000"; i++) await wait(25);
          await view.setContentOffset({x: 0, y: 500}, false);
          await view.idle();
          for (let i = 0; i < 100 && !location.hash.includes("at="); i++) await wait(25);
          return [location.href.length, location.hash.includes("json=")];""")
        expect(length < 6500 and not kept, f"a link of {length} characters, with the JSON: {kept}")

    def strange_links_are_no_dead_ends(self):
        """What nobody could have chosen is not taken, and what is around it is."""
        for link, layout, collection in (
            ("layout=toString&collection=random", "waterfall", "random"),
            ("layout=__proto__&collection=constructor", "waterfall", "gallery"),
            ("layout=waterfall-x&collection=random", "waterfall", "random"),
            ("layout=flow&collection=random&direction=diagonal&size=abc&spacing=&at=x,y", "flow", "random"),
            ("layout=waterfall&collection=random&columns=0", "waterfall", "random"),
            ("layout=waterfall&collection=random&columns=2.5&spacing=-20", "waterfall", "random"),
            ("layout=flow&collection=random&size=1e300&inset=Infinity", "flow", "random"),
            ("%&layout=list&collection=random&%E0%A4%A", "list", "random"),
        ):
            self.open(link)
            self.same(link)
            shown = self.browser.eval(VIEW + """
              const chosen = (name) => document.querySelector(`input[name=${name}]:checked`)?.value;
              return [view.layout.kind, chosen("layout"), chosen("collection")];""")
            expect(shown == [layout, layout, collection], f"{link}: {shown}")

    def other_links_are_other_pages(self):
        """In the same tab, too, where only what is behind the hash differs."""
        self.open("layout=list&collection=random")
        self.browser.eval("window.mark = 'same'; setTimeout(() => { location.hash = 'layout=waterfall&collection=random'; });")
        for _ in range(40):
            time.sleep(0.1)
            try:
                found = self.browser.eval("return [window.mark ?? null, document.querySelector('collection-view')?.layout.kind]")
            except Exception:
                # It is on its way.
                continue
            if found == [None, "waterfall"]:
                break
        expect(found == [None, "waterfall"], f"another link shows {found}")
        self.settle()

    def controls_do_what_they_say(self):
        self.open("layout=flow&collection=random")
        metrics = {
            "flow": "direction size spacing inset pin", "waterfall": "direction columns spacing inset pin",
            "pagedGrid": "direction columns rows spacing inset", "list": "direction size spacing inset pin",
            "coverFlow": "direction size spacing inset", "wheel": "size radius", "banner": "size spacing inset",
        }
        for layout, expected in metrics.items():
            shown = self.browser.eval(VIEW + """
              document.querySelector(`input[value=${args[0]}]`).click();
              await view.idle();
              return [...document.querySelectorAll("[data-for]")].filter((label) => label.getClientRects().length)
                .map((label) => label.dataset.for);""", layout)
            expect(set(shown) == set(expected.split()), f"{layout} has the controls {shown}")
        themes = self.browser.eval("""
          const themes = [];
          for (let press = 0; press < 3; press++) {
            document.getElementById("theme").click();
            themes.push(document.documentElement.dataset.theme);
          }
          return themes;""")
        expect(themes == ["light", "dark", ""], f"the colours go through {themes}")
        # Another collection is shown from its beginning.
        self.open("layout=list&collection=random")
        seen = self.browser.eval(VIEW + WAIT + """
          await view.setContentOffset({x: 0, y: 2000}, false);
          await view.idle();
          document.querySelector("input[value=json]").click();
          // Numbers are told now and then; while there is no session, none but 1 is taken.
          const most = () => document.getElementById("item").max;
          for (let i = 0; i < 400 && !(view.itemCounts.join() === "5,40" && most() === "45"); i++) await wait(25);
          await view.idle();
          const seen = [view.contentOffset.y];
          const said = () => document.getElementById("status").textContent;
          const go = async (number) => {
            document.getElementById("item").value = number;
            document.querySelector("#jump button").click();
            await wait(100);
            await view.idle();
          };
          // Numbers go through all sections.
          await go(30);
          for (let i = 0; i < 100 && !view.elementAt(1, 24); i++) await wait(50);
          seen.push(view.elementAt(1, 24) !== null);
          document.getElementById("item").max = "";
          await go(46);
          seen.push(said());
          // Nothing is wrong with the server.
          const json = document.getElementById("json");
          json.value = "{";
          json.dispatchEvent(new Event("input", {bubbles: true}));
          document.getElementById("apply").click();
          await wait(100);
          seen.push(document.getElementById("json-problem").textContent !== "", document.getElementById("failed").hidden);
          return seen;""")
        expect(seen == [0, True, "There are not so many items.", True, True],
               f"where, whether it goes there, what it says, the problem, and that it is no failure: {seen}")

    @provokes(422)
    def what_is_changed_is_what_is_meant(self):
        """The item with the focus is deleted; what comes is described as its neighbours are, so that curl tells the same."""
        self.open("layout=list&collection=random")
        seen = self.browser.eval(VIEW + WAIT + """
          const press = async (id) => {
            const {version} = view;
            document.getElementById(id).click();
            for (let i = 0; i < 200 && view.version === version; i++) await wait(25);
            await view.idle();
          };
          // A window that has not the focus itself says nothing of elements that get it.
          const focus = (section, item) => {
            const element = view.elementAt(section, item);
            element.focus();
            element.dispatchEvent(new FocusEvent("focusin", {bubbles: true, composed: true}));
          };
          focus(0, 1);
          await press("delete");
          const seen = [document.getElementById("status").textContent];
          document.querySelector("input[value=million]").click();
          for (let i = 0; i < 200 && view.itemCounts[0] !== 1e6; i++) await wait(25);
          await view.idle();
          // What only its number names keeps its colour when that changes.
          const second = view.elementAt(0, 1);
          const hue = second.style.getPropertyValue("--hue");
          focus(0, 0);
          await press("delete");
          seen.push(view.elementAt(0, 0) === second, second.style.getPropertyValue("--hue") === hue);
          document.querySelector("input[value=json]").click();
          for (let i = 0; i < 200 && view.itemCounts.join() !== "5,40"; i++) await wait(25);
          await view.idle();
          for (const section of [0, 1]) {
            await view.scrollToItem(section, 0, "start", false);
            await view.idle();
            focus(section, 1);
            await press("insert");
          }
          document.querySelector("input[name=curl][value=once]").click();
          const {collection, layout, viewportSize: viewport, contentSize} = view;
          const answer = await (await fetch("/v1/layout", {
            method: "POST", headers: {"Content-Type": "application/json"},
            body: JSON.stringify({collection, layout, viewport}),
          })).json();
          seen.push(view.itemCounts.join(), answer.contentSize.height === contentSize.height);
          // Keys are asked for where one is missing only.
          await view.setLayout({kind: "flow", columns: 3}).catch(() => {});
          view.layout = {kind: "flow", columns: 3};
          for (let i = 0; i < 100 && document.getElementById("failed").hidden; i++) await wait(25);
          return [...seen, document.getElementById("failed").hidden, document.getElementById("key").hidden];""")
        expect(seen == ["Item r2 deleted.", True, True, "7,42", True, False, True], f"changed: {seen}")

    def the_stage_has_the_size_that_is_chosen(self):
        """By its handle, not smaller than what shows something, nor larger than there is room for."""
        self.open("layout=banner&collection=random")
        sizes, middle = self.browser.eval(VIEW + WAIT + """
          const handle = document.getElementById("handle");
          const stage = document.getElementById("stage");
          const press = (key, times = 1) => {
            for (let i = 0; i < times; i++) handle.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
            return [stage.offsetWidth, stage.offsetHeight];
          };
          const room = [stage.parentElement.clientWidth, stage.parentElement.clientHeight];
          const before = press("ArrowLeft");
          const sizes = [before, press("ArrowRight"), press("ArrowLeft", 3), press("ArrowUp", 2)];
          const [one, two, three, four] = sizes;
          const found = [two[0] - one[0], three[0] - two[0], four[1] - three[1]];
          found.push(press("ArrowLeft", 90)[0], press("ArrowUp", 90)[1]);
          const [width, height] = [press("ArrowRight", 90)[0], press("ArrowDown", 90)[1]];
          found.push(width <= room[0], height <= room[1]);
          press("ArrowUp", 10);
          await wait(600);
          await view.idle();
          // Cards of a banner stand in the middle.
          const {frame} = view.visibleItems.find(({attributes: {kind}}) => kind === "cell").attributes;
          return [found, frame.y + frame.height / 2 - view.viewportSize.height / 2];""")
        expect(sizes == [20, -60, -40, 200, 200, True, True], f"by its keys it gets wider, narrower and lower by, and ends at: {sizes}")
        expect(abs(middle) < 10, f"cards are {middle} px from the middle")

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
