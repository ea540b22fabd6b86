#!/usr/bin/env python3
"""A collection view over HTTP, with nothing but Python's standard library.

    LAYOUTD_URL=http://127.0.0.1:8080 python3 story.py

Exits with 1 if the server answers otherwise than openapi.yaml says.
"""

import http.client
import json
import os
import time
import urllib.parse


class Surprise(Exception):
    """An answer that is not the one that was documented."""


class Layoutd:
    """The server, by one connection that stays: with one for each, scroll ticks take half as long again.

    One method that asks, and says which status it expects. A connection is for one thread.
    """

    def __init__(self, url, key=None):
        address = urllib.parse.urlsplit(url)
        connect = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
        self.connection = connect(address.hostname, address.port, timeout=10)
        self.prefix = address.path.rstrip("/")
        self.fields = {"Authorization": f"Bearer {key}"} if key else {}

    def ask(self, method, path, body=None, *, expect, version=None):
        fields = dict(self.fields)
        text = None
        if body is not None:
            text = json.dumps(body, separators=(",", ":")).encode()
            fields["Content-Type"] = "application/json"
        if version is not None:
            fields["If-Match"] = f'"{version}"'
        # Nobody may know whether a change was made: what has no version is not asked for twice.
        is_repeatable = version is not None or not path.endswith(("/updates", "/end"))
        for tries_left in (3, 2, 1, 0):
            is_new = self.connection.sock is None
            try:
                self.connection.request(method, self.prefix + path, text, fields)
                response = self.connection.getresponse()
                status, answer = response.status, response.read()
            except (http.client.HTTPException, OSError) as error:
                # The next request opens another. One that was idle may have been closed meanwhile.
                self.connection.close()
                if is_new or not is_repeatable or not tries_left or not isinstance(error, ConnectionError):
                    raise
                continue
            if not tries_left or status != 429 and not (status == 503 and is_repeatable):
                break
            # Too many requests, or too much to do: it says when to come again.
            time.sleep(int(response.getheader("Retry-After", 1)))
        if status not in expect:
            raise Surprise(f"{method} {path}: {status} {answer.decode()}")
        return status, json.loads(answer) if answer else None


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
        if tick["reset"]:
            visible.clear()
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
    except (Surprise, OSError, http.client.HTTPException) as error:
        raise SystemExit(f"story.py: {error}")
