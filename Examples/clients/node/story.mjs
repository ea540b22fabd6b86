// A collection view over HTTP, with Node's own fetch. The types are in layoutd.d.ts; `tsc -p .` checks them.
//
//   LAYOUTD_URL=http://127.0.0.1:8080 node story.mjs
//
// Exits with 1 if the server answers otherwise than openapi.yaml says.

/** @typedef {import("./layoutd").IndexRange} IndexRange */
/** @typedef {import("./layoutd").LayoutAttributes} LayoutAttributes */

/** The server: one method that asks, and says which status it expects. */
class Layoutd {
  /** @param {string} url @param {string} [key] */
  constructor(url, key) {
    this.url = url.replace(/\/$/, "");
    this.key = key;
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {{ body?: object, expect: number[], version?: number }} options
   * @returns {Promise<{ status: number, answer: any }>}
   */
  async ask(method, path, { body, expect, version }) {
    /** @type {Record<string, string>} */
    const headers = {};
    if (body) headers["Content-Type"] = "application/json";
    if (this.key) headers["Authorization"] = `Bearer ${this.key}`;
    if (version !== undefined) headers["If-Match"] = `"${version}"`;
    // Nobody may know whether a change was made: what has no version is not asked for twice.
    const isRepeatable = version !== undefined || !/\/(updates|end)$/.test(path);
    for (let triesLeft = 3; ; triesLeft--) {
      let response, text;
      try {
        // Keeps its connections, as long as answers are read to their end.
        response = await fetch(this.url + path, {
          method, headers, body: body && JSON.stringify(body),
          // Younger than the types of some compilers.
          signal: /** @type {any} */ (AbortSignal).timeout(10_000),
        });
        text = await response.text();
      } catch (/** @type {any} */ error) {
        // One that was idle may have been closed meanwhile; the next request opens another.
        const isClosed = ["ECONNRESET", "UND_ERR_SOCKET"].includes(error.cause?.code);
        if (isClosed && isRepeatable && triesLeft > 0) continue;
        throw error;
      }
      const { status } = response;
      if (triesLeft > 0 && (status === 429 || (status === 503 && isRepeatable))) {
        // Too many requests, or too much to do: it says when to come again.
        const seconds = Number(response.headers.get("Retry-After") ?? 1);
        await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
        continue;
      }
      check(expect.includes(status), `${method} ${path}: ${status} ${text}`);
      return { status, answer: text ? JSON.parse(text) : null };
    }
  }
}

/** A collection that the server keeps: the version of it that we know, and its sections then. */
class Session {
  /**
   * @param {Layoutd} server
   * @param {import("./layoutd").Description} description
   */
  static async create(server, description) {
    const { answer } = await server.ask("POST", "/v1/sessions", { body: description, expect: [201] });
    return new Session(server, answer);
  }

  /** @param {Layoutd} server @param {import("./layoutd").CreatedSession} created */
  constructor(server, created) {
    this.server = server;
    this.path = `/v1/sessions/${created.id}`;
    this.created = created;
    this.version = created.version;
    this.sections = created.sections;
  }

  /** @param {{ version: number, sections: { itemCount: number }[] }} answer */
  know({ version, sections }) {
    this.version = version;
    this.sections = sections;
  }

  /**
   * @param {string} method
   * @param {string} [path]
   * @param {object} [body]
   * @param {number} [expect]
   */
  async ask(method, path = "", body, expect = 200) {
    return (await this.server.ask(method, this.path + path, { body, expect: [expect] })).answer;
  }

  /** @param {number} y @returns {Promise<import("./layoutd").Tick>} */
  scroll(y) {
    return this.ask("POST", "/scroll", { contentOffset: { x: 0, y } });
  }

  /** @param {import("./layoutd").Layout} layout @returns {Promise<import("./layoutd").ReplacedLayout>} */
  async switchTo(layout) {
    const answer = await this.ask("PUT", "/layout", { layout });
    this.know(answer);
    return answer;
  }

