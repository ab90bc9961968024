// A quiet network: a fixed session of reading asks for exactly what requests.golden.txt says, in its parts. RURI_GOLDEN=write
// writes that file anew; read its diff as what a person's day will cost.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { eventuallyEquals } from "./harness/eventually.ts";
import type { Reader } from "./harness/reader.ts";

const golden = join(import.meta.dirname, "requests.golden.txt");
let app: App;

before(async () => {
  app = await startApp();
});
after(() => app?.close());

/** What is asked for of the API, part by part; files of the page are counted by the list's own test. */
function listen(reader: Reader) {
  const parts: string[] = [];
  let asked: string[] = [];
  reader.page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (!pathname.startsWith("/api/")) return;
    searchParams.delete("cursor");
    if (searchParams.has("ids")) searchParams.set("ids", "…");
    const path = pathname.replace(/\/\d+/g, "/…");
    asked.push(
      `${request.method()} ${path}${searchParams.size > 0 ? `?${decodeURIComponent(String(searchParams))}` : ""}`,
    );
  });
  return {
    async part(name: string, action: () => Promise<void>) {
      await action();
      await reader.quiet();
      const times = new Map<string, number>();
      for (const one of asked) times.set(one, (times.get(one) ?? 0) + 1);
      const lines = [...times].sort(([a], [b]) => (a < b ? -1 : 1));
      parts.push([name, ...lines.map(([one, n]) => `  ${n} ${one}`)].join("\n"));
      asked = [];
    },
    told: () => `${parts.join("\n")}\n`,
  };
}

test("a session of reading asks for what it must, and for nothing else", async () => {
  const as = await app.user("quiet");
  await app.visit({ as }, async (reader) => {
    const { page, api } = reader;
    const long = await api.addFeed(app.publisher.url("/feeds/long.xml"));
    const plain = await api.addFeed(app.publisher.url("/feeds/plain.xml"));
    const network = listen(reader);
    const flushed = () =>
      page.waitForResponse((one) => new URL(one.url()).pathname === "/api/items/state");
    await network.part("open", async () => {
      await reader.open(`/feed/${long.id}`);
      await reader.settled();
    });
    await network.part("ten items, one after the other", async () => {
      for (let n = 120; n > 110; n -= 1) {
        // Each is read long enough for its mark to be sent.
        const mark = flushed();
        await reader.press("j");
        await reader.articleShows(`Entry ${n} of the long list`);
        await mark;
        await reader.quiet();
      }
    });
    await network.part("star", async () => {
      const mark = flushed();
      await reader.press("s");
      await mark;
    });
    await network.part("mark all as read", async () => {
      await reader.choose("List actions", "Mark all as read");
      await eventuallyEquals(
        "the count",
        async () => (await api.feed("The Long List")).unreadCount,
        0,
      );
    });
    await network.part("back to the list", () => reader.press("u"));
    await network.part("another feed", () => reader.goTo("Plain Notes"));
    await network.part("and the first again", () => reader.goTo("The Long List"));
    assert.equal(reader.path(), `/feed/${long.id}`);
    assert.equal((await api.feed("Plain Notes")).unreadCount, plain.unreadCount);
    if (process.env.RURI_GOLDEN === "write") writeFileSync(golden, network.told());
    assert.equal(network.told(), readFileSync(golden, "utf8"));
  });
});
