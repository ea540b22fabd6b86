"""The story's beginning, told with the client that a generator makes of openapi.yaml.

    python3 generated.py FOLDER URL

FOLDER holds the package `generated`.
"""

import sys

sys.path.insert(0, sys.argv[1])
from generated import Client, models  # noqa: E402
from generated.api.attributes import draw_image, list_attributes  # noqa: E402
from generated.api.layout import lay_out  # noqa: E402
from generated.api.movement import begin_movement, end_movement, update_movement  # noqa: E402
from generated.api.scrolling import scroll, snap  # noqa: E402
from generated.api.service import readiness  # noqa: E402
from generated.api.sessions import create_session, delete_session, describe_session, replace_layout  # noqa: E402
from generated.api.updates import apply_updates  # noqa: E402


def expect(condition, what):
    if not condition:
        raise SystemExit(f"generated.py: {what}")


def main(url):
    client = Client(base_url=url, timeout=10)
    expect(readiness.sync_detailed(client=client).status_code == 200, "not ready")

    viewport = models.Viewport(width=370, height=640)
    collection = models.Collection(sections=[models.Section(items=models.SizedItems(
        sizes=[[180, [240, 180, 120][i % 3]] for i in range(60)], ids=[f"p{i}" for i in range(60)]))])
    description = models.Description(
        collection=collection, layout=models.WaterfallLayout(kind="waterfall", column_count=2),
        viewport=viewport)
    created = create_session.sync(client=client, body=description)
    expect(isinstance(created, models.CreatedSession), "no session")
    expect(created.content_size.height == 5750, "another content")
    expect(len(created.attributes) == 8, "another screen")
    expect(created.attributes[0].frame.height == 240, "another frame")

    tick = scroll.sync(created.id, client=client, body=models.ScrollRequest(
        content_offset=models.Point(x=0, y=300)))
    expect(len(tick.appeared) == 3 and len(tick.disappeared) == 2, "another tick")

    batch = models.BatchUpdate(delete_items=[models.ItemRange(section=0, start=0, end=1)])
    updated = apply_updates.sync(created.id, client=client, body=batch, if_match='"1"')
    expect(updated.version == 2 and updated.sections[0].item_count == 59, "another update")
    stale = apply_updates.sync_detailed(created.id, client=client, body=batch, if_match='"1"')
    expect(stale.status_code == 412 and stale.parsed.version == 2, "no conflict")

    switched = replace_layout.sync(created.id, client=client, body=models.ReplaceLayoutBody(
        layout=models.ListLayout(kind="list", snap=models.SnapRule(mode=models.SnapRuleMode.START))))
    expect(switched.version == 3, "another layout")
    target = snap.sync(created.id, client=client, body=models.DragEnd(
        proposed_content_offset=models.Point(x=0, y=100)))
    expect(target.index_path is not None, "no snap")

    begun = begin_movement.sync(created.id, client=client, body=models.MovementBeginning(index_path=[0, 0]))
    expect(begun.source == [0, 0], "another item")
    moved = update_movement.sync(created.id, client=client, body=models.UpdateMovementBody(
        position=models.Point(x=185, y=400)))
    expect(moved.target != [0, 0], "not moved")
    ended = end_movement.sync(created.id, client=client, body=models.EndMovementBody())
    expect(ended.version == 4, "not put down")

    page = list_attributes.sync(created.id, client=client, limit=3)
    expect(len(page.attributes) == 3, "another page")
    edge = list_attributes.sync(created.id, client=client, x=0, y=0, width=370, height=1)
    expect(len(edge.attributes) == 1, "another rect")
    expect(draw_image.sync(created.id, client=client).startswith("<svg"), "no picture")
    expect(delete_session.sync_detailed(created.id, client=client).status_code == 204, "not deleted")
    expect(describe_session.sync_detailed(created.id, client=client).status_code == 404, "still there")

    once = lay_out.sync(client=client, body=models.LayoutRequest(
        collection=collection, layout=models.PagedGridLayout(kind="pagedGrid"), viewport=viewport))
    expect(len(once.attributes) == 16, "another page of the grid")
    print("generated client: created, scrolled, updated, switched, snapped, moved, drawn and deleted")


main(sys.argv[2])
