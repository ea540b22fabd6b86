"""What a session has to hold: a model, worked out apart from the server, and random changes of it.

A model is a value: a change yields a new one, so that both what is acknowledged and what may have
happened are at hand. Batches are applied by the rule of openapi.yaml: inserts and moves to their final
places, untouched survivors into the others in their old order; sections first, then items.
"""

import copy
import dataclasses
import itertools

# Effects keep an area in all of these, so that a rect around everything has every cell in it. (The
# wheel shows only some of its cards at a time.)
LAYOUTS = ["flow", "waterfall", "pagedGrid", "list", "coverFlow", "banner"]


@dataclasses.dataclass(frozen=True)
class Item:
    """An item: its id, which no other item ever has, and its size, length or nothing."""
    id: str
    measure: object = None


@dataclasses.dataclass(frozen=True)
class Section:
    """Items and what else the description of a section says, as it is written."""
    items: tuple
    extras: tuple = ()


def written_items(items, style):
    """Items as a description or a batch has them; `style` says what is known of their sizes."""
    written = {"ids": [item.id for item in items]}
    if style is not None:
        written[style] = [item.measure for item in items]
    return written


def written_section(section, style):
    written = {name: value for name, value in section.extras}
    if section.items:
        written["items"] = written_items(section.items, style)
    return written


class Model:
    """A session's content at one version."""

    def __init__(self, style, sections, layout, viewport, version=1):
        self.style = style
        self.sections = list(sections)
        self.layout = layout
        self.viewport = viewport
        self.version = version

    def next(self, **changes):
        model = copy.copy(self)
        for name, value in changes.items():
            setattr(model, name, value)
        model.version = self.version + 1
        return model

    def written_collection(self):
        return {"sections": [written_section(section, self.style) for section in self.sections]}

    def description(self):
        return {
            "collection": self.written_collection(), "layout": self.layout,
            "viewport": self.viewport}

    @property
    def item_count(self):
        return sum(len(section.items) for section in self.sections)

    def ids(self):
        return [item.id for section in self.sections for item in section.items]

    def lengths(self):
        """How long the cells of a vertical list are, one after the other."""
        default = self.layout.get("itemLength", 44)
        for section in self.sections:
            for item in section.items:
                if self.style == "sizes":
                    yield item.measure[1]
                else:
                    yield item.measure if self.style == "lengths" else default

    def moved(self, source, target):
        """One item elsewhere, as a movement ends."""
        return self.next(sections=apply(
            self.sections, Batch(move_items=[(tuple(source), tuple(target))])))


@dataclasses.dataclass
class Batch:
    """A batch of updates; items are given as runs, `(section, at, items)`."""
    delete_sections: list = dataclasses.field(default_factory=list)
    insert_sections: list = dataclasses.field(default_factory=list)
    move_sections: list = dataclasses.field(default_factory=list)
    delete_items: list = dataclasses.field(default_factory=list)
    insert_items: list = dataclasses.field(default_factory=list)
    move_items: list = dataclasses.field(default_factory=list)
    reload_items: list = dataclasses.field(default_factory=list)

    def written(self, style):
        """As the body of `POST …/updates`."""
        written = {
            "deleteSections": self.delete_sections,
            "insertSections": [
                {"at": at, "section": written_section(section, style)}
                for at, section in self.insert_sections],
            "moveSections": [{"from": old, "to": new} for old, new in self.move_sections],
            "deleteItems": [
                {"section": section, "start": start, "end": end}
                for section, start, end in self.delete_items],
            "insertItems": [
                {"section": section, "at": at, "items": written_items(items, style)}
                for section, at, items in self.insert_items],
            "moveItems": [
                {"from": list(old), "to": list(new)} for old, new in self.move_items],
            "reloadItems": [
                {"section": section, "start": start, "items": {style: list(measures)}}
                for section, start, measures in self.reload_items],
        }
        return {name: value for name, value in written.items() if value}


