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
