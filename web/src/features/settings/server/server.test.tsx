import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import type { DeadLetters } from "@/data/dead-letters";
import type { Run } from "@/data/runs";
import { setSettings } from "@/data/settings";
import type { ProjectedCost, RunDay, Stats } from "@/data/stats";
import { activateLocale, loadPart } from "@/i18n/locale";
import { settingsCatalog } from "@/i18n/settings-catalog";
import { aBeginning, aFeed } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer, problem } from "@/testing/server";
import { Server } from "./server";

const sums = {
  durationMs: 1200,
  due: 10,
  polled: 10,
  notModified: 6,
  unchanged: 1,
  changed: 2,
  failed: 1,
  deferred: 0,
  skipped: 0,
  lost: 0,
  newItems: 5,
  tableReads: 20,
  tableWrites: 9.5,
  blobPuts: 2,
  bytes: 1000,
};
const day = (name: string, over: Partial<RunDay> = {}): RunDay => ({
  day: name,
  runs: 4,
  lostRuns: 0,
  isPartial: false,
  ...sums,
  ...over,
});
const stats = (over: Partial<Stats> = {}): Stats => ({
  days: [day("2026-11-20"), day("2026-11-21", { changed: 3 })],
  units: {
    day: "2026-11-21",
    writeBudget: 300,
    crawlWrites: 250,
    readerWrites: 60,
    cacheWrites: 8,
    crawlReads: 70,
    countedSince: "2026-11-21T00:00:00Z",
  },
  failing: [],
  ...over,
});
const run = (id: string, over: Partial<Run> = {}): Run => ({
  id,
  kind: "scheduled",
  state: "done",
  tick: 1,
  part: 0,
  startedAt: "2026-11-21T09:00:00Z",
  ...sums,
  ...over,
});
const letters = (...ids: string[]): DeadLetters => ({
  count: ids.length,
  isMore: false,
  oldestAt: ids.length > 0 ? "2026-11-20T09:00:00Z" : null,
  reasons: [],
  deadLetters: ids.map((id) => ({
    id,
    kind: "first",
    feeds: 1,
    tickAt: null,
    reason: "storage_unavailable",
    receives: 5,
    sentAt: "2026-11-20T09:00:00Z",
    diedAt: null,
  })),
});
const price = (over: Partial<ProjectedCost["lines"][number]>): ProjectedCost["lines"][number] => ({
  service: "S3",
  what: "puts",
  price: "s3.puts",
  quantity: 2.88,
  unit: "1k PUT, LIST",
  unitUSD: 0.005,
  alwaysFree: 0,
  firstYearFree: 2,
  usd: 0.0144,
  alwaysUSD: 0.0144,
  yearUSD: 0.0044,
  seen: "2026-09",
  source: "https://aws.amazon.com/s3/pricing/",
  ...over,
});
const bill = (over: Partial<ProjectedCost> = {}): ProjectedCost => ({
  region: "us-east-1",
  regions: ["us-east-1", "ap-northeast-1"],
  basisDays: 6,
  lines: [
    price({}),
    price({ service: "SQS", price: "sqs.requests", usd: 0.26, alwaysUSD: 0, yearUSD: 0 }),
    price({ service: "SSM", price: "ssm.parameters", usd: 0, alwaysUSD: 0, yearUSD: 0 }),
  ],
  total: { usd: 0.2744, alwaysUSD: 0.0144, yearUSD: 0.0044 },
  limit: null,
  ...over,
});
const sideBar = {
  feeds: [
    aFeed({ id: "1", title: "Daily" }),
    aFeed({ id: "2", title: "Unopened", unreadCount: 9 }),
  ],
  totals: { unread: 9, starred: 0 },
};
const me = (isOwner: boolean) => ({ body: aBeginning({ isOwner }) });

