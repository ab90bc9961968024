// What is popular: counts and tags as links in rows, and the owner's switch.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { eventually, eventuallyEquals } from "./harness/eventually.ts";
import { stubPopular } from "./harness/popular-stub.ts";

let app: App;
let owner: Awaited<ReturnType<App["owner"]>>;

before(async () => {
  app = await startApp();
  owner = await app.owner();
  await app.visit({ as: owner }, async ({ api }) => {
    await api.addFeed(app.publisher.url("/feeds/plain.xml"), "Tests");
    await eventually(
      "the feed",
      () => api.feeds(),
      ({ feeds }) => feeds.every((feed) => feed.itemCount > 0),
    );
  });
});
after(() => app?.close());

// H-23, C-20
test("a count in a row leads to the comments, a tag to its articles", async () => {
  await app.visit({ as: owner, width: 1600, height: 900 }, async (reader) => {
    await stubPopular(reader, "filled");
    // An old bookmark.
    await reader.page.goto(`${reader.base}/explore/hot`);
    const row = reader.rows().first();
    const count = row.locator(".bookmarks");
    await count.waitFor();
    const href = (await count.getAttribute("href")) ?? "";
    assert.match(href, /^https:\/\/b\.hatena\.ne\.jp\/entry\//);
    // Nothing leaves this machine.
    await reader.page
      .context()
      .route("https://b.hatena.ne.jp/**", (route) =>
        route.fulfill({ contentType: "text/html", body: "<title>Comments</title>" }),
      );
    const [comments] = await Promise.all([
      reader.page.context().waitForEvent("page"),
      count.click(),
    ]);
    await comments.waitForLoadState();
    assert.equal(comments.url(), href);
    await comments.close();
    assert.equal(reader.path(), "/my/popular/hot");
    await row.locator(".tags a").first().click();
    await eventuallyEquals(
      "the list of a tag",
      async () => reader.path().split("?")[0],
      "/my/popular/new",
    );
  });
});

// C-20
test("the owner switches counts on where the page says what they disclose", async () => {
  await app.visit({ as: owner }, async (reader) => {
    const changes: unknown[] = [];
    await reader.page.route("**/api/site", async (route) => {
      if (route.request().method() !== "PUT") return route.continue();
      changes.push(route.request().postDataJSON());
      // A real server would ask Hatena from now on.
      await stubPopular(reader, "collecting");
      await route.fulfill({ json: { bookmarkCounts: { isOn: true } } });
    });
    await reader.page.goto(`${reader.base}/my/popular/hot`);
    await reader.page.getByText("sent to Hatena Co., Ltd. in Japan").waitFor();
    await reader.page.getByRole("button", { name: "Show bookmark counts" }).click();
    await reader.page.getByText("The first bookmark counts arrive within about an hour.").waitFor();
    assert.deepEqual(changes, [{ bookmarkCounts: { isOn: true } }]);
  });
});
