// Who may see what: passwords, expired sessions, and two people on one server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, password, startApp } from "./harness/app.ts";
import { message, serverText } from "./harness/catalog.ts";
import { eventuallyEquals } from "./harness/eventually.ts";
import type { Reader } from "./harness/reader.ts";

let app: App;

before(async () => {
  app = await startApp({ samples: true });
});
after(() => app?.close());

async function enter(reader: Reader, email: string, secret: string): Promise<void> {
  await reader.page.locator("#email").fill(email);
  await reader.page.locator("#password").fill(secret);
  await reader.page.locator("button[type=submit]").click();
}

test("a user added beside the running server signs in with a password", async () => {
  const second = await app.addUser("second");
  for (const locale of ["en", "ja"] as const) {
    await app.visit({ as: null, locale }, async (reader) => {
      reader.watch.expectStatus(401);
      await reader.page.goto(app.backend.base);
      await reader.page.locator("#email").waitFor();
      assert.match(reader.path(), /^\/login/);
      await enter(reader, second, "not the password");
      await reader.page
        .getByRole("alert")
        .getByText(serverText(locale, "wrong_login").message)
        .waitFor();
      await eventuallyEquals("the focus", () => reader.focus(), "input.");
      await enter(reader, second, password);
      await reader.page.getByText(message(locale, "Welcome to Ruri Reader")).waitFor();
      await eventuallyEquals("the address", () => reader.path(), "/welcome");
    });
  }
});

test("nobody sees another's feeds, items or marks", async () => {
  const third = await app.user("third");
  const owner = await app.owner();
  let feedId = "";
  let itemId = "";
  await app.visit({ as: owner }, async (reader) => {
    await reader.open("/all");
    const item = await reader.api.item("Small Tools", "Names for things");
    feedId = item.feedId;
    itemId = item.id;
    await reader.side("Small Tools").waitFor();
  });
  await app.visit({ as: third }, async (reader) => {
    reader.watch.expectStatus(404);
    await reader.open("/all");
    assert.deepEqual(await reader.sideNames(), []);
    assert.equal(await reader.rows().count(), 0);
    await reader.page.goto(`${app.backend.base}/feed/${feedId}/i/${itemId}`);
    await reader.page.getByText("This article is no longer available").waitFor();
    await eventuallyEquals("rows", () => reader.rows().count(), 0); // those that stand in for a list on its way go, too
    const body = await reader.page.locator("body").textContent();
    assert.ok(!body?.includes("Names for things"));

    // Subscribed to the same feed, each has marks of their own.
    await reader.api.addFeed(`${app.backend.base}/samples/small-tools.json`);
    await reader.open(`/feed/${feedId}`);
    await reader.openRow("Names for things");
    await reader.press("s");
    await eventuallyEquals("the starred", () => reader.sideCount("Starred"), 1);
  });
  await app.visit({ as: owner }, async (reader) => {
    await reader.open(`/feed/${feedId}`);
    assert.equal(await reader.row("Names for things").getAttribute("data-read"), "false");
    assert.equal(await reader.sideCount("Starred"), 0);
  });
});

test("an expired session leads to the login page, and back to where one was", async () => {
  const fourth = await app.addUser("fourth");
  const as = await app.signIn(fourth);
  await app.visit({ as }, async (reader) => {
    reader.watch.expectStatus(401);
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    await reader.open(`/feed/${id}?f=unread`);
    await reader.openRow("A walk at noon");
    await reader.settled();
    // Whichever request is the first to be refused, here or in the background, the address is the same.
    await reader.page.context().clearCookies();
    await reader.press("r");
    await reader.page.locator(".note", { hasText: "your session has expired" }).waitFor();
    await eventuallyEquals("the focus", () => reader.focus(), "input.");
    assert.equal(await reader.page.locator(".row").count(), 0, "nothing of the list stays");
    const next = new URL(reader.page.url()).searchParams.get("next") ?? "";
    assert.match(next, new RegExp(`^/feed/${id}/i/\\d+\\?f=unread$`));
    await reader.page.keyboard.type(fourth);
    await reader.page.keyboard.press("Tab");
    await reader.page.keyboard.type(password);
    await reader.page.keyboard.press("Enter");
    await reader.articleShows("A walk at noon");
    assert.equal(reader.path(), next);
  });
});

test("signing out leaves nothing, and back does not bring it again", async () => {
  const as = await app.user("fifth");
  await app.visit({ as }, async (reader) => {
    reader.watch.expectStatus(401);
    await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    await reader.open("/all");
    await reader.choose("Settings", "Sign out");
    await reader.page.locator("#email").waitFor();
    await eventuallyEquals("the address", () => reader.path(), "/login");
    assert.equal(
      (await reader.page.context().request.get(`${app.backend.base}/api/me`)).status(),
      401,
    );
    await reader.page.goto(`${app.backend.base}/all`);
    await reader.page.locator("#email").waitFor();
    assert.equal(await reader.page.locator(".row").count(), 0);
  });
});

test("the login page leads only to paths of its own server", async () => {
  const sixth = await app.addUser("sixth");
  await app.visit({ as: null }, async (reader) => {
    reader.watch.expectStatus(401);
    await reader.page.goto(
      `${app.backend.base}/login?next=${encodeURIComponent("//strangers.example/")}`,
    );
    await enter(reader, sixth, password);
    await reader.page.getByText("Welcome to Ruri Reader").waitFor();
    assert.equal(new URL(reader.page.url()).origin, app.backend.base);
  });
});
