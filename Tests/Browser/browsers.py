"""Three browsers behind one interface: what the checks do, they do to each."""

import contextlib
import json
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

# Runs before anything of the page: what the policy refuses, and what nobody catches.
WATCH = """
window.refused = [];
addEventListener("securitypolicyviolation", (e) => refused.push(`policy: ${e.violatedDirective} ${e.blockedURI}`));
addEventListener("error", (e) => refused.push(`error: ${e.message}`));
addEventListener("unhandledrejection", (e) => refused.push(`rejection: ${e.reason}`));
"""


class Browser:
    """What pages complain of: on the console, and by what they are watched for, which goes with them."""

    def __init__(self):
        self.messages = []
        self.refused = []

    def keep_refused(self):
        """Before a page goes."""
        self.refused += self.eval("return window.refused?.splice(0) ?? []")


class Chromium(Browser):
    name = "chromium"

    def __init__(self):
        from playwright.sync_api import sync_playwright

        super().__init__()
        self.playwright = sync_playwright().start()
        self.browser = self.playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"],
            # As on a desk, where they take room.
            ignore_default_args=["--hide-scrollbars"],
        )
        self.page = self.browser.new_page(viewport={"width": 1280, "height": 800})
        self.page.set_default_timeout(60_000)
        self.watch()

    def watch(self):
        self.page.add_init_script(WATCH)
        self.page.on(
            "console", lambda m: m.type == "error" and self.messages.append(f"{m.text} {m.location['url']}"))

    def goto(self, url):
        self.keep_refused()
        # Only the fragment differs from page to page: that alone would load nothing.
        self.page.goto("about:blank")
        self.page.goto(url)

    def eval(self, body, *arguments):
        return self.page.evaluate(f"(a) => (async (...args) => {{ {body} }})(...a)", list(arguments))

    def resize(self, width, height):
        self.page.set_viewport_size({"width": width, "height": height})

    def move(self, x, y):
        self.page.mouse.move(x, y)

    def down(self):
        self.page.mouse.down()

    def up(self):
        self.page.mouse.up()

    def wheel(self, x, y, dx, dy):
        self.page.mouse.move(x, y)
        self.page.mouse.wheel(dx, dy)

    def key(self, key):
        self.page.keyboard.press(key)

    @contextlib.contextmanager
    def phone(self):
        """A small page that takes touches; yields what sends them: start, move or end, and where."""
        context = self.browser.new_context(
            has_touch=True, is_mobile=True, viewport={"width": 360, "height": 740}, device_scale_factor=2
        )
        page, self.page = self.page, context.new_page()
        self.watch()
        session = context.new_cdp_session(self.page)

        def touch(kind, *points):
            session.send("Input.dispatchTouchEvent", {
                "type": f"touch{kind}", "touchPoints": [{"x": x, "y": y} for x, y in points]})

        try:
            yield touch
            self.keep_refused()
        finally:
            self.page = page
            context.close()

    def traced(self, work):
        """What `work` returns, with the milliseconds that the page's thread was busy in all and at most."""
        self.browser.start_tracing(page=self.page, categories=["toplevel", "devtools.timeline"])
        result = work()
        events = json.loads(self.browser.stop_tracing())["traceEvents"]
        threads = {
            (e["pid"], e["tid"]) for e in events
            if e["name"] == "thread_name" and e["args"]["name"] == "CrRendererMain"
        }
        tasks = [
            e.get("tdur", 0) / 1000 for e in events
            if e["name"] == "ThreadControllerImpl::RunTask" and (e["pid"], e["tid"]) in threads
        ]
        return result, sum(tasks), max(tasks, default=0)

    def close(self):
        self.browser.close()
        self.playwright.stop()


class WebDriver(Browser):
    """What both dialects of WebDriver have the same words for: what hands do."""

    # Touches by WebDriver do not scroll.
    phone = None
    KEYS = {
        "Enter": "\ue007", "Escape": "\ue00c", "Space": " ", "Tab": "\ue004", "Home": "\ue011",
        "End": "\ue010", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014",
        "ArrowDown": "\ue015",
    }

    def perform(self, actions):
        raise NotImplementedError

    def act(self, kind, *actions):
        self.perform([{"type": kind, "id": kind, "actions": list(actions)}])

    def move(self, x, y):
        self.act("pointer", {"type": "pointerMove", "x": round(x), "y": round(y)})

    def down(self):
        self.act("pointer", {"type": "pointerDown", "button": 0})

    def up(self):
        self.act("pointer", {"type": "pointerUp", "button": 0})

    def wheel(self, x, y, dx, dy):
        self.act(
            "wheel", {"type": "scroll", "x": round(x), "y": round(y), "deltaX": dx, "deltaY": dy}
        )

    def key(self, key):
        value = self.KEYS.get(key, key)
        self.act("key", {"type": "keyDown", "value": value}, {"type": "keyUp", "value": value})

    def traced(self, work):
        return work(), None, None


