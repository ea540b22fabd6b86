"""Whether a history of one session can have come from one copy of it, changed step by step.

In general that question (linearizability) takes exponential time. Here every answer carries a version, and
every change leaves an item with an id of its own at the front, so that the order of all changes can be
read off the content in the end. What remains is whether that order agrees with real time, and each
read with it; sorting answers that.

Give every operation a *rank*: the change that made version v has 2v, whatever saw version v has 2v + 1.
A history is in order if and only if moments can be chosen, one inside each operation, that never go back
as ranks go up. That is so if and only if nothing of a higher rank ended before something of a lower
rank began: the earliest moment that an operation can have is the latest beginning among itself and
all that rank below it. So one pass over the operations by rank finds every violation: a stale
read, one that goes back, one that comes before its change, and changes out of order.

An operation whose outcome nobody knows may take effect at any time after it began, or never: its
end is infinite. Whether it took effect is seen from the content.
"""

import dataclasses

NEVER = float("inf")


@dataclasses.dataclass(slots=True)
class Change:
    """An attempt to insert the item `id` at the front.

    `outcome` is `acknowledged`, with the version that it made; `refused`: it must have had no effect;
    or `unknown`. `base` is the version that a conditional one named.
    """
    id: str
    began: float
    ended: float
    outcome: str
    version: int = None
    base: int = None


@dataclasses.dataclass(slots=True)
class Read:
    """An answer that showed a version: `ids` of the first items, `count` of all, where it said so.

    Refusals of conditional changes are such answers too.
    """
    began: float
    ended: float
    version: int
    ids: tuple = None
    count: int = None
    what: str = "read"


@dataclasses.dataclass(slots=True)
class Violation:
    """What cannot be, in a word that tests look for and in a sentence."""
    kind: str
    text: str


def check(initial, changes, reads, final, limit=20):
    """The violations in the history of one session, at most `limit` of them.

    `initial` are the ids that the session began with at version 1, `final` those that it has in the end,
    when nothing is under way any more.
    """
    found = []

    def violation(kind, text):
        found.append(Violation(kind, text))

    if len(final) < len(initial) or list(final[len(final) - len(initial):]) != list(initial):
        violation("beginning lost", "what the session began with is not at the end of its content")
        return found
    # The id that each version after the first one brought.
    made = list(reversed(final[:len(final) - len(initial)]))
    last = 1 + len(made)
    version_of = check_changes(changes, made, violation)
    for read in reads:
        if not 1 <= read.version <= last:
            violation("unexplained version", f"{describe(read)}: the last version is {last}")
        if read.count is not None and read.count != len(initial) + read.version - 1:
            violation("wrong count", f"{describe(read)}: {read.count} items")
        if read.ids is not None and 1 <= read.version <= last:
            start = last - read.version
            expected = tuple(final[start:start + len(read.ids)])
            if tuple(read.ids) != expected:
                violation("wrong content", f"{describe(read)}: {read.ids} instead of {expected}")
    ranked = [(2 * version_of[change.id], change) for change in changes if change.id in version_of]
    ranked += [(2 * read.version + 1, read) for read in reads]
    check_order(ranked, violation)
    return found[:limit]


def check_changes(changes, made, violation):
    """Holds each change against the content; answers which version each one made that is in it."""
    version_of = {}
    for version, id in enumerate(made, 2):
        if id in version_of:
            violation("applied twice", f"{id} made versions {version_of[id]} and {version}")
        version_of[id] = version
    by_version = {}
    for change in changes:
        version = version_of.get(change.id)
        if change.outcome == "acknowledged":
            other = by_version.setdefault(change.version, change)
            if other is not change:
                violation(
                    "version twice", f"version {change.version} was acknowledged for {other.id} "
                    f"and for {change.id}")
            if version is None:
                violation("lost", f"{describe(change)} is not in the content")
            elif version != change.version:
                violation("other version", f"{describe(change)}: it made version {version}")
        elif change.outcome == "refused" and version is not None:
            violation("refused but applied", f"{describe(change)} made version {version}")
        if version is not None and change.base is not None and version != change.base + 1:
            violation(
                "condition broken", f"{describe(change)}: it was to follow version {change.base}, "
                f"and made version {version}")
    attempted = {change.id for change in changes}
    for id, version in version_of.items():
        if id not in attempted:
            violation("foreign", f"nobody inserted {id}, which made version {version}")
    return {id: version for id, version in version_of.items() if id in attempted}


def check_order(ranked, violation):
    """Looks for operations that ended before one of a lower rank began."""
    ranked.sort(key=lambda pair: pair[0])
    latest = None  # of all ranks below this one, the operation that began last
    place = 0
    while place < len(ranked):
        rank = ranked[place][0]
        same = place
        while same < len(ranked) and ranked[same][0] == rank:
            operation = ranked[same][1]
            if latest is not None and operation.ended < latest.began:
                violation(order_kind(operation, latest), (
                    f"{describe(operation)} ended {latest.began - operation.ended:.6f} s before "
                    f"{describe(latest)} began"))
            same += 1
        newest = max((pair[1] for pair in ranked[place:same]), key=lambda one: one.began)
        if latest is None or newest.began > latest.began:
            latest = newest
        place = same


def order_kind(early, late):
    """What to call it that `early`, of the higher rank, ended before `late` began."""
    if isinstance(early, Change):
        return "changes reordered" if isinstance(late, Change) else "stale read"
    return "read of the future" if isinstance(late, Change) else "reads go back"


def describe(operation):
    span = f"[{operation.began:.6f}, {operation.ended:.6f}]"
    if isinstance(operation, Read):
        return f"{operation.what} of version {operation.version} {span}"
    condition = "" if operation.base is None else f" if {operation.base}"
    version = "" if operation.version is None else f" as version {operation.version}"
    return f"{operation.outcome} change {operation.id}{condition}{version} {span}"
