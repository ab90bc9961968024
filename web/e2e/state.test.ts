// What is read and starred: shown at once, sent together, never lost, taken back to the byte; and a list that nothing
// moves under the reader's eyes.
// R-109, G-15, G-16
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type App, password, startApp } from "./harness/app.ts";
import { eventuallyEquals } from "./harness/eventually.ts";
import { isRehearsal } from "./harness/paths.ts";
import { Reader } from "./harness/reader.ts";

let app: App;

before(async () => {
  app = await startApp();
});
after(() => app?.close());

interface Flush {
  batch: { device: number; counter: number };
  changes: { ids: string[]; isRead?: boolean; isStarred?: boolean }[];
}

/** The flushes that a page sends from now on. */
function flushesOf(page: Page): Flush[] {
  const list: Flush[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).pathname !== "/api/items/state") return;
    list.push(request.postDataJSON());
  });
  return list;
}

/** Items with their marks, and the side bar's counts: all that a mark may change. */
async function stateOf(reader: Reader) {
  const { feeds, totals } = await reader.api.feeds();
  return {
    items: (await reader.api.items()).map(({ id, isRead, isStarred }) => ({
      id,
      isRead,
      isStarred,
    })),
    counts: feeds.map(({ id, unreadCount }) => ({ id, unreadCount })),
    totals,
  };
}

const isWaiting = (reader: Reader) =>
  reader.page.evaluate(() => localStorage.getItem("ruri.outbox") !== null);

/** Until the server has everything. */
const isSent = (reader: Reader) => eventuallyEquals("what waits", () => isWaiting(reader), false);

/** Marks, and waits until they were sent: before the outbox itself has come, nothing tells that something waits. */
async function sends(reader: Reader, marks: () => Promise<void>): Promise<void> {
  const [answer] = await Promise.all([
    reader.page.waitForResponse((one) => new URL(one.url()).pathname === "/api/items/state"),
    marks(),
  ]);
  await answer.finished();
  await isSent(reader);
}

test("z undoes actions in reverse order, and leaves the server as it was, to the byte", async () => {
  await app.visit({ as: await app.user("undo") }, async (reader) => {
    const long = await reader.api.addFeed(app.publisher.url("/feeds/long.xml"));
    const plain = await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    const podcast = await reader.api.addFeed(app.publisher.url("/feeds/podcast.xml"));
    const items = await reader.api.items(long.id);
    for (const at of [3, 4, 60, 110])
      await reader.api.setState(items[at]?.id ?? "", { isRead: true });
    await reader.api.setState(items[5]?.id ?? "", { isStarred: true });
    const beginning = await stateOf(reader);

    await reader.open("/all");
    await reader.settled();
    await sends(reader, async () => {
      await reader.press("n");
      await reader.press("n");
      await reader.press("s");
      await reader.press("m");
    });
    const marked = await stateOf(reader);
    assert.equal(marked.totals.unread, beginning.totals.unread - 1);
    assert.equal(marked.totals.starred, beginning.totals.starred + 1);

    await reader.press("Shift+M");
    await reader.toast(/articles marked as read/).waitFor();
    await isSent(reader);
    const below = await stateOf(reader);
    assert.equal(below.totals.unread, 1, "the one above the cursor");
    await eventuallyEquals("the count of all", () => reader.sideCount("Unread"), 1);

    await reader.press("Shift+A");
    await reader.toast("1 article marked as read").waitFor();
    await isSent(reader);
    assert.equal((await stateOf(reader)).totals.unread, 0);

    await reader.press("z");
    await eventuallyEquals("the count of all", () => reader.sideCount("Unread"), 1);
    await isSent(reader);
    assert.deepEqual(await stateOf(reader), below);
    await reader.press("z");
    await eventuallyEquals(
      "the count of all",
      () => reader.sideCount("Unread"),
      marked.totals.unread,
    );
    await isSent(reader);
    assert.deepEqual(await stateOf(reader), marked);
    await reader.press("z");
    await reader.toast(/^Undone: /).waitFor();
    await reader.press("z");
    await eventuallyEquals("the starred", () => reader.sideCount("Starred"), 1);
    await isSent(reader);
    assert.deepEqual(await stateOf(reader), beginning);
    await reader.press("z");
    await reader.toast("Nothing to undo").waitFor();

    // A feed by itself: Shift+A goes on to the next one that has something unread.
    await reader.goTo("Plain Notes");
    await reader.press("Shift+A");
    await reader.toast("5 articles marked as read").waitFor();
    await eventuallyEquals("the next feed", () => reader.path(), `/feed/${podcast.id}`);
    const title = `(${podcast.itemCount}) ${podcast.title} · Ruri`;
    await eventuallyEquals("the title", () => reader.page.title(), title);
    await eventuallyEquals("its count", () => reader.sideCount("Plain Notes"), 0);
    await isSent(reader);
    assert.equal((await reader.api.items(plain.id, "unread")).length, 0);
    await reader.press("z");
    await reader.toast("Undone.").waitFor();
    await eventuallyEquals("its count", () => reader.sideCount("Plain Notes"), 5);
    await isSent(reader);
    assert.deepEqual(await stateOf(reader), beginning);
  });
});

