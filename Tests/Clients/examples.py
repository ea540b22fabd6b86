"""Holds the examples of openapi.yaml against its schemas, and against what a server answers.

    python3 examples.py URL
"""

import json
import sys
import urllib.error
import urllib.request

import yaml
from contract import Contract

url = sys.argv[1]
contract = Contract("openapi.yaml")
failures = 0


def fail(*lines):
    global failures
    failures += 1
    print(*lines, sep="\n", file=sys.stderr)


def examples(value, path=()):
    """Examples and defaults: where they are, as a text, the schema, and the value."""
    if isinstance(value, list):
        for number, part in enumerate(value):
            yield from examples(part, (*path, str(number)))
    elif isinstance(value, dict):
        # In there, and among the components, these are names like any other.
        is_schema = path[-1:] != ("properties",) and path != ("components",)
        words = {"example", "examples", "default"} & value.keys() if is_schema else set()
        schema = value.get("schema", value)
        for word in words:
            found = value[word]
            several = found if word == "examples" else {"": found}
            for name, example in enumerate(several) if isinstance(several, list) else several.items():
                if word == "examples" and schema is not value:
                    example = contract.resolve(example)["value"]
                yield "/".join([*path, word, str(name)]).removesuffix("/"), schema, example
        for name in value.keys() - words:
            yield from examples(value[name], (*path, name))


values = {}
for place, schema, value in examples(contract.document):
    values[place] = value
    for fault in contract.faults(schema, value):
        fail(f"openapi.yaml: {place}: {fault}")
with open("openapi.yaml") as file:
    for token in yaml.scan(file):
        if isinstance(token, yaml.ScalarToken) and token.plain and token.value in ("y", "n"):
            line = token.start_mark.line + 1
            fail(f"openapi.yaml:{line}: to YAML 1.1, {token.value} without quotes is a truth value")


def parts(value, path=()):
    """All objects in a document, and where they are."""
    if isinstance(value, dict):
        yield path, value
        for name, part in value.items():
            yield from parts(part, (*path, name))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from parts(part, (*path, str(number)))


# Without a format, generators take 32 bits: offsets would lose their points, and counts find no room.
formats = {"number": "double", "integer": "int64"}
for path, part in parts(contract.document):
    kind = part.get("type")
    if isinstance(kind, str) and kind in formats and part.get("format") != formats[kind]:
        fail(f"openapi.yaml: {'/'.join(path)}: the format is not {formats[kind]}")
    # OpenAPI allows any body there; openapi-generator refuses the whole document for one that is no text.
    for name, link in part.get("links", {}).items():
        if not isinstance(link.get("requestBody", ""), str):
            fail(f"openapi.yaml: {'/'.join(path)}: the body of the link {name} is no text")

# What remains to be shown by a server: requests, answers and refusals.
left = {place for place in values if "/requestBody/" in place or "/responses/" in place} | {
    f"components/schemas/{name}/example" for name in ("AttributeColumns", "ScrollAnswer", "SnapAnswer")}


