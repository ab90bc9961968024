// Long lists: few rows in the page wherever one is, nothing moves, and one comes back to where one was.
// G-69
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { eventually, eventuallyEquals } from "./harness/eventually.ts";
import type { Reader } from "./harness/reader.ts";

/** The most rows and nodes in the page, however long the list. */
const mostRows = 40;
const mostNodes = 1_500;

let app: App;

before(async () => {
  app = await startApp();
});
after(() => app?.close());

const scroller = (reader: Reader) =>
  reader.page.locator(".list-pane > .scroll", { has: reader.page.locator("[role=feed]") });
const settings = (reader: Reader, patch: object) =>
  reader.api.send("PUT", "/api/user/preferences", patch);

/** Answers for a feed as if it had so many items. */
async function pretend(reader: Reader, feed: string, count: number, page: number): Promise<void> {
  const { items, asOf } = await reader.api.get<{
    items: { publishedAt: string }[];
    asOf: string;
  }>(`/api/feeds/${feed}/items?limit=1`);
  const [first] = items;
  assert.ok(first);
  const newest = Date.parse(first.publishedAt);
  await reader.page.route(`**/api/feeds/${feed}/items?*`, (route) => {
    const from = Number(new URL(route.request().url()).searchParams.get("cursor") ?? 0);
    const to = Math.min(count, from + page);
    return route.fulfill({
      json: {
        items: Array.from({ length: to - from }, (_, i) => ({
          ...first,
          id: String(5_000_000 + from + i),
          // Of one line up to more than three, and not to be known before it is laid out.
          title: `Entry ${from + i + 1} of ${["very many ", "WWW ", "illi till "][i % 3]?.repeat((i * 7) % 13)}`,
          // Some forty a day.
          publishedAt: new Date(newest - (from + i) * 37 * 60_000).toISOString(),
        })),
        nextCursor: to < count ? String(to) : null,
        asOf,
      },
    });
  });
}

test("ten thousand items: few rows at any place, none of them missing or moving", async () => {
  await app.visit({ as: await app.user("many") }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/long.xml"));
    await pretend(reader, id, 10_000, 500);
    await reader.open(`/feed/${id}?v=skim`);
    await reader.settled();
    const isAll = reader.page.locator(".list-end", { hasText: "That was" });
    for (let seen = 0; (await isAll.count()) === 0; ) {
      await eventually(
        "the next page",
        () =>
          scroller(reader).evaluate((box) => {
            // Near the end, as one comes there by reading: the next page is asked for before the last row is seen.
            box.scrollTo(0, box.scrollHeight - box.clientHeight - 400);
            // Its words come a moment after the last page.
            const isEnd = box.querySelector(".list-end")?.textContent?.startsWith("That was");
            return isEnd ? Number.POSITIVE_INFINITY : box.scrollHeight;
          }),
        (height) => height > seen,
      );
      seen = await scroller(reader).evaluate((box) => box.scrollHeight);
    }
    await reader.frames(4);
    for (const view of ["skim", "read"]) {
      const looks = await scroller(reader).evaluate(async (box) => {
        const frame = () => new Promise(requestAnimationFrame);
        // A task that a frame's callback sets up runs after that frame has been painted.
        const painted = () =>
          new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
        const tops = () =>
          new Map(
            [...box.querySelectorAll(".row")].map((row) => [
              row.getAttribute("aria-posinset"),
              row.getBoundingClientRect().top,
            ]),
          );
        const found: {
          at: number;
          rows: number;
          nodes: number;
          gap: number;
          last: number;
          moved: number;
        }[] = [];
        for (let step = 0; step <= 40; step += 1) {
          // Back and forth, far and near.
          const share = step % 2 ? step / 40 : 0.99 - step / 41;
          box.scrollTop = share * (box.scrollHeight - box.clientHeight);
          await painted();
          const first = tops();
          for (let i = 0; i < 3; i += 1) await frame();
          const later = tops();
          const moved = [...first].filter(
            ([at, top]) => Math.abs((later.get(at) ?? top) - top) > 1,
          );
          const view = box.getBoundingClientRect();
          const lines = [...box.querySelectorAll(".line")]
            .map((line) => line.getBoundingClientRect())
            .filter((line) => line.bottom > view.top && line.top < view.bottom)
            .sort((a, b) => a.top - b.top);
          const gaps = lines.slice(1).map((line, i) => line.top - (lines[i]?.bottom ?? 0));
          const rows = [...box.querySelectorAll(".row")];
          found.push({
            at: share,
            rows: rows.length,
            nodes: document.querySelectorAll("*").length,
            gap: Math.max(...gaps.map(Math.abs)),
            last: Number(rows.at(-1)?.getAttribute("aria-posinset")),
            moved: moved.length,
          });
        }
        return found;
      });
      for (const { at, rows, nodes, gap, moved } of looks) {
        assert.ok(rows > 4 && rows <= mostRows, `${view} at ${at}: ${rows} rows`);
        assert.ok(nodes <= mostNodes, `${view} at ${at}: ${nodes} elements`);
        assert.equal(moved, 0, `${view} at ${at}: rows that moved after they had been painted`);
        assert.ok(gap < 1, `${view} at ${at}: rows stand ${gap} pixels apart`);
      }
      const lasts = looks.map(({ last }) => last);
      assert.ok(Math.min(...lasts) < 200 && Math.max(...lasts) > 9_800, `${view}: ${lasts}`);
      // In Read the rows of a jump far away are measured and put right before they are painted, which counts as a shift.
      if (view === "skim") await reader.showsNoShift("ten thousand items");
      const next = view === "skim" ? "read" : "skim";
      await reader.press(next === "read" ? "2" : "1");
      await reader.page.locator(`.list-pane[data-look=${next}] .row`).first().waitFor();
      await reader.frames(4);
    }
  });
});