function serve(over: Parameters<typeof mockServer>[0] = {}) {
  return mockServer({
    "GET /api/me": me(true),
    "GET /api/stats": { body: stats() },
    "GET /api/stats/cost": { body: bill() },
    "GET /api/stats/popular": { body: { entries: [], tags: [], searches: [] } },
    "GET /api/feeds": { body: sideBar },
    "GET /api/stats/dead-letters": { body: letters() },
    "GET /api/runs": { body: { runs: [run("a")], nextCursor: null } },
    "GET /api/site": { body: { backup: null } },
    ...over,
  });
}

beforeEach(() => history.replaceState(null, "", "/settings/server"));

it("links to what was clicked, opened and searched for most", async () => {
  const { calls } = serve({
    "GET /api/stats/popular": {
      body: {
        entries: [{ id: "5", feedId: "1", title: "", link: "https://a.example/", count: 3 }],
        tags: [{ name: "go", count: 2 }],
        searches: [{ name: "桜 祭", count: 1 }],
      },
    },
  });
  renderApp(<Server />);
  const links = async (name: string) =>
    (await screen.findByRole("link", { name })).getAttribute("href");
  expect(await links("https://a.example/")).toBe("/feed/1/i/5");
  expect(await links("go")).toBe("/my/popular/new?t=go");
  expect(await links("桜 祭")).toBe(`/search?q=${encodeURIComponent("桜 祭")}`);
  await userEvent.click(screen.getByRole("button", { name: "30 days" }));
  const asked = () => calls.filter((one) => one.route === "GET /api/stats/popular");
  await waitFor(() =>
    expect(asked().map((one) => one.search)).toEqual(["?period=week", "?period=month"]),
  );
});

it("measures what was spent against the budget, in words too", async () => {
  serve();
  renderApp(<Server />);
  const meter = await screen.findByRole("meter", { name: "Write units today" });
  expect(meter.getAttribute("aria-valuemax")).toBe("300");
  expect(meter.getAttribute("aria-valuenow")).toBe("300");
  expect(meter.getAttribute("aria-valuetext")).toBe("103%");
  expect(screen.getByText("Over the budget")).toBeDefined();
});

it("measures against nothing where there is no budget", async () => {
  const { units, ...rest } = stats();
  serve({ "GET /api/stats": { body: { ...rest, units: { ...units, writeBudget: null } } } });
  renderApp(<Server />);
  expect((await screen.findByText("Write units today")).parentElement?.textContent).toContain(
    "310",
  );
  expect(screen.queryByRole("meter")).toBeNull();
  expect(screen.queryByText("Over the budget")).toBeNull();
  expect(screen.queryByText(/^Budget/)).toBeNull();
});

it("keeps the numbers of each chart in a table, newest day first", async () => {
  serve();
  renderApp(<Server />);
  const table = await screen.findByRole("table", { name: "Fetches per day", hidden: true });
  const rows = within(table).getAllByRole("row", { hidden: true });
  expect(rows.map((row) => row.textContent)).toEqual([
    "DayUnchangedChangedFailed",
    expect.stringMatching(/21.*731$/),
    expect.stringMatching(/20.*721$/),
  ]);
});

it("asks for thirty days when they are chosen", async () => {
  const { calls } = serve();
  renderApp(<Server />);
  await screen.findByRole("meter");
  await userEvent.click(screen.getByRole("button", { name: "30 days" }));
  await screen.findByRole("meter");
  expect(calls.map((call) => call.search)).toContain("?days=30");
});

