import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { defaults } from "@/data/settings";
import type { Feed } from "@/data/types";
import { openApp } from "@/testing/app";
import { aBeginning, aFeed, aFullItem, anItem, aReport } from "@/testing/fixtures";
import { problem } from "@/testing/server";

const items = [anItem({ id: "1", title: "One" }), anItem({ id: "2", title: "Two" })];
const list = { body: { items, nextCursor: null } };
const withAction = (status: number, code: string, category: string) =>
  problem(status, code, category, { action: `action of ${code}` });

/** Waits for an element whose text contains each of these. */
async function findTexts(texts: readonly string[], scope = screen): Promise<void> {
  for (const text of texts)
    await scope.findByText((_, element) =>
      [...(element?.childNodes ?? [])].some(
        (node) => node instanceof Text && node.data.includes(text),
      ),
    );
}

it("shows why a list could not be loaded, what helps, and tries again", async () => {
  const refusals = [
    { answer: withAction(403, "owner_only", "auth"), also: ["action of owner_only"] },
    {
      answer: withAction(404, "folder_not_found", "validation"),
      also: ["action of folder_not_found"],
    },
    { answer: problem(409, "subscription_limit", "validation"), also: ["Manage subscriptions"] },
    {
      answer: { ...problem(500, "internal", "system"), headers: { "X-Request-Id": "req-0815" } },
      also: ["Copy code", "internal · req-0815"],
    },
    {
      answer: new TypeError("Failed to fetch"),
      says: "The server cannot be reached. Nothing was changed.",
      also: ["Check your connection and try again."],
    },
  ] as const;
  let current: (typeof refusals)[number]["answer"] | typeof list = refusals[0].answer;
  openApp("/all", { "GET /api/items": () => current });
  for (const refusal of refusals) {
    current = refusal.answer;
    if (refusal !== refusals[0])
      await userEvent.click(screen.getByText("Try again", { selector: ".list-pane button" }));
    const code = "body" in refusal.answer ? (refusal.answer.body as { code: string }).code : "";
    await findTexts(["says" in refusal ? refusal.says : `message of ${code}`, ...refusal.also]);
  }
  current = list;
  await userEvent.click(screen.getByText("Try again", { selector: ".list-pane button" }));
  await screen.findByRole("link", { name: "Two" });
});

const failing: readonly [code: string, category: string, status: Feed["status"]][] = [
  ["dns_failure", "network", "error"],
  ["timeout", "network", "error"],
  ["http_403", "http", "error"],
  ["http_410", "http", "stopped"],
  ["bad_xml", "parse", "error"],
  ["blocked_address", "policy", "error"],
  ["stopped_parse", "parse", "stopped"],
];
const failingFeeds = failing.map(([code, category, status], at) =>
  aFeed({
    id: String(9000 + at),
    title: code,
    status,
    isActive: status === "error",
    error: {
      code,
      category,
      message: `Message of ${code}.`,
      action: `Action of ${code}.`,
      since: "2026-11-01T00:00:00Z",
    } as NonNullable<Feed["error"]>,
  }),
);
const beginning = { body: { ...aBeginning(), feeds: failingFeeds } };

it("names each failing feed with its error and its remedies", async () => {
  openApp("/subscriptions", { "GET /api/me": beginning, "GET /api/feeds": beginning });
  for (const [code, , status] of failing) {
    const resume = status === "stopped" ? "Resume" : "Refresh now";
    const button = await screen.findByRole("button", { name: `${resume}: ${code}` });
    const row = within(button.closest<HTMLElement>(".trouble-row") as HTMLElement);
    row.getByText((_, element) =>
      Boolean(
        element?.matches("p") &&
          element.textContent?.includes(`Message of ${code}. Action of ${code}.`),
      ),
    );
    for (const name of ["Find new address", "Change address…", "Unsubscribe"])
      row.getByRole("button", { name: `${name}: ${code}` });
  }
});