test("z undoes a mark-all that is still being sent, not the action before it", async () => {
  await app.visit({ as: await app.user("state-slow") }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    await reader.open(`/feed/${id}`);
    await reader.settled();
    await sends(reader, async () => {
      await reader.press("n");
      await reader.press("s");
    });
    const before = await stateOf(reader);
    const { promise: isHeld, resolve: release } = Promise.withResolvers<void>();
    await reader.page.route("**/api/items/mark-read", async (route) => {
      await isHeld;
      await route.continue();
    });
    await reader.choose("List actions", "Mark all as read");
    await reader.toast("5 articles marked as read").waitFor();
    await eventuallyEquals("its count", () => reader.sideCount("Plain Notes"), 0);
    await reader.press("z");
    await reader.toast("Undone.").waitFor();
    await eventuallyEquals("its count", () => reader.sideCount("Plain Notes"), 5);
    assert.deepEqual(await stateOf(reader), before, "nothing has arrived yet");
    const back = reader.page.waitForResponse("**/api/undo");
    release();
    await back;
    await isSent(reader);
    assert.deepEqual(await stateOf(reader), before);
    await eventuallyEquals("its count", () => reader.sideCount("Plain Notes"), 5);
    await eventuallyEquals("the starred", () => reader.sideCount("Starred"), 1);
    await reader.press("z");
    await reader.toast(/^Undone: /).waitFor();
    await eventuallyEquals("the starred", () => reader.sideCount("Starred"), 0);
  });
});

// The rehearsed cloud's certificate is its own, and browsers give such pages no worker.
test("thirty marks without a connection arrive once, though the tab is killed", {
  skip: isRehearsal,
}, async () => {
  await app.visit({ as: await app.user("offline"), offline: true }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/long.xml"));
    const items = await reader.api.items(id);
    const context = reader.page.context();
    await reader.open(`/feed/${id}`);
    await reader.settled();
    // The worker has all of the page's code by then; the outbox is loaded after the first list.
    await reader.page.evaluate(async () => {
      await navigator.serviceWorker.ready;
    });
    await eventuallyEquals(
      "the worker",
      () => reader.page.evaluate(() => navigator.serviceWorker.controller !== null),
      true,
    );
    reader.watch.expect(/ERR_INTERNET_DISCONNECTED|Failed to fetch/);
    await eventuallyEquals("its lock", () => hasOutbox(reader.page), true);
    const atOnce = flushesOf(reader.page);
    await context.setOffline(true);
    for (let i = 0; i < 15; i += 1) {
      await reader.press("n");
      await reader.press("m");
      await reader.press("s");
    }
    await eventuallyEquals("the starred", () => reader.sideCount("Starred"), 15);
    await eventuallyEquals("the unread", () => reader.sideCount("The Long List"), 5);
    assert.deepEqual(atOnce, []);
    assert.equal(await isWaiting(reader), true);
    // On the disk, that is: what is shown is there a moment earlier.
    await eventuallyEquals("what is kept", () => keptMarks(reader.page), 30);
    await storeAsVersion1(reader.page);
    await reader.page.close();

    const again = new Reader(await context.newPage(), reader.watch, reader.base);
    const flushes = flushesOf(again.page);
    const unreadRows = () => again.page.locator(".row[data-read=false]").count();
    await context.setOffline(false);
    await again.open(`/feed/${id}`);
    await isSent(again);
    await eventuallyEquals("unread rows among the first", unreadRows, 0);
    assert.equal(flushes.length, 1, "one request");
    assert.deepEqual(
      flushes[0]?.changes.map(({ ids, ...marks }) => [marks, ids.length]),
      [[{ isRead: true, isStarred: true }, 15]],
    );
    const now = await again.api.items(id);
    const marked = now.filter((item) => item.isRead && item.isStarred).map((item) => item.id);
    assert.deepEqual(
      marked,
      items.slice(0, 15).map((item) => item.id),
    );
    await again.page.reload();
    await eventuallyEquals("unread rows among the first", unreadRows, 0);
    await again.settled();
    assert.equal(flushes.length, 1, "nothing is sent twice");
  });
});