it("discards a dead letter only after a confirmation, and sends one again at once", async () => {
  const { calls } = serve({
    "GET /api/stats/dead-letters": { body: letters("1", "2", "3") },
    "DELETE /api/stats/dead-letters/1": { status: 204 },
    "POST /api/stats/dead-letters/2/retry": { status: 204 },
    "DELETE /api/stats/dead-letters/3": { status: 204 },
  });
  renderApp(<Server />);
  const user = userEvent.setup();
  const [discard] = await screen.findAllByRole("button", { name: "Discard" });
  discard?.focus();
  await user.keyboard("{Enter}");
  screen.getByRole("group", { name: "Discard this message?" });
  await user.keyboard("{Escape}");
  const focused = () => document.activeElement;
  expect(focused()).toBe(screen.getAllByRole("button", { name: "Discard" })[0]);
  expect(calls.some((call) => call.route.startsWith("DELETE"))).toBe(false);
  await user.keyboard("{Enter}{Enter}");
  await screen.findByText("Message discarded");
  const next = screen.getAllByRole("button", { name: "Send again" })[0];
  await waitFor(() => expect(focused()).toBe(next));
  await user.keyboard("{Enter}");
  await screen.findByText("Message resent");
  await user.click(await screen.findByRole("button", { name: "Discard" }));
  await user.click(screen.getByRole("button", { name: "Discard" }));
  await screen.findByText(/^No dead letters/);
  await waitFor(() => expect(focused()?.textContent).toMatch(/^Dead letters/));
  expect(calls.slice(-3).map((call) => call.route)).toEqual([
    "DELETE /api/stats/dead-letters/1",
    "POST /api/stats/dead-letters/2/retry",
    "DELETE /api/stats/dead-letters/3",
  ]);
});

it("names the reason of a dead letter, also where none was recorded", async () => {
  const { deadLetters, ...rest } = letters("1", "2");
  const [first, second] = deadLetters;
  const all = [{ ...first, reason: "max_receives" }, second];
  serve({ "GET /api/stats/dead-letters": { body: { ...rest, deadLetters: all } } });
  renderApp(<Server />);
  await screen.findByText("Retry limit reached. No reason was recorded.");
  screen.getByText("storage_unavailable");
});

it("looks again when a dead letter was dealt with elsewhere", async () => {
  let looks = 0;
  serve({
    "GET /api/stats/dead-letters": () => ({ body: looks++ === 0 ? letters("1") : letters() }),
    "POST /api/stats/dead-letters/1/retry": problem(404, "dead_letter_not_found", "validation"),
  });
  renderApp(<Server />);
  await userEvent.click(await screen.findByRole("button", { name: "Send again" }));
  expect(await screen.findByText(/^No dead letters/)).toBeDefined();
});

it("shows older runs when asked, and tells lost ones", async () => {
  serve({
    "GET /api/runs": ({ url }) =>
      url.searchParams.get("cursor") === "next"
        ? { body: { runs: [run("b", { state: "lost" })], nextCursor: null } }
        : { body: { runs: [run("a")], nextCursor: "next" } },
  });
  renderApp(<Server />);
  await userEvent.click(await screen.findByRole("button", { name: "Show older runs" }));
  expect(await screen.findByRole("cell", { name: "Interrupted" })).toBeDefined();
  expect(screen.queryByRole("button", { name: "Show older runs" })).toBeNull();
});

it("says in each part what failed to load, and tries again when asked", async () => {
  let isDown = true;
  const answer = (body: unknown) => () =>
    isDown ? problem(503, "storage_unavailable", "system") : { body };
  serve({
    "GET /api/stats": answer(stats()),
    "GET /api/stats/dead-letters": answer(letters()),
    "GET /api/runs": answer({ runs: [], nextCursor: null }),
  });
  renderApp(<Server />);
  const again = () => screen.queryAllByRole("button", { name: "Try again" });
  await waitFor(() =>
    expect(screen.getAllByText("message of storage_unavailable")).toHaveLength(3),
  );
  isDown = false;
  for (let left = 3; left > 0; left -= 1) {
    await userEvent.click(again()[0] as HTMLElement);
    await waitFor(() => expect(again()).toHaveLength(left - 1));
  }
  await screen.findByRole("meter");
});