test("in Read the heading of a day stands over its rows, and hides none that the cursor is on", async () => {
  await app.visit({ as: await app.user("days") }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/long.xml"));
    await pretend(reader, id, 200, 200);
    await reader.open(`/feed/${id}?v=read`);
    await reader.settled();
    const look = () =>
      scroller(reader).evaluate((box) => {
        const name = (day: Date) =>
          day.toLocaleDateString("en", { weekday: "long", month: "long", day: "numeric" });
        const stuck = box.querySelector(".day.stuck");
        const edge = box.getBoundingClientRect().top + (stuck?.clientHeight ?? 0);
        const row = [...box.querySelectorAll(".row")].find(
          (one) => one.getBoundingClientRect().bottom > edge + 1,
        );
        const cursor = box.querySelector(".row[data-cursor]")?.getBoundingClientRect();
        return {
          head: stuck?.textContent,
          below: name(new Date(row?.querySelector("time")?.dateTime ?? "")),
          isHidden: cursor !== undefined && cursor.bottom > edge && cursor.top < edge - 1,
        };
      });
    for (let step = 1; step <= 12; step += 1) {
      await reader.scrollList(step * 577);
      await reader.frames(2);
      const { head, below } = await look();
      assert.equal(head, below, `${step * 577} pixels down`);
    }
    // Down and up again with the cursor, past the upper edge.
    await reader.scrollList(0);
    for (let step = 0; step < 24; step += 1) await reader.press("n");
    for (let step = 0; step < 20; step += 1) {
      await reader.press("p");
      await reader.frames(2);
      assert.equal((await look()).isHidden, false, `${step + 1} rows up`);
    }
  });
});

/** The row at the upper edge, and how far below it that begins. */
function atEdge(reader: Reader): Promise<string> {
  return scroller(reader).evaluate((box) => {
    const inset = Number.parseFloat(getComputedStyle(box).paddingBlockStart);
    const edge = box.getBoundingClientRect().top + inset;
    const row = [...box.querySelectorAll(".row")].find(
      (one) => one.getBoundingClientRect().bottom > edge + 1,
    );
    const title = row?.querySelector(".title a")?.textContent;
    return `${title} ${Math.round((row?.getBoundingClientRect().top ?? 0) - edge)}`;
  });
}

const viewOf = (reader: Reader) => reader.page.locator(".frame").getAttribute("data-view");

/** Pixels are rounded here and there. */
function isSamePlace(a: string, b: string): boolean {
  const [one = "", other = ""] = [a, b].map((place) => place.replace(/ \S+$/, ""));
  const [x = 0, y = 0] = [a, b].map((place) => Number(place.split(" ").at(-1)));
  return one === other && Math.abs(x - y) <= 2;
}