def filled(placed, survivors):
    """`placed` at their places, `survivors` in the others, in order."""
    count = len(placed) + len(survivors)
    rest = iter(survivors)
    return [placed[place] if place in placed else next(rest) for place in range(count)]


def apply(sections, batch):
    """The sections after a batch that fits them."""
    items = {
        (s, i): item for s, section in enumerate(sections)
        for i, item in enumerate(section.items)}
    for section, start, measures in batch.reload_items:
        for i, measure in enumerate(measures, start):
            items[section, i] = Item(items[section, i].id, measure)
    gone = {(s, i) for s, start, end in batch.delete_items for i in range(start, end)}
    gone |= {old for old, _ in batch.move_items}
    # Sections: numbers of those before, or new ones.
    moving = {old for old, _ in batch.move_sections}
    placed = {at: section for at, section in batch.insert_sections}
    placed.update((new, old) for old, new in batch.move_sections)
    survivors = [
        s for s in range(len(sections)) if s not in moving and s not in batch.delete_sections]
    order = filled(placed, survivors)
    arrivals = [{} for _ in order]
    for s, at, run in batch.insert_items:
        arrivals[s].update(enumerate(run, at))
    for old, new in batch.move_items:
        arrivals[new[0]][new[1]] = items[old]
    after = []
    for s, origin in enumerate(order):
        if isinstance(origin, Section):
            after.append(origin)
            continue
        before = sections[origin]
        kept = [
            items[origin, i] for i in range(len(before.items)) if (origin, i) not in gone]
        after.append(Section(tuple(filled(arrivals[s], kept)), before.extras))
    return after


