// The owner's page about the server, with the figures of a real one.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { eventuallyEquals } from "./harness/eventually.ts";
import type { Reader } from "./harness/reader.ts";

interface Stats {
  days: { day: string; runs: number; polled: number }[];
  units: { crawlWrites: number; writeBudget: number | null };
}

let app: App;
let owner: Awaited<ReturnType<App["owner"]>>;

before(async () => {
  app = await startApp({ samples: true });
  owner = await app.owner();
});
after(() => app?.close());

const card = (reader: Reader, heading: string) =>
  reader.page.locator(".card").filter({
    has: reader.page.getByRole("heading", { level: 2, name: new RegExp(`^${heading}`) }),
  });

test("keys lead the owner to the figures, which are those of the server, and back", async () => {
  await app.visit({ as: owner }, async (reader) => {
    await reader.open("/all");
    const answer = reader.page.waitForResponse((one) => one.url().includes("/api/stats?"));
    await reader.pressAll(["g", "t"]);
    const stats: Stats = await (await answer).json();
    await reader.page.locator(".server .big").first().waitFor();
    assert.equal(reader.path(), "/settings/server");
    await eventuallyEquals("the title", () => reader.page.title(), "Status and cost · Ruri");

    const shown = await card(reader, "Write units today").locator(".facts dd").allTextContents();
    assert.equal(Number(shown[0]?.replace(",", "")), stats.units.crawlWrites);
    // A reader that began today is measured against nothing.
    assert.equal(stats.units.writeBudget, null);
    assert.equal(await reader.page.getByRole("meter").count(), 0);

    // The table behind the picture has the server's own numbers.
    const polls = card(reader, "Fetch results");
    await polls.getByText("Show as table").click();
    const cells = await polls.locator("tbody tr").first().locator("td").allTextContents();
    const today = stats.days.at(-1);
    assert.equal(
      cells.reduce((sum, cell) => sum + Number(cell), 0),
      today?.polled,
    );
    await card(reader, "Monthly cloud cost").getByText("Available tomorrow").waitFor();
    // An answer of its own, which may come later.
    await card(reader, "Recent runs").locator("tbody tr").first().waitFor();
    await reader.press("u");
    await reader.page.locator(".list-pane .row").first().waitFor();
    assert.equal(reader.path(), "/all");
  });
});

test("nobody else has the page", async () => {
  const as = await app.user("guest");
  await app.visit({ as }, async (reader) => {
    await reader.open("/all");
    await reader.pressAll(["g", "t"]);
    await reader.page.goto(`${reader.base}/stats`);
    await reader.page.getByText("These settings do not exist.").waitFor();
    assert.equal(await reader.page.locator(".server").count(), 0);
  });
});