/** Loads page after page, and stops in the middle of an item far down. */
async function goDeep(reader: Reader, feed: string, view: string): Promise<string> {
  await reader.open(`/feed/${feed}?v=${view}`);
  await reader.settled();
  const deep = reader.page.locator('.row[aria-posinset="75"]');
  await eventually(
    "an item far down",
    async () => {
      await scroller(reader).evaluate((box) => box.scrollBy(0, 500));
      await reader.frames(3);
      return (await deep.count()) > 0;
    },
    (isThere) => isThere,
  );
  await deep.evaluate((row) => row.scrollIntoView({ block: "start" }));
  await scroller(reader).evaluate((box) => box.scrollBy(0, 23));
  await reader.frames(20);
  // Rows that were being loaded are there, too.
  await reader.quiet();
  return atEdge(reader);
}

/** Clicks a row that is wholly in view. */
async function openInView(reader: Reader): Promise<void> {
  const place = await scroller(reader).evaluate((box) => {
    const view = box.getBoundingClientRect();
    const row = [...box.querySelectorAll(".row")].find((one) => {
      const { top, bottom } = one.getBoundingClientRect();
      return top > view.top + 60 && bottom < view.bottom - 60;
    });
    return row?.getAttribute("aria-posinset") ?? "none";
  });
  await reader.page.locator(`.row[aria-posinset="${place}"] .title a`).click();
  await reader.page.locator(".article-pane .prose").waitFor();
}

for (const [view, width] of [
  ["skim", 1440],
  ["gallery", 1440],
  ["read", 390],
] as const) {
  test(`one comes back to where one was: ${view}, ${width} wide`, async () => {
    const as = await app.user(`back-${view}`);
    await app.visit({ as, width, height: width > 768 ? 900 : 844 }, async (reader) => {
      const { id } = await reader.api.addFeed(app.publisher.url("/feeds/long.xml"));
      await settings(reader, { itemsPerPage: 20 });
      const before = await goDeep(reader, id, view);
      const stays = (when: string) =>
        eventually(
          `${when}, wanted ${before}`,
          () => atEdge(reader),
          (now) => isSamePlace(now, before),
        );
      await openInView(reader);
      await stays("when an item is open");
      await reader.page.reload();
      await reader.page.locator(".article-pane .prose").waitFor();
      await stays("when the page was loaded again");
      await reader.page.goBack();
      await eventuallyEquals("closed", () => viewOf(reader), "list");
      await stays("after going back");
      await reader.page.reload();
      await stays("when the list was loaded again");
      await reader.page.goto(`${app.backend.base}/all`);
      await reader.page.locator(".list-pane .row").first().waitFor();
      await reader.page.goBack();
      await stays("after another list");
    });
  });
}

test("one comes back to where one was: an item open in the list", async () => {
  await app.visit({ as: await app.user("back-inline") }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/long.xml"));
    await settings(reader, { itemsPerPage: 20 });
    await goDeep(reader, id, "skim");
    await openInView(reader);
    // What stands around the body has come, and moves it no more.
    await reader.quiet();
    const top = () =>
      reader.page
        .locator(".line:has(> .opened)")
        .evaluate((line) => Math.round(line.getBoundingClientRect().top));
    await scroller(reader).evaluate((box) => {
      const line = box.querySelector(".line:has(> .opened)")?.getBoundingClientRect().top ?? 0;
      box.scrollBy(0, line - box.getBoundingClientRect().top + 31);
    });
    await reader.frames(20);
    await reader.quiet();
    const before = await top();
    const title = await reader.articleTitle();
    await reader.page.reload();
    await reader.page.locator(".opened .prose").waitFor();
    await eventually(`where the item was, ${before}`, top, (now) => Math.abs(now - before) <= 2);
    assert.equal(await reader.articleTitle(), title);
    await reader.page.goBack();
    await eventuallyEquals("closed", () => viewOf(reader), "list");
    const row = reader.row(title ?? "");
    await eventually(
      "its row in view",
      () => row.evaluate((one) => one.getBoundingClientRect().top),
      (y) => y > 50 && y < 820,
    );
  });
});
