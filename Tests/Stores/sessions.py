"""Asks a server everything that a session holds, and holds that against a model."""

import json

# Around all content, with room for what effects move.
EVERYWHERE = {"x": -1_000_000, "y": -1_000_000, "width": 500_000_000, "height": 500_000_000}
ALWAYS = ("kind", "section", "item", "x", "y", "width", "height")
SOMETIMES = {
    "zIndex": 0, "alpha": 1, "transform": [1, 0, 0, 1, 0, 0], "anchorPoint": {"x": 0.5, "y": 0.5},
    "id": None}


class Wrong(Exception):
    """The server's answer is not what it has to be."""


def expect(answer, *statuses):
    if answer.status not in statuses:
        raise Wrong(f"expected {' or '.join(map(str, statuses))}: {answer}")
    return answer


def rows(columns):
    """Columns as one tuple an element; members that were left out have their default."""
    count = len(columns["kind"])
    arrays = [columns[name] for name in ALWAYS]
    arrays += [columns.get(name, [default] * count) for name, default in SOMETIMES.items()]
    if any(len(array) != count for array in arrays):
        raise Wrong("columns of different lengths")
    return list(zip(*arrays))


def all_attributes(connection, path, limit):
    """Every element of a session, page by page, and the version."""
    query = "&".join(f"{name}={value}" for name, value in EVERYWHERE.items())
    question = f"{path}/attributes?{query}&contentOffsetX=0&contentOffsetY=0&format=columns"
    found, versions, cursor = [], set(), ""
    while True:
        page = expect(connection.request("GET", f"{question}&limit={limit}{cursor}"), 200).json()
        versions.add(page["version"])
        found += rows(page["attributes"])
        if "next" not in page:
            break
        cursor = f"&cursor={page['next']}"
    if len(versions) != 1:
        raise Wrong(f"the version changes between pages, and nobody writes: {versions}")
    return found, versions.pop()


def first_difference(found, expected):
    for place, (a, b) in enumerate(zip(found, expected)):
        if a != b:
            return f"at {place}: {json.dumps(a)} instead of {json.dumps(b)}"
    return f"{len(found)} elements instead of {len(expected)}"


def check_content(connection, path, model, limit=5000):
    """Holds all of a session against the model; raises `Wrong`."""
    answer = expect(connection.request("GET", path), 200)
    summary = answer.json()
    if summary["version"] != model.version or answer.tag_version != model.version:
        raise Wrong(
            f"version {summary['version']}, ETag {answer.fields.get('etag')}, "
            f"expected {model.version}")
    counts = [section["itemCount"] for section in summary["sections"]]
    expected_counts = [len(section.items) for section in model.sections]
    if counts != expected_counts:
        raise Wrong(f"item counts {counts} instead of {expected_counts}")
    found, version = all_attributes(connection, path, limit)
    if version != model.version:
        raise Wrong(f"attributes of version {version}, expected {model.version}")
    cells = [row for row in found if row[0] == "cell"]
    ids = [row[-1] for row in cells]
    if ids != model.ids():
        raise Wrong(f"ids: {first_difference(ids, model.ids())}")
    if model.layout["kind"] == "list" and "displayScale" not in model.viewport:
        heights = [row[ALWAYS.index("height")] for row in cells]
        if heights != list(model.lengths()):
            raise Wrong(f"lengths: {first_difference(heights, list(model.lengths()))}")
    # The same description laid out from scratch.
    question = {**model.description(), "rect": EVERYWHERE}
    fresh = expect(connection.request("POST", "/v1/layout?format=columns", question), 200).json()
    if summary["contentSize"] != fresh["contentSize"]:
        raise Wrong(f"content size {summary['contentSize']} instead of {fresh['contentSize']}")
    expected = rows(fresh["attributes"])
    if found != expected:
        raise Wrong(f"attributes: {first_difference(found, expected)}")
