// A file of the page that cannot be loaded.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { assertAccessible } from "./harness/axe.ts";
import { eventuallyEquals } from "./harness/eventually.ts";
import { keepScreenshot } from "./harness/screenshot.ts";

let app: App;

before(async () => {
  app = await startApp();
});
after(() => app?.close());

test("a part of the page that cannot be loaded leaves the others working", async () => {
  const as = await app.user("part");
  await app.visit({ as }, async (reader) => {
    await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    reader.watch.expect(/article-pane|Failed to (load|fetch)|load preload assets/);
    await reader.page.route(/\/assets\/article-pane/, (route) => route.abort());
    await reader.open("/all");
    await reader.row("A walk at noon").locator(".title a").click();
    const missing = reader.page.getByText("Part of the page could not be loaded.");
    await missing.waitFor();
    assert.equal((await reader.titles()).length, 5);
    await reader.side("Starred").click();
    await eventuallyEquals("the address", () => reader.path(), "/starred");
    await reader.page.goBack();
    await missing.waitFor(); // it is requested again
    await assertAccessible(reader.page, "part");
    await keepScreenshot(reader.page, "screens/error-part.png");
    await reader.page.unrouteAll({ behavior: "wait" });
    await reader.page.getByRole("button", { name: "Reload page" }).click();
    await reader.articleShows("A walk at noon");
  });
});