it("says when figures will appear before the first run", async () => {
  const none = { polled: 0, notModified: 0, unchanged: 0, changed: 0, failed: 0, newItems: 0 };
  serve({
    "GET /api/stats": { body: stats({ days: [day("2026-11-21", { runs: 0, ...none })] }) },
    "GET /api/runs": { body: { runs: [], nextCursor: null } },
  });
  renderApp(<Server />);
  await screen.findByText(/^The crawler has not run yet\./);
  expect(screen.getAllByText(/^Figures appear after/)).toHaveLength(2);
});

it("speaks Japanese", async () => {
  await setSettings({ language: "ja" });
  await activateLocale("ja");
  await loadPart(settingsCatalog);
  serve({ "GET /api/stats": { body: stats({ days: [day("2026-11-21", { runs: 0 })] }) } });
  renderApp(<Server />);
  expect(await screen.findByText("予算を超えています")).toBeDefined();
  expect(screen.getAllByText("最初の取得後に表示されます。")).toHaveLength(2);
});

it("projects a month, with and without what is free", async () => {
  serve();
  renderApp(<Server />);
  expect(await screen.findByText("$0.0144", { selector: ".big" })).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "No free tier" }));
  expect(await screen.findByText("$0.2744", { selector: ".big" })).toBeDefined();
  const services = screen.getAllByRole("rowheader").map((one) => one.textContent);
  expect(services).toContain("SQS queue");
  expect(services).not.toContain("SSM");
  await userEvent.selectOptions(screen.getByLabelText("Region"), "ap-northeast-1");
  expect(await screen.findByText(/Projected from 6 full days/)).toBeDefined();
});

it("says from when on a month can be projected", async () => {
  serve({ "GET /api/stats/cost": { body: bill({ basisDays: 0, lines: [] }) } });
  renderApp(<Server />);
  expect(await screen.findByText(/Available tomorrow/)).toBeDefined();
});

it("says when the last backup was made, and why they fail since", async () => {
  const backup = {
    lastAt: "2026-11-20T03:07:00Z",
    failingSince: "2026-11-21T03:07:00Z",
    error: { code: "backup_full", message: "There is no space left.", action: "Free some." },
  };
  serve({ "GET /api/site": { body: { backup } } });
  renderApp(<Server />);
  const card = await screen.findByRole("region", { name: "Backups" });
  await within(card).findByText(/There is no space left. Free some./);
  expect(card.textContent).toMatch(/Backups have been failing since .*Last backup: /);
});

it("shows the monthly limit and what follows from it, in both languages", async () => {
  const limit = {
    limitUSD: 5,
    spentUSD: 4.4,
    intervalFactor: 4,
    endsAt: "2026-12-01T00:00:00Z",
  } as const;
  serve({ "GET /api/stats/cost": { body: bill({ limit }) } });
  const { unmount } = renderApp(<Server />);
  expect(await screen.findByText("$4.40 of the monthly limit of $5.00 used so far")).toBeDefined();
  expect(screen.getByRole("meter", { name: "Monthly limit" }).getAttribute("aria-valuetext")).toBe(
    "88%",
  );
  expect(screen.getByText(/4 times as long until 12\/1 \(UTC\)/)).toBeDefined();
  unmount();
  await setSettings({ language: "ja" });
  await activateLocale("ja");
  await loadPart(settingsCatalog);
  renderApp(<Server />);
  expect(await screen.findByText(/確認の間隔を4倍/)).toBeDefined();
});

it("says nothing of slower checks while the limit is far", async () => {
  const limit = {
    limitUSD: 5,
    spentUSD: 0.5,
    intervalFactor: 1,
    endsAt: "2026-12-01T00:00:00Z",
  } as const;
  serve({ "GET /api/stats/cost": { body: bill({ limit, basisDays: 0, lines: [] }) } });
  renderApp(<Server />);
  expect(await screen.findByRole("meter", { name: "Monthly limit" })).toBeDefined();
  expect(screen.queryByText(/times as long/)).toBeNull();
});
