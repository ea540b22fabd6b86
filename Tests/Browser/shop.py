"""A page's own server beside layoutd's."""

import http.server
import json
import pathlib
import urllib.parse
import urllib.request

GALLERY = pathlib.Path(__file__).parents[1] / "LayoutAPITests/Fixtures/gallery.json"


class Shop(http.server.BaseHTTPRequestHandler):
    """A page's own server, which draws the first screen by one POST /v1/layout."""

    layoutd = ""
    widths = [1200, 768, 360]
    # Without the header, which is no matter here.
    collection = {"sections": [{"items": json.loads(GALLERY.read_text())["collection"]["sections"][0]["items"]}]}

    def ask(self, query, body):
        request = urllib.request.Request(
            f"{self.layoutd}/v1/layout{query}", json.dumps(body).encode(), {"Content-Type": "application/json"})
        return urllib.request.urlopen(request).read()

    def do_GET(self):
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        if "width" not in query:
            self.send_error(404)
            return
        width = int(query["width"])
        scale = {"displayScale": float(query["scale"])} if "scale" in query else {}
        # The page is the same for all: a style sheet says which pictures show, and where.
        viewports = [{"width": other, "height": 600, **scale} for other in Shop.widths]
        description = {"collection": Shop.collection, "layout": {"kind": "waterfall", "minimumColumnWidth": 160}}
        sheet = self.ask("?format=css&selector=collection-view", {**description, "viewports": viewports}).decode()
        answers = json.loads(self.ask("", {**description, "viewports": viewports}))["viewports"]
        answer = answers[Shop.widths.index(width)]
        names = {tuple(cell["indexPath"]): cell["id"] for each in answers for cell in each["attributes"]}
        cells = "".join(
            f"<div data-kind='cell' data-index-path='{s},{i}'>{name}</div>" for (s, i), name in sorted(names.items()))
        # No id ends the script.
        first_screen = json.dumps(answer).replace("<", "\\u003c")
        # The scroll bar of a headless browser may take its part: the page says that it wants none.
        page = f"""<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,">
          <style>
            {sheet}
            body {{ margin: 0 }}
            collection-view {{ display: block; overflow: hidden; width: {width}px !important; height: 600px !important }}
            collection-view::part(scroller) {{ scrollbar-width: none }}
            collection-view > div {{ background: #cde }}
          </style>
          <collection-view layout='{json.dumps(description["layout"])}' {"display-scale=" + query["scale"] if scale else ""}>
            <script type="application/json">{first_screen}</script>{cells}</collection-view>
          <script>
            window.shifts = [];
            try {{
              new PerformanceObserver((list) => shifts.push(...list.getEntries()))
                .observe({{type: "layout-shift", buffered: true}});
            }} catch {{ }}
            window.drawn = [...document.querySelectorAll("[data-index-path]")]
              .filter((element) => getComputedStyle(element).visibility === "visible")
              .map((element) => ({{element, box: element.getBoundingClientRect()}}));
            document.querySelector("collection-view").collection = {json.dumps(description["collection"])};
          </script>
          <script type="module" src="{self.layoutd}/client/collection-view.js"></script>""".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_):
        pass