def ask(method, path, body=None):
    request = urllib.request.Request(
        url + path, method=method, data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


class Session:
    def __init__(self, *sections, layout={"kind": "list"}, size=(320, 132)):
        status, answer = ask("POST", "/v1/sessions", {
            "collection": {"sections": list(sections)}, "layout": layout,
            "viewport": {"width": size[0], "height": size[1]}})
        assert status == 201, answer
        self.path = f"/v1/sessions/{answer['id']}"


def shows(path, method, name="", *, of=None, body=None, query="", gives=200, answer=None):
    """Asks what is shown, or `body`, of a session or of none, and compares with the answer that is shown."""
    template = "/v1/sessions/{id}" + path if of else path
    if body is None and method != "get":
        place = f"paths/{template}/{method}/requestBody/content/application/json/example{name and f's/{name}'}"
        body = values[place]
        left.discard(place)
    status, told = ask(method.upper(), (of.path if of else "") + path + query, body)
    if status != gives:
        fail(f"openapi.yaml: {method} {template} {name}: {status} instead of {gives}", json.dumps(told))
    if answer is None:
        return
    if not answer.startswith("components/"):
        answer = f"paths/{template}/{method}/responses/{gives}/content/application/json/{answer}"
    left.discard(answer)
    expected = values[answer]
    # Another one each time.
    told = {**told, "requestId": expected["requestId"]} if "requestId" in expected else told
    if answer.endswith("AttributeColumns/example"):
        told = told["attributes"]
    if told != expected:
        fail(f"openapi.yaml: {answer} is", json.dumps(expected), "and the answer", json.dumps(told))


def letters(text):
    return Session({"items": {"ids": list(text)}})


def rows(mode="none"):
    """Two and a bit of them are in the viewport."""
    return Session({"items": {"count": 100}}, size=(375, 667), layout={
        "kind": "list", "itemLength": 300, "itemSpacing": 10, "snap": {"mode": mode}})


def refusal(name, example="example"):
    return f"components/responses/{name}/content/application/problem+json/{example}"


shows("/v1/layout", "post", "waterfall", answer="examples/waterfall")
for name in ("flow", "dragEnd", "viewports"):
    shows("/v1/layout", "post", name)
for name in ("waterfall", "billion"):
    shows("/v1/sessions", "post", name, gives=201)
for name in ("healthz", "readyz"):
    shows(f"/{name}", "get", answer="example")
waterfall = values["paths//v1/layout/post/requestBody/content/application/json/examples/waterfall"]
shows("/v1/layout", "post", query="?format=columns", answer="components/schemas/AttributeColumns/example",
      body={**waterfall, "rect": {"x": 0, "y": 0, "width": 190, "height": 300}})

shows("/item-at", "get", of=letters("abcde"), query="?x=10&y=150", answer="example")
tall = Session({"items": {"sizes": [[320, 1240.5], [320, 2000]]}}, layout={"kind": "flow", "minimumLineSpacing": 0})
shows("/scroll-offset", "get", of=tall, query="?section=0&item=1&position=start", answer="example")
for name in ("tick", "anew"):
    shows("/scroll", "post", name, of=rows())
shows("/scroll", "post", of=rows(), body={"contentOffset": {"x": 0, "y": 320}},
      answer="components/schemas/ScrollAnswer/example")
for name in ("proposed", "projected"):
    shows("/snap", "post", name, of=rows("start"))
shows("/snap", "post", of=rows("start"), body={"proposedContentOffset": {"x": 0, "y": 320}},
      answer="components/schemas/SnapAnswer/example")
for path, names in {
    "/layout": ["coverFlow", "anchored"], "/viewport": ["rotated", "anchored", "scrolled"],
    "/collection": ["named", "anonymous"],
}.items():
    for name in names:
        shows(path, "put", name, of=letters("abcdefghijklmnopqrst"))

shows("/updates", "post", "items", of=letters("abcde"), answer="examples/items")
shows("/updates", "post", "sections", of=Session(
    {"items": {"count": 10}, "header": {"width": 0, "height": 20}},
    {"id": "letters", "items": {"ids": ["z"]}}, {"items": {"count": 3}}))
shows("/updates", "post", "tried", of=letters("abcde"))
shows("/updates", "post", of=letters("abcde"), body=values["components/schemas/BatchUpdate/example"])

moved = letters("abc")
shows("/movement", "post", "item", of=moved, gives=201, answer="examples/item")
shows("/movement", "patch", of=moved, answer="examples/moved")
shows("/movement/end", "post", of=moved, answer="examples/moved")
shows("/movement", "patch", of=moved, gives=409, answer=refusal("MovementConflict"))
shows("/movement", "post", "finger", gives=201, of=Session({"items": {"count": 3}}, {"items": {"count": 3}}))
shows("/movement", "post", of=letters("abcd"), gives=201,
      body=values["components/schemas/MovementBeginning/example"])

twenty = Session({"items": {"count": 20}})
shows("/attributes", "get", of=twenty, query="?witdh=1", gives=400, answer=refusal("BadRequest"))
shows("/viewport", "put", of=twenty, gives=409, answer=refusal("Conflict"), body={
    "viewport": {"width": 100, "height": 100}, "anchor": {"indexPath": [0, 20]}})
shows("/layout", "put", of=twenty, gives=422, answer=refusal("UnprocessableContent"),
      body={"layout": {"kind": "waterfall", "columCount": 2}})
shows("/updates", "post", of=Session({"items": {"count": 10}}), gives=409,
      answer=refusal("UpdateConflict", "examples/counts"), body={
          "deleteItems": [{"section": 0, "start": 3, "end": 4}],
          "insertItems": [{"section": 0, "at": 0, "items": {"count": 2}}], "expect": {"itemCounts": [12]}})

for place in sorted(left):
    fail(f"openapi.yaml: {place} is held against nothing")
print(f"{len(values)} examples and defaults in openapi.yaml")
sys.exit(1 if failures else 0)