class Firefox(WebDriver):
    name = "firefox"

    def __init__(self):
        import websocket

        super().__init__()
        self.profile = tempfile.TemporaryDirectory(prefix="firefox-")
        self.process = subprocess.Popen(
            ["/usr/bin/firefox-esr", "--headless", "--no-remote", "--remote-debugging-port", "0",
             "--profile", self.profile.name, "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        url = None
        for line in self.process.stderr:
            if found := re.search(r"WebDriver BiDi listening on (ws://\S+)", line):
                url = found[1]
                break
        # What it says later must not fill the pipe.
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.socket = websocket.create_connection(f"{url}/session", suppress_origin=True, timeout=60)
        self.count = 0
        self.send("session.new", capabilities={})
        self.send("session.subscribe", events=["log.entryAdded"])
        self.context = self.send("browsingContext.getTree")["contexts"][0]["context"]
        # Keys go to the window that has the focus.
        self.send("browsingContext.activate", context=self.context)
        self.send("script.addPreloadScript", functionDeclaration=f"() => {{ {WATCH} }}")
        self.resize(1280, 800)

    def send(self, method, **params):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == self.count:
                if message["type"] == "error":
                    raise RuntimeError(f"{method}: {message['error']}: {message['message']}")
                return message["result"]
            entry = message.get("params", {})
            if message.get("method") == "log.entryAdded" and entry.get("level") == "error":
                self.messages.append(entry.get("text"))

    def goto(self, url):
        self.keep_refused()
        # Firefox does not always say that a page is complete, and then never answers who waits for that: so
        # the page is asked.
        for place in ("about:blank", url):
            self.send("browsingContext.navigate", context=self.context, url=place, wait="none")
            deadline = time.monotonic() + 60
            while (found := self.document()) != (place.partition("#")[0], "complete"):
                if time.monotonic() > deadline:
                    raise RuntimeError(f"{place} is not there after 60 s, but {found}")
                time.sleep(0.02)

    def document(self):
        """The address of what is there, which is not the one asked for where that failed; and its state."""
        try:
            return tuple(self.eval("return [document.documentURI.split('#')[0], document.readyState]"))
        except RuntimeError as error:
            # It may have been asked of a page that went away.
            return error

    def eval(self, body, *arguments):
        call = f"(async (...args) => {{ {body} }})(...{json.dumps(arguments)})"
        answer = self.send(
            "script.evaluate", target={"context": self.context}, awaitPromise=True,
            expression=f"{call}.then((value) => JSON.stringify(value ?? null))",
        )
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def resize(self, width, height):
        self.send(
            "browsingContext.setViewport", context=self.context,
            viewport={"width": width, "height": height},
        )

    def perform(self, actions):
        self.send("input.performActions", context=self.context, actions=actions)

    def close(self):
        try:
            self.send("browser.close")
        except Exception:
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            time.sleep(0.2)
        self.profile.cleanup()


class WebKit(WebDriver):
    name = "webkit"

    def __init__(self):
        super().__init__()
        # Without a window manager the window that is under the pointer has the focus, and the pointer is in the
        # middle of the screen: that is to be in every window.
        self.display = subprocess.Popen(
            ["/usr/bin/Xvfb", "-displayfd", "1", "-screen", "0", "640x640x24", "-nolisten", "tcp"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        number = self.display.stdout.readline().strip()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.driver = subprocess.Popen(
            ["/usr/bin/WebKitWebDriver", "-p", str(port)],
            # Drawn by the processor all the same, and so in a third of the time.
            env={**os.environ, "DISPLAY": f":{number}", "GDK_BACKEND": "x11", "WEBKIT_DISABLE_DMABUF_RENDERER": "1"},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        self.wheels = 0
        self.session = f"http://127.0.0.1:{port}/session"
        binary = next(pathlib.Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))
        arguments = ["--automation", "--javascript-can-open-windows-automatically=true"]
        for _ in range(600):
            try:
                answer = self.send("POST", "", capabilities={"alwaysMatch": {
                    "timeouts": {"script": 90_000, "pageLoad": 90_000, "implicit": 0},
                    "webkitgtk:browserOptions": {"binary": str(binary), "args": arguments}}})
                break
            except OSError:
                # It does not say when it listens.
                time.sleep(0.05)
        self.session += f"/{answer['sessionId']}"
        # Bars keep a window from being as narrow as a phone; one that a page has opened may have none.
        first = self.send("GET", "/window")
        self.eval("open('about:blank', '', 'popup,width=1280,height=800')")
        deadline = time.monotonic() + 30
        while len(handles := self.send("GET", "/window/handles")) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        self.send("DELETE", "/window")
        self.send("POST", "/window", handle=next(handle for handle in handles if handle != first))
        self.resize(1280, 800)

    def send(self, method, path, **body):
        request = urllib.request.Request(
            self.session + path, method=method, data=json.dumps(body).encode() if method == "POST" else None)
        try:
            with urllib.request.urlopen(request, timeout=100) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise RuntimeError(f"{method} {path}: {value['error']}: {value['message']}") from None

    def goto(self, url):
        self.keep_refused()
        self.send("POST", "/url", url="about:blank")
        self.send("POST", "/url", url=url)
        # Nothing can be made to run before the page does: what goes wrong until here, only the others see.
        self.eval(WATCH)

    def eval(self, body, *arguments):
        return self.send(
            "POST", "/execute/sync", args=list(arguments),
            script=f"return (async (...args) => {{ {body} }})(...arguments)")

    def resize(self, width, height):
        self.send("POST", "/window/rect", width=width, height=height)
        # The page hears of it later.
        for _ in range(100):
            if self.eval("return [innerWidth, innerHeight]") == [width, height]:
                return
            time.sleep(0.02)
        raise RuntimeError(f"the window is not {width} × {height}")

    def perform(self, actions):
        self.send("POST", "/actions", actions=actions)

    def wheel(self, x, y, dx, dy):
        # It takes what a wheel says for where that wheel is: another one begins at nothing.
        self.wheels += 1
        self.perform([{"type": "wheel", "id": f"wheel {self.wheels}", "actions": [
            {"type": "scroll", "x": round(x), "y": round(y), "deltaX": dx, "deltaY": dy}]}])

    def close(self):
        with contextlib.suppress(Exception):
            self.send("DELETE", "")
        for process in (self.driver, self.display):
            process.terminate()
            process.wait()
