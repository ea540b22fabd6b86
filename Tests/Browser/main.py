"""Runs the checks of `checks` in the browsers; Tests/Browser/run says with what."""

import argparse
import collections
import concurrent.futures
import http.server
import multiprocessing
import os
import sys
import threading
import time
import traceback

from browsers import Chromium, Firefox, WebKit
from checks import CHECKS, Checks
from page import Failed, Skipped, expect, server
from shop import Shop

# The slowest first, so that the others come one after the other beside it.
KINDS = {kind.name: kind for kind in (WebKit, Chromium, Firefox)}


def run(checks, names):
    """Runs checks in one browser; returns how many failed, and the names of those that it skipped."""
    failures, skipped = 0, []
    browser = checks.browser
    for name in names:
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
            skipped.append(name)
            word = f"skipped, {reason}"
        except Failed as failed:
            word, problem = "FAILED", str(failed)
        except Exception:
            word, problem = "FAILED", traceback.format_exc(limit=3)
        # In one piece: others write too.
        lines = [f"{browser.name}: {name.replace('_', ' ')}: {word}, {time.monotonic() - start:.1f} s"]
        if problem:
            failures += 1
            lines.append(f"  {problem}")
        print("\n".join(lines), flush=True)
    for note in checks.notes:
        print(f"{browser.name}: {note}", flush=True)
    return failures, skipped


def run_in(name, program, names):
    """Runs checks in the browser of a name, with servers of its own; returns what `run` does."""
    shop = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    threading.Thread(target=shop.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{shop.server_port}"
    with server(program, "--cors-origin", origin) as url:
        Shop.layoutd = url
        browser = KINDS[name]()
        try:
            return run(Checks(browser, program, url, origin), names)
        finally:
            browser.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--browser", choices=KINDS)
    parser.add_argument("--only", nargs="*", choices=CHECKS, metavar="CHECK")
    options = parser.parse_args()
    kinds = [options.browser] if options.browser else list(KINDS)
    # Each waits a fifth of its time: no more of them than processors.
    workers = min(len(kinds), os.cpu_count() or 1)
    failures = 0
    skipped = collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        for each in [pool.submit(run_in, kind, options.program, options.only or CHECKS) for kind in kinds]:
            failed, names = each.result()
            failures += failed
            skipped.update(names)
    for name, count in skipped.items():
        if count == len(KINDS):
            failures += 1
            print(f"{name.replace('_', ' ')}: FAILED, no browser has what it is about")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