it.each([
  { language: "en", change: "Change address…", field: "Feed or website address", close: "Close" },
  {
    language: "ja",
    change: "アドレスを変更…",
    field: "フィードまたはサイトのアドレス",
    close: "閉じる",
  },
] as const)("refuses an address without a feed beside its field ($language)", async (given) => {
  const body = { ...beginning.body, preferences: { ...defaults, language: given.language } };
  const { calls } = openApp("/subscriptions", {
    "GET /api/me": { body },
    "GET /api/feeds": { body },
    "PATCH /api/feeds/9002": problem(422, "no_feed_found", "feed"),
  });
  const opener = await screen.findByRole("button", { name: `${given.change}: http_403` });
  await userEvent.click(opener);
  const field = await screen.findByRole<HTMLInputElement>("textbox", { name: given.field });
  await userEvent.clear(field);
  await userEvent.type(field, "https://example.jp/bare.html{Enter}");
  await findTexts(["message of no_feed_found"]);
  expect(screen.getByText("message of no_feed_found").getAttribute("role")).toBe("alert");
  expect(field.getAttribute("aria-invalid")).toBe("true");
  expect(document.activeElement).toBe(field);
  expect(calls.find(({ route }) => route.startsWith("PATCH"))?.body).toEqual({
    url: "https://example.jp/bare.html",
  });
  await userEvent.click(screen.getByRole("button", { name: given.close }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

it("says above the list of a stopped feed why, and resumes it", async () => {
  const stopped = failingFeeds[3] as Feed;
  openApp(`/feed/${stopped.id}`, {
    "GET /api/me": beginning,
    [`GET /api/feeds/${stopped.id}/items`]: list,
  });
  const notice = within(await screen.findByRole("region", { name: "http_410" }));
  notice.getByText("This feed is no longer updated.");
  notice.getByText(/Message of http_410\. Action of http_410\./);
  notice.getByRole("button", { name: "Resume" });
});

it.each([
  {
    state: "summary",
    says: "This article has no text. Read it on the original site.",
    also: "Open original",
  },
  {
    state: "notKept",
    says: "The text of this article is no longer stored. It may still be available on the original site.",
    also: "Open original",
  },
  { state: "failed", says: "The text could not be read from the feed.", also: "Try again" },
] as const)("explains a missing text: $state", async ({ state, says, also }) => {
  const item = aFullItem({ id: "1", contentHtml: "", snippet: "", contentState: state });
  openApp("/all/i/1", { "GET /api/items": list, "GET /api/items/1": { body: { item } } });
  await screen.findByText(says);
  screen.getByText(also);
});

it("says that an article is gone", async () => {
  openApp("/all/i/3", {
    "GET /api/items": list,
    "GET /api/items/3": problem(404, "item_not_found", "validation"),
  });
  await screen.findByRole("heading", { name: "This article is no longer available" });
});

it("says why a file could not be imported, and which entries of another", async () => {
  const codes = ["not_opml", "opml_empty", "opml_truncated", "opml_entities", "opml_too_deep"];
  const entry = (title: string, code: string) => ({
    url: "file:///etc/hosts",
    title,
    code,
    error: "",
    message: `message of ${code}`,
    action: "",
    path: [],
  });
  const report = aReport({
    imported: 0,
    failed: 3,
    errors: [entry("A", "no_address"), entry("B", "bad_address"), entry("C", "include")],
  });
  let answer: { status?: number; body: unknown } = { body: report };
  openApp("/settings/data", {
    "GET /api/items": list,
    "GET /api/imports": { body: { imports: [] } },
    "GET /api/feeds": { body: aBeginning() },
    "POST /api/import/opml": () => answer,
  });
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Import OPML" }));
  const dialog = within(await screen.findByRole("dialog"));
  const upload = () =>
    user.upload(
      dialog.getByLabelText("OPML or JSON file"),
      new File(["<opml"], "a.opml", { type: "text/xml" }),
    );
  for (const code of codes) {
    answer = withAction(422, code, "validation");
    await upload();
    const alert = await dialog.findByRole("alert");
    await waitFor(() => expect(alert.textContent).toContain(`message of ${code}`));
    expect(alert.textContent).toContain(`action of ${code}`);
  }
  answer = { body: report };
  await upload();
  for (const code of ["no_address", "bad_address", "include"])
    await dialog.findByText(`message of ${code}`);
  await dialog.findByRole("button", { name: "Save failed feeds as OPML" });
});
