"""Sessions, other clients of theirs, and servers that are lost, busy or silent."""

import json

from page import HAND, VIEW, WAIT, Page, expect, provokes, server

# `refuse` has a server answer that it does not want what ends so for a minute; `asked` is how often it had to.
REFUSES = """
const real = window.fetch;
let asked = 0;
const refuse = (end) => {
  window.fetch = (url, options) => {
    if (!String(url).endsWith(end)) return real(url, options);
    asked++;
    return Promise.resolve(new Response("", {status: 429, headers: {"Retry-After": "60"}}));
  };
};"""


class SessionsChecks(Page):
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
        begun, deleted, isLast = self.browser.eval(VIEW + WAIT + """
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
          // A page that has just been loaded is shown, too, and begins none twice.
          late = 0;
          main.append(view);
          dispatchEvent(new PageTransitionEvent("pageshow", {persisted: false}));
          await wait(0);
          dispatchEvent(new PageTransitionEvent("pageshow", {persisted: false}));
          await begin(6);
          await wait(200);
          const [last] = begun.splice(5);
          window.fetch = real;
          return [begun, deleted, last === `${view.sessionURL} mine`];""")
        expect(len(begun) == 5 and deleted == begun, f"begun: {begun}, deleted: {deleted}")
        expect(isLast, "where a page is shown for the first time, a session is begun twice")

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
          // What replaces all is followed again.
          await view.applyUpdates({insertItems: [{section: 0, at: 1, items: {ids: ["i"], size}}]});
          await view.replaceCollection(of("k", "l", "m"));
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
        expect(found == ["made 2", "b c", "f e", "g h", "h", "l m", 404, 1], f"they begin with, and in vain: {found}")

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
        # Nor is a batch tried on what nobody has seen here.
        status = self.browser.eval(VIEW + """
          const last = {deleteItems: [{section: 0, start: 595, end: 596}]};
          await fetch(`${view.sessionURL}/updates`, {
            method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(last)});
          return view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}], dryRun: true}).then(() => 200, ({status}) => status);""")
        expect(status == 412, f"tried on another version: {status}")
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
        # Ticks would wait too: what a minute will not mend is said at once.
        asked, status = self.browser.eval(VIEW + REFUSES + """
          refuse("/updates");
          const {status} = await view.applyUpdates({deleteItems: [{section: 0, start: 0, end: 1}]}).catch((error) => error);
          window.fetch = real;
          return [asked, status];""")
        expect((asked, status) == (1, 429), f"asked {asked} times for {status}")
        # What it asks by itself it does not ask more often for that.
        asked = self.browser.eval(VIEW + WAIT + REFUSES + """
          refuse("/scroll");
          for (let i = 0; i < 30; i++) {
            view.shadowRoot.querySelector(".scroller").scrollTop += 20;
            await wait(30);
          }
          window.fetch = real;
          return asked;""")
        expect(asked == 1, f"asked for {asked} ticks")
        self.open("collection=random&layout=flow")
        asked = self.browser.eval(VIEW + WAIT + REFUSES + """
          refuse("/viewport");
          view.style.height = "300px";
          await wait(5000);
          window.fetch = real;
          view.style.height = "";
          return asked;""")
        expect(asked == 1, f"a size is told {asked} times")

    def answers_without_room_are_made_up_for(self):
        """The server has done what was asked, and has no room to tell of it."""
        self.open("collection=random&layout=flow")
        self.browser.eval(VIEW + """
          const real = window.fetch;
          view.reorderable = true;
          window.lost = "";
          window.fetch = async (url, options) => {
            const answer = await real(url, options);
            if (!window.lost || !String(url).endsWith(window.lost) || options.method === "DELETE") return answer;
            window.lost = "";
            return new Response('{"type": "/problems/uncertain"}', {status: 503, headers: {"Retry-After": "0.1"}});
          };
          window.lost = "/scroll";
          await view.setContentOffset({x: 0, y: 1400}, false);
          await view.idle();""")
        self.same("after a tick")
        moved = self.browser.eval(VIEW + WAIT + """
          await view.setContentOffset({x: 0, y: 0}, false);
          await view.idle();
          const cell = view.elementAt(0, 0);
          const press = (key) => cell.dispatchEvent(
            new KeyboardEvent("keydown", {key, bubbles: true, composed: true, cancelable: true}));
          cell.focus();
          press(" ");
          await wait(300);
          window.lost = "/movement";
          press("ArrowRight");
          await wait(800);
          return window.lost === "";""")
        expect(moved, "no step was lost")
        self.same("after a step of an item that is up")
        # Without ids only filling in anew makes up for it.
        self.open("layout=list")
        texts = self.browser.eval(VIEW + WAIT + """
          const real = window.fetch;
          view.reorderable = true;
          view.renderItem = (element, {indexPath}, reuse) => {
            if (reuse !== "moved") element.textContent = `item ${indexPath[1]}`;
          };
          view.collection = {sections: [{items: {count: 40}}]};
          await view.idle();
          const press = (key) => document.activeElement.dispatchEvent(
            new KeyboardEvent("keydown", {key, bubbles: true, composed: true, cancelable: true}));
          view.elementAt(0, 0).focus();
          press(" ");
          for (let i = 0; i < 60 && !view.querySelector("[data-dragging]"); i++) await wait(25);
          await view.idle();
          let isLost = false;
          window.fetch = async (url, options) => {
            const answer = await real(url, options);
            if (isLost || options.method !== "PATCH") return answer;
            isLost = true;
            return new Response('{"type": "/problems/uncertain"}', {status: 503, headers: {"Retry-After": "0.1"}});
          };
          press("ArrowDown");
          await wait(800);
          await view.idle();
          press("Enter");
          for (let i = 0; i < 60 && view.querySelector("[data-dragging]"); i++) await wait(25);
          await view.idle();
          window.fetch = real;
          return [...Array(40).keys()].map((item) => view.elementAt(0, item)?.textContent).filter(Boolean);""")
        expect(len(set(texts)) == len(texts) > 3, f"items show {texts}")

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

    def sessions_that_are_gone_at_once_are_not_begun_one_after_the_other(self):
        """As behind a proxy that asks another server each time."""
        for what, act in (
            ("a tick", "isGone = true; view.setContentOffset({x: 0, y: 300}, false).catch(() => {});"),
            ("where to rest", """
              await view.setLayout({kind: "list", snap: {mode: "start"}});
              const {x, y} = view.getBoundingClientRect();
              const point = hand(view.elementAt(0, 0), x + 100, y + 300);
              isGone = true;
              for (const [type, clientY] of [["pointerdown", y + 300], ["pointermove", y + 200], ["pointerup", y + 200]]) {
                point(type, {clientY});
              }"""),
        ):
            self.open("collection=random&layout=list")
            begun = self.browser.eval(VIEW + WAIT + HAND + """
              const real = window.fetch;
              let [begun, isGone] = [0, false];
              window.fetch = async (url, options) => {
                if (/sessions$/.test(url)) begun++;
                if (isGone && /sessions[/]./.test(url)) return new Response('{"type": "/problems/no-such-session"}', {status: 404});
                return real(url, options);
              };
              """ + act + """
              await wait(1500);
              const early = begun;
              isGone = false;
              for (let i = 0; i < 200 && begun === early; i++) await wait(25);
              await wait(100);
              await view.idle();
              window.fetch = real;
              return [early, begun];""")
            expect(1 <= begun[0] <= 2, f"{what}: {begun[0]} sessions have been begun in a moment")
            self.same(f"after {what}")

    @provokes(404, 409, 412)
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
            # The time to catch up comes when the server takes nothing else, or when there is nothing to be shown.
            ("a new size, and an item was up then", "/viewport", cut,
             "view.style.width = '400px'; await failure(); window.fetch = real; await lift(); await wait(2200); await drop();"),
            ("a layout whose answer is lost, and an item was up then", "/layout", f"await real(url, options); {cut}",
             "await view.setLayout('coverFlow').catch(() => {}); window.fetch = real; await lift(); await wait(2200); await drop();"),
            ("a tick, and the view was away then", "/scroll", "return new Response('', {status: 500});", """
             view.setContentOffset({x: 0, y: 5000}, false).catch(() => {});
             await failure();
             const main = view.parentNode;
             await wait(1500);
             view.remove();
             window.fetch = real;
             await wait(800);
             main.append(view);"""),
        ):
            self.open("collection=random&layout=list")
            failures = self.browser.eval(VIEW + WAIT + f"""
              const real = window.fetch;
              let failures = 0;
              const type = (key) => view.elementAt(0, 1).dispatchEvent(
                new KeyboardEvent("keydown", {{key, bubbles: true, cancelable: true}}));
              const lift = async () => {{
                // What may have been changed is looked at before it is lifted.
                for (let i = 0; i < 5 && !view.querySelector("[data-dragging]"); i++) {{
                  type(" ");
                  await view.idle();
                }}
              }};
              const drop = async () => {{
                if (!view.querySelector("[data-dragging]")) throw new Error("nothing was up");
                type("Enter");
                await wait(100);
                await view.idle();
              }};
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

    @provokes(409)
    def sizes_wait_for_items_that_are_up(self):
        """Another client's, and one that the server has still because it was not told that it was put back."""
        self.open("collection=random&layout=list")
        refused, before, after = self.browser.eval(VIEW + WAIT + """
          const refused = new Promise((resolve) => {
            view.addEventListener("error", ({detail}) => resolve(detail.status));
          });
          const width = async () => (await (await fetch(view.sessionURL)).json()).contentSize.width;
          await fetch(`${view.sessionURL}/movement`, {
            method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({indexPath: [0, 1]})});
          view.style.width = "300px";
          const status = await refused;
          const before = await width();
          await fetch(`${view.sessionURL}/movement`, {method: "DELETE"});
          for (let i = 0; i < 400 && await width() !== view.viewportSize.width; i++) await wait(25);
          await view.idle();
          return [status, before - view.viewportSize.width > 100, await width() - view.viewportSize.width];""")
        found = [refused, before, after]
        expect(found == [409, True, 0], f"beside another's item, wider then, and how much at last: {found}")
        self.same("when another has put down an item")
        found = self.browser.eval(VIEW + WAIT + HAND + """
          const width = async () => (await (await fetch(view.sessionURL)).json()).contentSize.width;
          const grip = view.elementAt(0, 2).querySelector("[data-drag-handle]");
          const {x, y} = grip.getBoundingClientRect();
          const point = hand(grip, x + 2, y + 5);
          point("pointerdown");
          await view.idle();
          point("pointermove", {clientY: y + 50});
          await view.idle();
          const isUp = up();
          const seen = new ResizeObserver(() => { seen.isTold = view.offsetWidth === 400; });
          seen.observe(view);
          view.style.width = "400px";
          for (let i = 0; i < 200 && !seen.isTold; i++) await wait(25);
          const real = window.fetch;
          const told = [];
          let isCut = true, isToldAgain;
          const isOver = new Promise((resolve) => { isToldAgain = resolve; });
          window.fetch = async (url, options) => {
            const name = `${options?.method} ${String(url).split("/").pop()}`;
            if (isCut) {
              // Until both are lost, in whatever order.
              told.push(name);
              if (told.includes("DELETE movement") && told.includes("PUT viewport")) isCut = false;
              throw new TypeError("cut off");
            }
            if (name === "PUT viewport") isToldAgain();
            return real(url, options);
          };
          point("pointerup", {clientY: y + 50});
          await isOver;
          for (let i = 0; i < 400 && await width() !== view.viewportSize.width; i++) await wait(25);
          window.fetch = real;
          await view.idle();
          await view.applyUpdates({deleteItems: [{section: 0, start: 9, end: 10}]});
          return [isUp, isCut, await width() - view.viewportSize.width];""")
        expect(found == [1, False, 0], f"up, still cut off, and how much wider it is at the server: {found}")
        self.same("after a drag that was cut off")

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

    def who_says_where_it_is_is_believed(self):
        """A batch may say where the client is; what replaces all, what is to stay."""
        self.open("collection=random&layout=list")
        found = self.browser.eval(VIEW + """
          const ids = Array.from({length: 400}, (_, item) => `i${item}`);
          const of = (ids) => ({sections: [{items: {ids}}]});
          view.collection = of(ids);
          await view.setContentOffset({x: 0, y: 3000}, false);
          await view.idle();
          const told = [];
          view.addEventListener("request", ({detail: {url, body}}) => {
            if (String(url).endsWith("/updates")) told.push(body.contentOffset.y);
          });
          const found = [];
          const item = {deleteItems: [{section: 0, start: 399, end: 400}]};
          await view.applyUpdates({...item, contentOffset: {x: 0, y: 2000}, dryRun: true});
          await view.applyUpdates({...item, dryRun: true});
          const [first, second] = ids.slice(0, 2).map((id) => `new ${id}`);
          for (const [data, anchor] of [[[first, ...ids], "start"], [[second, first, ...ids], {indexPath: [0, 70]}]]) {
            const {y} = view.contentOffset;
            await view.replaceCollection(of(data), anchor);
            await view.idle();
            found.push(Math.sign(view.contentOffset.y - y));
          }
          return [told, found];""")
        expect(found == [[2000, 3000], [0, 1]], f"told, and which way it goes: {found}")

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
        # What comes late is not waited for either: what never comes keeps nothing from being shown that is set after it.
        for what, act in (
            ("a source", "view.src = '/hang.json'; await wait(100); view.src = '/there.json';"),
            ("a function", "view.collection = () => new Promise(() => {}); await wait(100);"
             "view.collection = {sections: [{items: {ids: ['c1', 'c2']}}]};"),
        ):
            self.open("layout=list")
            texts = self.browser.eval(VIEW + WAIT + f"""
              const real = window.fetch;
              window.fetch = (url, options) => /hang[.]json/.test(url) ? new Promise(() => {{}})
                : /there[.]json/.test(url) ? Promise.resolve(new Response('{{"sections": [{{"items": {{"ids": ["c1", "c2"]}}}}]}}'))
                : real(url, options);
              const shown = () => view.visibleItems.map(({{attributes: {{id}}}}) => id).join(" ");
              {act}
              for (let i = 0; i < 100 && shown() !== "c1 c2"; i++) await wait(25);
              window.fetch = real;
              return shown();""")
            expect(texts == "c1 c2", f"set after {what} that does not come: {texts}")

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