  /**
   * Applies a batch to the collection that it was made for, and to no other. `makeBatch` gets the sections
   * as they are; if somebody else was quicker (412), it is asked again.
   *
   * @param {(sections: { itemCount: number }[]) => import("./layoutd").Batch} makeBatch
   * @param {(ours: number, theirs: number) => void} onConflict
   * @returns {Promise<import("./layoutd").UpdateAnswer>}
   */
  async update(makeBatch, onConflict) {
    for (;;) {
      const { status, answer } = await this.server.ask("POST", `${this.path}/updates`, {
        body: makeBatch(this.sections), expect: [200, 412], version: this.version,
      });
      if (status === 200) {
        this.know(answer);
        return answer;
      }
      onConflict(this.version, answer.version);
      this.know(await this.ask("GET"));
    }
  }
}

/** @type {(condition: boolean, what: string) => void} */
function check(condition, what) {
  if (!condition) throw new Error(what);
}

/** @type {(list: IndexRange[]) => string} */
const ranges = (list) => list.map((range) => `${range.start}–${range.end - 1}`).join(" ") || "nothing";

/** @type {(elements: LayoutAttributes[]) => string} */
const ids = (elements) => elements.map((element) => element.id).join(" ");

/** @type {(what: string, text: string) => void} */
const say = (what, text) => console.log(`${what.padEnd(9)} ${text}`);

async function main() {
  const server = new Layoutd(
    process.env.LAYOUTD_URL ?? "http://127.0.0.1:8080", process.env.LAYOUTD_KEY);

  // Sixty pictures in two columns, on a small screen.
  const numbers = [...Array(60).keys()];
  const session = await Session.create(server, {
    collection: {
      sections: [{
        items: {
          ids: numbers.map((i) => `p${i}`),
          sizes: numbers.map((i) => [180, [240, 180, 120][i % 3]]),
        },
      }],
    },
    layout: { kind: "waterfall", columnCount: 2 },
    viewport: { width: 370, height: 640 },
  });
  const { created } = session;
  say("create", `60 pictures, ${created.contentSize.height} points high; `
    + `${created.attributes.length} are visible`);
  say("", `prefetch ${ranges(created.prefetch)}`);

  // Down, far down, and back: what was asked for too early is cancelled.
  const visible = new Set(created.attributes.map((element) => `${element.indexPath}`));
  for (const y of [300, 2000, 1500]) {
    const tick = await session.scroll(y);
    if (tick.reset) visible.clear();
    for (const element of tick.disappeared) visible.delete(`${element.indexPath}`);
    for (const element of tick.appeared) visible.add(`${element.indexPath}`);
    say("scroll", `to ${y}: ${tick.appeared.length} appear, ${tick.disappeared.length} disappear, `
      + `${visible.size} are visible`);
    say("", `prefetch ${ranges(tick.prefetch)}, cancel ${ranges(tick.cancelPrefetch)}`);
  }
  /** @type {import("./layoutd").AttributesAnswer} */
  const everything = await session.ask("GET", "/attributes");
  check(everything.attributes.length === visible.size
    && everything.attributes.every((element) => visible.has(`${element.indexPath}`)),
    "the ticks do not add up");

  // The same pictures as a list; the one in the middle stays there.
  const switched = await session.switchTo(
    { kind: "list", itemLength: 80, itemSpacing: 10, snap: { mode: "start" } });
  say("switch", `to a list, ${switched.contentSize.height} points high, at ${switched.contentOffset.y}`);

  // Somebody else takes the first picture away; our batch is for the collection before that.
  await session.ask("POST", "/updates", { deleteItems: [{ section: 0, start: 0, end: 1 }] });
  const updated = await session.update(
    ([{ itemCount }]) => ({
      deleteItems: [{ section: 0, start: 18, end: 20 }],
      insertItems: [{ section: 0, at: itemCount - 2, items: { ids: ["new"] } }],
      expect: { itemCounts: [itemCount - 1] },
      anchor: "visible",
    }),
    (ours, theirs) => say(
      "update", `412: we know version ${ours}, the session is at ${theirs}; look again`));
  say("update", `version ${updated.version}, ${updated.sections[0].itemCount} pictures; `
    + `${updated.disappearing.length} disappear, ${updated.moving.length} move`);

  // To the start, and the first picture to the place of the third, by a finger.
  await session.scroll(0);
  await session.ask("POST", "/movement", { indexPath: [0, 0] }, 201);
  /** @type {import("./layoutd").Movement} */
  const moved = await session.ask("PATCH", "/movement", { position: { x: 185, y: 400 } });
  say("drag", `${moved.dragged.id} from ${moved.source[1]} over ${moved.target[1]}; `
    + `${ids(moved.moving.map((move) => move.final))} make room`);
  /** @type {import("./layoutd").UpdateAnswer} */
  const ended = await session.ask("POST", "/movement/end", {});
  /** @type {import("./layoutd").AttributesAnswer} */
  const first = await session.ask("GET", "/attributes?limit=3");
  say("drop", `version ${ended.version}; now ${ids(first.attributes)}`);
  check(ids(first.attributes) === "p2 p3 p1", "the picture is not where it was put down");

  // A drag that would end between two pictures ends at one.
  /** @type {import("./layoutd").SnapAnswer} */
  const snapped = await session.ask("POST", "/snap", {
    proposedContentOffset: { x: 0, y: 395 }, velocity: { x: 0, y: 1200 },
  });
  say("snap", `395 becomes ${snapped.targetContentOffset.y}, picture ${snapped.indexPath?.[1]}`);

  await session.ask("DELETE", "", undefined, 204);
  await session.ask("GET", "", undefined, 404);
  say("delete", "gone");
}

main().catch((error) => {
  console.error(`story.mjs: ${error.message}`);
  process.exitCode = 1;
});