class Author:
    """Makes up sessions and changes of them, from a random source; ids never come twice."""

    # Beyond so many items a session is rather made smaller.
    MANY = 120

    def __init__(self, random, name):
        self.random = random
        self.name = name
        self.numbers = itertools.count()

    def model(self):
        style = self.random.choice(["sizes", "sizes", "lengths", None])
        sections = [
            self.section(style, self.random.randint(0, 20))
            for _ in range(self.random.randint(1, 4))]
        return Model(style, sections, self.layout(), {"width": 320, "height": 480})

    def items(self, style, count):
        return tuple(
            Item(f"{self.name}-{next(self.numbers)}", self.measure(style)) for _ in range(count))

    def measure(self, style):
        number = lambda: self.random.choice([10, 25, 33.333333, 50, 80.5, 100])
        return {"sizes": lambda: [number(), number()], "lengths": number, None: lambda: None}[style]()

    def section(self, style, count):
        extras = {}
        if self.random.random() < 0.5:
            extras["header"] = {"width": 0, "height": self.random.choice([20, 44])}
        if self.random.random() < 0.3:
            extras["footer"] = {"width": 0, "height": 12.5}
        if self.random.random() < 0.3:
            extras["sectionInset"] = {"top": 1, "left": 2, "bottom": 3, "right": 4}
        if self.random.random() < 0.3:
            extras["id"] = f"{self.name}-s{next(self.numbers)}"
        return Section(self.items(style, count), tuple(extras.items()))

    def layout(self):
        kind = self.random.choice(LAYOUTS)
        spacing = self.random.choice([0, 1, 2.5, 10])
        size = {"width": self.random.choice([40, 50, 66.6]), "height": 50}
        layout = {"kind": kind}
        if kind == "flow":
            layout.update(itemSize=size, minimumLineSpacing=spacing)
        elif kind == "waterfall":
            layout.update(columnCount=self.random.randint(1, 5), minimumInteritemSpacing=spacing)
        elif kind == "pagedGrid":
            layout.update(columns=self.random.randint(2, 5), minimumLineSpacing=spacing)
        elif kind == "list":
            layout.update(itemLength=self.random.choice([20, 44, 60]), itemSpacing=spacing)
        elif kind == "coverFlow":
            layout.update(itemSize=size, minimumLineSpacing=spacing, minimumScale=0.1)
        else:
            layout.update(itemSize=size, itemSpacing=spacing)
        return layout

    def new_layout(self, old):
        while (layout := self.layout()) == old:
            pass
        return layout

    def new_viewport(self, old):
        while True:
            viewport = {
                "width": self.random.choice([200, 320, 375, 480.5]),
                "height": self.random.choice([300, 480, 667])}
            if self.random.random() < 0.3:
                viewport["displayScale"] = self.random.choice([1, 2, 3])
            elif "displayScale" in old:
                # What a change leaves out stays as it is.
                viewport["displayScale"] = old["displayScale"]
            if viewport != old:
                return viewport

    def new_collection(self, model):
        """Some of the old items, in another order, and new ones, in new sections."""
        old = [item for section in model.sections for item in section.items]
        self.random.shuffle(old)
        kept = old[:self.random.randint(0, min(len(old), 60))]
        kept = [
            item if self.random.random() < 0.7 else Item(item.id, self.measure(model.style))
            for item in kept]
        pool = kept + list(self.items(model.style, self.random.randint(0, 15)))
        self.random.shuffle(pool)
        count = self.random.randint(1, 4)
        cuts = sorted(self.random.randint(0, len(pool)) for _ in range(count - 1))
        return [
            Section(tuple(pool[start:end]), self.section(model.style, 0).extras)
            for start, end in zip([0, *cuts], [*cuts, len(pool)])]

    def batch(self, model):
        """A batch that fits the model and changes something."""
        while True:
            batch = (
                self.section_batch(model) if self.random.random() < 0.2
                else self.item_batch(model))
            if batch.written(model.style):
                return batch

    def section_batch(self, model):
        batch = Batch()
        count = len(model.sections)
        kind = self.random.choice(["insert", "delete", "move", "both"])
        if kind in ("insert", "both") and count < 8:
            batch.insert_sections = [(
                self.random.randint(0, count - (kind == "both" and count > 1)),
                self.section(model.style, self.random.randint(0, 8)))]
        if kind in ("delete", "both") and count > 1:
            batch.delete_sections = [self.random.randrange(count)]
        if kind == "move" and count > 1:
            batch.move_sections = [(self.random.randrange(count), self.random.randrange(count))]
        return batch

    def item_batch(self, model):
        """Deletes, reloads, moves and inserts at once, in the sections that there are."""
        batch = Batch()
        places = [
            (s, i) for s, section in enumerate(model.sections) for i in range(len(section.items))]
        self.random.shuffle(places)
        many = len(places) > self.MANY
        take = lambda count: [places.pop() for _ in range(min(count, len(places)))]
        if many or self.random.random() < 0.4:
            batch.delete_items = [
                (s, i, i + 1) for s, i in take(self.random.randint(1, 40 if many else 4))]
        moving = take(self.random.randint(1, 3)) if self.random.random() < 0.4 else []
        if model.style is not None and self.random.random() < 0.2:
            batch.reload_items = [
                (s, i, [self.measure(model.style)]) for s, i in take(2)]
        inserts = self.random.randint(1, 4) if self.random.random() < 0.7 else 0
        # How many survive, and how many arrive, where: then every place below the sum can be taken.
        gone = [(s, i) for s, i, _ in batch.delete_items] + moving
        counts = [
            len(section.items) - sum(1 for s, _ in gone if s == number)
            for number, section in enumerate(model.sections)]
        arrivals = [[] for _ in counts]
        for thing in [*moving, *self.items(model.style, inserts)]:
            self.random.choice(arrivals).append(thing)
        for s, things in enumerate(arrivals):
            targets = self.random.sample(range(counts[s] + len(things)), len(things))
            for target, thing in zip(targets, things):
                if isinstance(thing, Item):
                    batch.insert_items.append((s, target, (thing,)))
                else:
                    batch.move_items.append((thing, (s, target)))
        return batch
