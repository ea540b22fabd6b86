#!/usr/bin/env python3
"""A collection view over HTTP, with nothing but Python's standard library.

    LAYOUTD_URL=http://127.0.0.1:8080 python3 story.py

Exits with 1 if the server answers otherwise than openapi.yaml says.
"""

import json
import os
import urllib.error
import urllib.request


class Surprise(Exception):
    """An answer that is not the one that was documented."""


class Layoutd:
    """The server: one method that asks, and says which status it expects."""

    def __init__(self, url, key=None):
        self.url = url.rstrip("/")
        self.key = key

    def ask(self, method, path, body=None, *, expect, version=None):
        request = urllib.request.Request(self.url + path, method=method)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        if self.key:
            request.add_header("Authorization", f"Bearer {self.key}")
        if version is not None:
            request.add_header("If-Match", f'"{version}"')
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                status, text = response.status, response.read()
        except urllib.error.HTTPError as refusal:
            status, text = refusal.code, refusal.read()
        if status not in expect:
            raise Surprise(f"{method} {path}: {status} {text.decode()}")
        return status, json.loads(text) if text else None


class Session:
    """A collection that the server keeps: the version of it that we know, and its sections then."""

    def __init__(self, server, description):
        self.server = server
        _, answer = server.ask("POST", "/v1/sessions", description, expect=[201])
        self.path = f"/v1/sessions/{answer['id']}"
        self.created = answer
        self.know(answer)

    def know(self, answer):
        self.version, self.sections = answer["version"], answer["sections"]

    def ask(self, method, path="", body=None, *, expect=(200,)):
        _, answer = self.server.ask(method, self.path + path, body, expect=expect)
        return answer

    def scroll(self, y):
        return self.ask("POST", "/scroll", {"contentOffset": {"x": 0, "y": y}})

    def switch(self, layout):
        answer = self.ask("PUT", "/layout", {"layout": layout})
        self.know(answer)
        return answer

    def update(self, make_batch, on_conflict):
        """Applies a batch to the collection that it was made for, and to no other.

        `make_batch` gets the sections as they are and makes a batch that fits them. If somebody else was
        quicker (412), it is asked again.
        """
        while True:
            status, answer = self.server.ask(
                "POST", self.path + "/updates", make_batch(self.sections),
                expect=[200, 412], version=self.version)
            if status == 412:
                on_conflict(self.version, answer["version"])
                answer = self.ask("GET")
            self.know(answer)
            if status == 200:
                return answer


def ranges(list_of_ranges):
    return " ".join(f"{r['start']}–{r['end'] - 1}" for r in list_of_ranges) or "nothing"


def ids(elements):
    return " ".join(element["id"] for element in elements)


def say(what, text):
    print(f"{what:<9} {text}")


def check(condition, what):
    if not condition:
        raise Surprise(what)


def main():
    server = Layoutd(os.environ.get("LAYOUTD_URL", "http://127.0.0.1:8080"),
                     os.environ.get("LAYOUTD_KEY"))

    # Sixty pictures in two columns, on a small screen.
    session = Session(server, {
        "collection": {"sections": [{"items": {
            "ids": [f"p{i}" for i in range(60)],
            "sizes": [[180, [240, 180, 120][i % 3]] for i in range(60)],
        }}]},
        "layout": {"kind": "waterfall", "columnCount": 2},
        "viewport": {"width": 370, "height": 640},
    })
    created = session.created
    height = created["contentSize"]["height"]
    say("create", f"60 pictures, {height} points high; {len(created['attributes'])} are visible")
    say("", f"prefetch {ranges(created['prefetch'])}")

    # Down, far down, and back: what was asked for too early is cancelled.
    visible = {tuple(a["indexPath"]) for a in created["attributes"]}
    for y in (300, 2000, 1500):
        tick = session.scroll(y)
        visible -= {tuple(e["indexPath"]) for e in tick["disappeared"]}
        visible |= {tuple(a["indexPath"]) for a in tick["appeared"]}
        say("scroll", f"to {y}: {len(tick['appeared'])} appear, {len(tick['disappeared'])} disappear, "
                      f"{len(visible)} are visible")
        say("", f"prefetch {ranges(tick['prefetch'])}, cancel {ranges(tick['cancelPrefetch'])}")
    everything = session.ask("GET", "/attributes")["attributes"]
    check(visible == {tuple(a["indexPath"]) for a in everything}, "the ticks do not add up")

    # The same pictures as a list; the one in the middle stays there.
    switched = session.switch(
        {"kind": "list", "itemLength": 80, "itemSpacing": 10, "snap": {"mode": "start"}})
    say("switch", f"to a list, {switched['contentSize']['height']} points high, "
                  f"at {switched['contentOffset']['y']}")

    # Somebody else takes the first picture away; our batch is for the collection before that.
    session.ask("POST", "/updates", {"deleteItems": [{"section": 0, "start": 0, "end": 1}]})

    def append(sections):
        count = sections[0]["itemCount"]
        return {"deleteItems": [{"section": 0, "start": 18, "end": 20}],
                "insertItems": [{"section": 0, "at": count - 2, "items": {"ids": ["new"]}}],
                "expect": {"itemCounts": [count - 1]}, "anchor": "visible"}

    updated = session.update(append, lambda ours, theirs: say(
        "update", f"412: we know version {ours}, the session is at {theirs}; look again"))
    say("update", f"version {updated['version']}, {updated['sections'][0]['itemCount']} pictures; "
                  f"{len(updated['disappearing'])} disappear, {len(updated['moving'])} move")

    # To the start, and the first picture to the place of the third, by a finger.
    session.scroll(0)
    session.ask("POST", "/movement", {"indexPath": [0, 0]}, expect=[201])
    moved = session.ask("PATCH", "/movement", {"position": {"x": 185, "y": 400}})
    say("drag", f"{moved['dragged']['id']} from {moved['source'][1]} over {moved['target'][1]}; "
                f"{ids([m['final'] for m in moved['moving']])} make room")
    ended = session.ask("POST", "/movement/end", {})
    first = session.ask("GET", "/attributes?limit=3")["attributes"]
    say("drop", f"version {ended['version']}; now {ids(first)}")
    check(ids(first) == "p2 p3 p1", "the picture is not where it was put down")

    # A drag that would end between two pictures ends at one.
    snapped = session.ask("POST", "/snap", {
        "proposedContentOffset": {"x": 0, "y": 395}, "velocity": {"x": 0, "y": 1200}})
    say("snap", f"395 becomes {snapped['targetContentOffset']['y']}, "
                f"picture {snapped['indexPath'][1]}")

    session.ask("DELETE", expect=[204])
    session.ask("GET", expect=[404])
    say("delete", "gone")


if __name__ == "__main__":
    try:
        main()
    except (Surprise, OSError) as error:
        raise SystemExit(f"story.py: {error}")
