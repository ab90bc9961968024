// Who may see what: passwords, expired sessions, and two people on one server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { settles } from "./harness/eventually.ts";
import type { Reader } from "./harness/reader.ts";
import { say } from "./harness/words.ts";
import { openWorld, password, type World } from "./harness/world.ts";

let world: World;

before(async () => {
  world = await openWorld({ samples: true });
});
after(() => world?.close());

async function enter(reader: Reader, email: string, secret: string): Promise<void> {
  await reader.page.locator("#email").fill(email);
  await reader.page.locator("#password").fill(secret);
  await reader.page.locator("button[type=submit]").click();
}

test("a user added beside the running server signs in with a password", async () => {
  await world.ruri.addUser("second@example.org", password);
  for (const locale of ["en", "ja"] as const) {
    await world.visit({ as: null, locale }, async (reader) => {
      reader.watch.expectStatus(401);
      await reader.page.goto(world.ruri.base);
      await reader.page.locator("#email").waitFor();
      assert.match(reader.path(), /^\/login/);
      await enter(reader, "second@example.org", "not the password");
      await reader.page
        .getByRole("alert")
        .getByText(say(locale, "The e-mail address or the password is not right."))
        .waitFor();
      await settles("the focus", () => reader.focus(), "input.");
      await enter(reader, "second@example.org", password);
      await reader.page.getByText(say(locale, "Welcome to Ruri Reader")).waitFor();
      await settles("the address", () => reader.path(), "/welcome");
    });
  }
});

test("nobody sees another's feeds, items or marks", async () => {
  const third = await world.user("third@example.org");
  const owner = await world.owner();
  let feedId = "";
  let itemId = "";
  await world.visit({ as: owner }, async (reader) => {
    await reader.open("/all");
    const item = await reader.api.item("Small Tools", "Names for things");
    feedId = item.feedId;
    itemId = item.id;
    await reader.side("Small Tools").waitFor();
  });
  await world.visit({ as: third }, async (reader) => {
    reader.watch.expectStatus(404);
    await reader.open("/all");
    assert.deepEqual(await reader.sideNames(), []);
    assert.equal(await reader.rows().count(), 0);
    await reader.page.goto(`${world.ruri.base}/feed/${feedId}/i/${itemId}`);
    await reader.page.getByText("This item is no longer here").waitFor();
    await settles("rows", () => reader.rows().count(), 0); // those that stand in for a list on its way go, too
    const body = await reader.page.locator("body").textContent();
    assert.ok(!body?.includes("Names for things"));

    // Subscribed to the same feed, each has marks of their own.
    await reader.api.addFeed(`${world.ruri.base}/samples/small-tools.json`);
    await reader.open(`/feed/${feedId}`);
    await reader.openRow("Names for things");
    await reader.press("s");
    await settles("the starred", () => reader.sideCount("Starred"), 1);
  });
  await world.visit({ as: owner }, async (reader) => {
    await reader.open(`/feed/${feedId}`);
    assert.equal(await reader.row("Names for things").getAttribute("data-read"), "false");
    assert.equal(await reader.sideCount("Starred"), 0);
  });
});

test("an expired session leads to the login page, and back to where one was", async () => {
  const as = await world.user("fourth@example.org");
  await world.visit({ as }, async (reader) => {
    reader.watch.expectStatus(401);
    const { id } = await reader.api.addFeed(world.publisher.url("/feeds/plain.xml"));
    await reader.open(`/feed/${id}?f=unread`);
    await reader.settled();
    await reader.page.context().clearCookies();
    await reader.row("A walk at noon").locator(".title a").click();
    await reader.page.locator("#email").waitFor();
    assert.equal(await reader.page.locator(".row").count(), 0, "nothing of the list stays");
    const next = new URL(reader.page.url()).searchParams.get("next") ?? "";
    assert.match(next, new RegExp(`^/feed/${id}/i/\\d+\\?f=unread$`));
    await enter(reader, "fourth@example.org", password);
    await reader.articleShows("A walk at noon");
    assert.equal(reader.path(), next);
  });
});

test("signing out leaves nothing, and back does not bring it again", async () => {
  const as = await world.user("fifth@example.org");
  await world.visit({ as }, async (reader) => {
    reader.watch.expectStatus(401);
    await reader.api.addFeed(world.publisher.url("/feeds/plain.xml"));
    await reader.open("/all");
    await reader.choose("Settings", "Sign out");
    await reader.page.locator("#email").waitFor();
    await settles("the address", () => reader.path(), "/login");
    assert.equal(
      (await reader.page.context().request.get(`${world.ruri.base}/api/me`)).status(),
      401,
    );
    await reader.page.goto(`${world.ruri.base}/all`);
    await reader.page.locator("#email").waitFor();
    assert.equal(await reader.page.locator(".row").count(), 0);
  });
});

test("the login page leads only to paths of its own server", async () => {
  await world.ruri.addUser("sixth@example.org", password);
  await world.visit({ as: null }, async (reader) => {
    reader.watch.expectStatus(401);
    await reader.page.goto(
      `${world.ruri.base}/login?next=${encodeURIComponent("//strangers.example/")}`,
    );
    await enter(reader, "sixth@example.org", password);
    await reader.page.getByText("Welcome to Ruri Reader").waitFor();
    assert.equal(new URL(reader.page.url()).origin, world.ruri.base);
  });
});
