"""Runs the checks of `checks` in the browsers; Tests/Browser/run says with what."""

import argparse
import collections
import http.server
import sys
import threading
import time
import traceback

from browsers import Chromium, Firefox, WebKit
from checks import CHECKS, Checks
from page import Failed, Skipped, expect, server
from shop import Shop


def run(checks, skipped):
    """Runs all checks, or those that were asked for; returns how many failed, and counts who skipped which."""
    failures = 0
    browser = checks.browser
    for name in only or CHECKS:
        start = time.monotonic()
        word, problem = "ok", None
        try:
            # What the check before has left on its page is not this one's.
            browser.keep_refused()
            browser.refused.clear()
            browser.messages.clear()
            check = getattr(checks, name)
            check()
            browser.keep_refused()
            provoked = [f"status of {status} " for status in getattr(check, "provokes", ())]
            errors = [m for m in browser.messages if not any(each in m for each in provoked)]
            expect(not browser.refused and not errors, f"the browser complains: {browser.refused} {errors}")
        except Skipped as reason:
            skipped[name] += 1
            word = f"skipped, {reason}"
        except Failed as failed:
            word, problem = "FAILED", str(failed)
        except Exception:
            word, problem = "FAILED", traceback.format_exc(limit=3)
        print(f"{browser.name}: {name.replace('_', ' ')}: {word}, {time.monotonic() - start:.1f} s", flush=True)
        if problem:
            failures += 1
            print(f"  {problem}", flush=True)
    for note in checks.notes:
        print(f"{browser.name}: {note}")
    return failures


parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--browser", choices=["chromium", "firefox", "webkit"])
parser.add_argument("--only", nargs="*", choices=CHECKS, metavar="CHECK")
options = parser.parse_args()
only = options.only

shop = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shop)
threading.Thread(target=shop.serve_forever, daemon=True).start()
origin = f"http://127.0.0.1:{shop.server_port}"
failures = 0
skipped = collections.Counter()
kinds = (Chromium, Firefox, WebKit)
with server(options.program, "--cors-origin", origin) as url:
    Shop.layoutd = url
    for kind in kinds:
        if options.browser in (None, kind.name):
            browser = kind()
            try:
                failures += run(Checks(browser, options.program, url, origin), skipped)
            finally:
                browser.close()
for name, count in skipped.items():
    if count == len(kinds):
        failures += 1
        print(f"{name.replace('_', ' ')}: FAILED, no browser has what it is about")
sys.exit(1 if failures else 0)