/** How many marks the device keeps for later. */
function keptMarks(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const { name } =
      (await indexedDB.databases()).find((one) => one.name?.startsWith("ruri-outbox-")) ?? {};
    return new Promise<number>((resolve, reject) => {
      const opening = indexedDB.open(name ?? "none");
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        const db = opening.result;
        const batches = db.transaction("batches").objectStore("batches").getAll();
        batches.onsuccess = () => {
          db.close();
          const mutations = batches.result.flatMap((one) => one.mutations as { marks: object }[]);
          resolve(mutations.reduce((sum, { marks }) => sum + Object.keys(marks).length, 0));
        };
      };
    });
  });
}

/** Replaces the device's outbox by one as version 1 of its database kept it. */
function storeAsVersion1(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const { name } =
      (await indexedDB.databases()).find((one) => one.name?.startsWith("ruri-outbox-")) ?? {};
    if (name === undefined) throw new Error("no outbox");
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const now = await done(indexedDB.open(name));
    const stores = now.transaction(["batches", "devices"]);
    const [batches, devices] = await Promise.all([
      done(stores.objectStore("batches").getAll()),
      done(stores.objectStore("devices").getAll()),
    ]);
    now.close();
    await done(indexedDB.deleteDatabase(name));
    const opening = indexedDB.open(name, 1);
    opening.onupgradeneeded = () => {
      const old = opening.result.createObjectStore("batches", { keyPath: ["device", "counter"] });
      for (const { mutations, ...batch } of batches) old.add({ ...batch, wishes: mutations });
      const known = opening.result.createObjectStore("devices", { keyPath: "device" });
      for (const device of devices) known.add(device);
    };
    (await done(opening)).close();
  });
}

function hasOutbox(page: Page): Promise<boolean> {
  return page.evaluate(async () => {
    const { held } = await navigator.locks.query();
    return held?.some((lock) => lock.name?.startsWith("ruri-device-")) ?? false;
  });
}

test("a flush whose answer was lost is sent again and does nothing more", async () => {
  await app.visit({ as: await app.user("lost") }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    const [first] = await reader.api.items(id);
    assert.ok(first);
    await reader.open(`/feed/${id}`);
    await reader.settled();
    reader.watch.expect(/Failed to load resource/);
    const flushes = flushesOf(reader.page);
    const { promise: isThere, resolve: arrived } = Promise.withResolvers<void>();
    const { promise: isLost, resolve: lose } = Promise.withResolvers<void>();
    await reader.page.route(
      "**/api/items/state",
      async (route) => {
        await route.fetch();
        arrived();
        await isLost;
        await route.abort();
      },
      { times: 1 },
    );
    await reader.press("n");
    await reader.press("m");
    await isThere;
    // Another device takes it back before the repeat.
    await reader.api.setState(first.id, { isRead: false });
    lose();
    await eventuallyEquals("requests in flight", () => reader.watch.inFlight(), 0);
    await reader.page.evaluate(() => window.dispatchEvent(new Event("online")));
    await isSent(reader);
    assert.equal(flushes.length, 2);
    assert.deepEqual(flushes[1], flushes[0]);
    assert.equal((await reader.api.items(id))[0]?.isRead, false, "the repeat did nothing");
    await eventuallyEquals(
      "the row",
      () => reader.row(first.title).getAttribute("data-read"),
      "false",
    );
    await eventuallyEquals("the count", () => reader.sideCount("Plain Notes"), 5);
  });
});

test("a session that ends keeps what was marked, and comes back to the same place", async () => {
  const email = await app.addUser("ended");
  await app.visit({ as: await app.signIn(email) }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    await reader.open(`/feed/${id}?f=unread`);
    await reader.settled();
    reader.watch.expectStatus(401);
    await reader.api.send("POST", "/api/auth/logout");
    await reader.press("n");
    await reader.press("s");
    await reader.page.locator("input[type=email]").fill(email);
    await eventuallyEquals("what waits", () => isWaiting(reader), true);
    await reader.page.locator("input[type=password]").fill(password);
    await reader.page.keyboard.press("Enter");
    await reader.rows().first().waitFor();
    await eventuallyEquals("the address", () => reader.path(), `/feed/${id}?f=unread`);
    await isSent(reader);
    await eventuallyEquals("the starred", () => reader.sideCount("Starred"), 1);
    assert.equal((await reader.api.items(null, "starred")).length, 1);
    // Whoever signs out leaves nothing behind.
    await reader.settled();
    await reader.choose("Settings", "Sign out");
    await reader.page.locator("input[type=email]").waitFor();
    const left = () => reader.page.evaluate(async () => (await indexedDB.databases()).length);
    await eventuallyEquals("the databases", left, 0);
  });
});

test("twenty new items wait behind a pill and move nothing; what came after the list stays unread", async () => {
  await app.publisher.tick("moss", 17);
  await app.visit({ as: await app.user("news") }, async (reader) => {
    await reader.api.addFeed(app.publisher.url("/feeds/long.xml"));
    await reader.open("/all");
    await reader.settled();
    for (let i = 0; i < 40; i += 1) await reader.press("n");
    // The row comes into view a moment after the key.
    await reader.quiet();
    const focused = () =>
      reader.page.evaluate(() => {
        const row = document.activeElement;
        const at = row?.getBoundingClientRect();
        return { id: row?.getAttribute("data-item"), y: at?.y };
      });
    const place = await focused();
    assert.ok(place.id);
    const topOf = () => firstVisible(reader.page);
    const top = await topOf();
    await reader.forgetShifts();

    const moss = await reader.api.addFeed(app.publisher.url("/grow/moss.xml"));
    await reader.press("r");
    const pill = reader.page.getByRole("button", { name: "20 new articles" });
    await pill.waitFor();
    await reader.frames(3);
    assert.deepEqual(await focused(), place, "the row that has the focus");
    await reader.showsNoShift("the list while new items come");
    await eventuallyEquals(
      "the announcement",
      () => reader.page.locator(".pill-place [role=status]").textContent(),
      "20 new articles",
    );

    await reader.page.getByRole("button", { name: "Mark all as read", exact: true }).click();
    await reader.toast("20 articles marked as read").waitFor();
    await isSent(reader);
    assert.equal((await reader.api.items(moss.id, "unread")).length, 20, "what was not shown");
    assert.equal((await reader.api.items(null, "unread")).length, 20);
    await reader.press("z");
    await eventuallyEquals("the count of all", () => reader.sideCount("Unread"), 40);

    await reader.press(".");
    await eventuallyEquals(
      "the first row",
      async () => (await reader.titles())[0],
      "moss number 20",
    );
    await eventuallyEquals("the focus", () => reader.focus(), "a row");
    await reader.page.getByRole("button", { name: "Back to where you were" }).click();
    await eventuallyEquals("the place", topOf, top);
    await eventuallyEquals("the focus", () => reader.focus(), "a row");
    await eventuallyEquals("the pills", () => reader.page.locator(".pill").count(), 0);
    // Now they were shown, and are marked with the rest.
    await reader.page.getByRole("button", { name: "Mark all as read", exact: true }).click();
    await reader.toast("40 articles marked as read").waitFor();
  });
});

/** The row at the upper edge of the list, and where it stands. */
function firstVisible(page: Page): Promise<string> {
  return page.locator(".list-pane > .scroll").evaluate((box) => {
    const edge = box.getBoundingClientRect().top;
    const row = [...box.querySelectorAll(".row")].find(
      (one) => one.getBoundingClientRect().bottom > edge + 1,
    );
    return `${row?.getAttribute("data-item")} ${Math.round((row?.getBoundingClientRect().top ?? 0) - edge)}`;
  });
}

test("rows that a person scrolled past are read, those that a restored place passed are not", async () => {
  await app.visit({ as: await app.user("scroll") }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/long.xml"));
    await reader.api.send("PUT", "/api/user/preferences", { markOnScroll: true });
    await reader.open(`/feed/${id}`);
    await reader.settled();
    await reader.page.locator(".list-pane[data-marks]").waitFor({ state: "attached" });
    const unread = async () => (await reader.api.items(id, "unread")).length;
    // By script, as a restored place is: nothing was seen to pass.
    await reader.scrollList(600);
    await reader.scrollList(0);
    await reader.frames(30);
    assert.equal(await isWaiting(reader), false);
    await reader.rows().nth(2).hover();
    for (let step = 0; step < 6; step += 1) {
      await reader.page.mouse.wheel(0, 60);
      await reader.frames(10);
    }
    await eventuallyEquals("the rows that passed", unread, 17);
    const read = (await reader.api.items(id)).slice(0, 5).map((item) => item.isRead);
    assert.deepEqual(read, [true, true, true, false, false]);
  });
});
