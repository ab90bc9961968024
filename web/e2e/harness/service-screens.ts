import type { Page, Route } from "playwright-core";
import { serverText } from "./catalog.ts";
import { eventuallyEquals } from "./eventually.ts";
import type { Reader } from "./reader.ts";
import type { Scenario, Screen } from "./screens.ts";

// The assistant, notifications, sending, sharing and backups: what other services do is answered here.

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
const model = { provider: "openai", model: "gpt-oss:20b", host: "nas.example.net:11434" };
const calm = (reader: Reader) => reader.page.unrouteAll({ behavior: "wait" });

const change = (page: Page, path: string, by: object) =>
  page.route(path, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), ...by } });
  });

const sentences = {
  state: "ok",
  kind: "sentences",
  text: "A feed is the plainest contract on the web.\nThe reader decides when, and in which order, and what to leave out.\nNobody in between earns anything by changing that.",
  lang: null,
  by: { provider: "extract", model: null, host: null },
  isExtract: true,
  sentences: 61,
  isTruncated: false,
  isCached: false,
  isMeasured: true,
  code: null,
  message: null,
  nextAt: null,
  tokenUsage: { thisRequest: 0, monthlyUsed: 51_204, monthlyLimit: 2_000_000 },
};
const written = {
  ...sentences,
  kind: "summary",
  text: "Feeds give readers control of order and time, which platforms do not. The article compares their formats and argues for the plainest one.",
  lang: "en",
  by: model,
  isExtract: false,
  sentences: null,
  tokenUsage: { thisRequest: 1_234, monthlyUsed: 52_438, monthlyLimit: 2_000_000 },
};
const failed = (code: string, message: string) => ({
  ...sentences,
  state: "failed",
  ...{ code, message },
});
const refused = (code: string) => ({ code, category: "validation", ...serverText("en", code) });

/** The panel above an article; answer is what a request for a summary gets. */
async function about(
  { page, base }: Reader,
  { english }: Scenario,
  answer: { status?: number; json: object },
  kind = "Summarize",
): Promise<void> {
  await change(page, "**/api/me*", { assist: model });
  await page.route("**/api/items/*/assist", async (route: Route) => {
    if (route.request().postDataJSON().kind === "sentences")
      await route.fulfill({ json: sentences });
    else await route.fulfill(answer);
  });
  await page.goto(`${base}/feed/${english.feedId}/i/${english.id}`);
  await page.locator(".article-pane .prose").waitFor();
  await page.keyboard.press("y");
  await page.locator(".about li").first().waitFor();
  await page.getByRole("button", { name: kind }).click();
}

function assistant(scenario: Scenario): Screen[] {
  const one = (
    name: string,
    sign: string,
    answer: Parameters<typeof about>[2],
    kind?: string,
  ): Screen => ({
    name: `assist${name}`,
    async open(reader) {
      await about(reader, scenario, answer, kind);
      await reader.page.locator(sign).first().waitFor();
    },
    close: calm,
  });
  return [
    {
      name: "assist",
      async open({ page, base }) {
        const { japanese } = scenario;
        await page.goto(`${base}/feed/${japanese.feedId}/i/${japanese.id}`);
        await page.locator(".article-pane .prose").waitFor();
        await page.keyboard.press("y");
        await page.locator(".about :is(li, p[lang])").first().waitFor();
      },
    },
    one("-agreement", "dialog", { status: 409, json: refused("assist_not_agreed") }),
    one("-private", "dialog", { status: 409, json: refused("assist_private") }),
    one("-summary", ".about > div > p[lang]", { json: { ...written, isTruncated: true } }),
    one(
      "-points",
      ".about h2",
      {
        json: {
          ...written,
          kind: "bullets",
          text: "- Feeds leave the order to the reader.\n- Formats differ less than people say.\n- Plain links last longest.",
        },
      },
      "List the points",
    ),
    one("-failed", ".about .note", {
      json: failed("assist_busy", "The AI model is busy. Try again in a moment."),
    }),
    one("-limit", ".about .note", {
      json: {
        ...failed(
          "assist_month_used",
          "You have reached this month's token limit. It resets on December 1.",
        ),
        nextAt: "2026-12-01T00:00:00Z",
      },
    }),
  ];
}

const devices = [
  {
    id: "d1",
    name: "Firefox on Linux",
    language: "en",
    createdAt: ago(900),
    lastDeliveredAt: ago(3),
    failingSince: null,
  },
  {
    id: "d2",
    name: "Safari on iPhone",
    language: "ja",
    createdAt: ago(400),
    lastDeliveredAt: ago(120),
    failingSince: ago(50),
  },
  {
    id: "d3",
    name: "",
    language: "en",
    createdAt: ago(2),
    lastDeliveredAt: null,
    failingSince: null,
  },
];

type Permission = "insecure" | "denied" | "granted" | "default";

/** The settings of notifications, in a browser with a permission. */
function notifications(name: string, permission: Permission, by: object = {}): Screen {
  return {
    name: `settings-notifications${name}`,
    async open({ page, base }) {
      await change(page, "**/api/notifications", by);
      // The latest of these scripts wins; a context keeps them all.
      await page.addInitScript((now) => {
        Object.defineProperty(window, "isSecureContext", {
          value: now !== "insecure",
          configurable: true,
        });
        if (!("Notification" in window)) Object.assign(window, { Notification: class {} });
        Object.defineProperty(Notification, "permission", { value: now, configurable: true });
        if (!("PushManager" in window)) Object.assign(window, { PushManager: class {} });
        if (now === "granted") localStorage.setItem("ruri.push", "d1");
        else localStorage.removeItem("ruri.push");
      }, permission);
      await page.goto(`${base}/settings/notifications`);
      await page.locator(".settings .card").nth(3).waitFor();
    },
    close: calm,
  };
}

const hook = {
  id: "h1",
  url: "https://ntfy.sh/my-secret-topic",
  events: ["new", "sent"],
  feeds: "all",
  format: "ntfy",
  key: null,
  template: null,
  headers: null,
  searchId: null,
  isEnabled: true,
  offReason: null,
  offAt: null,
  createdAt: ago(900),
  failingSince: null,
  lastSucceededAt: ago(2),
  outcomes: [],
  givenUp: [],
};
const outcome = {
  delivery: "2f1d8c0e",
  event: "sent",
  at: ago(30),
  status: 401,
  code: "refused",
  message: "The address responded with an error.",
  durationMs: 120,
};
const hooks = [
  hook,
  {
    ...hook,
    id: "h2",
    url: "https://api.telegram.org/bot{key}/sendMessage?chat_id=42",
    format: "telegram",
    key: "telegram",
    feeds: "notify",
    failingSince: ago(40),
    outcomes: [outcome],
    givenUp: [{ ...outcome, feedId: null, itemId: null, tries: 7 }],
  },
  {
    ...hook,
    id: "h3",
    url: "https://readwise.io",
    format: "readwise",
    key: "readwise",
    events: ["sent"],
    isEnabled: false,
    offReason: "failing",
    offAt: ago(5),
  },
];

function sending(scenario: Scenario): Screen[] {
  const send = (name: string, list: object[], sign: string): Screen => ({
    name,
    async open({ page, base }) {
      await page.route("**/api/webhooks", (route) => route.fulfill({ json: { webhooks: list } }));
      await page.goto(`${base}/feed/${scenario.english.feedId}/i/${scenario.english.id}`);
      await page.locator(".article-pane .prose").waitFor();
      await page.getByRole("button", { name: "More actions" }).first().click();
      await page.getByRole("menuitem", { name: "Send to…" }).click();
      await page.locator(sign).first().waitFor();
    },
    close: calm,
  });
  return [
    send("send", hooks, "dialog .btn"),
    send("send-nowhere", [], "dialog .btn-main"),
    {
      name: "settings-webhooks-filled",
      async open({ page, base }) {
        await page.route("**/api/webhooks", (route) =>
          route.fulfill({ json: { webhooks: hooks } }),
        );
        await page.goto(`${base}/settings/webhooks`);
        await page.locator(".hook").nth(2).waitFor();
      },
      close: calm,
    },
    {
      name: "settings-webhooks-own",
      async open({ page, base }) {
        await page.goto(`${base}/settings/webhooks`);
        await page.getByLabel("Format").selectOption("own");
        await page.getByLabel("Template").waitFor();
      },
    },
  ];
}

const share = { id: "s1", of: "starred", title: "What I liked", createdAt: ago(300) };

const sharing: readonly Screen[] = [
  {
    name: "settings-shares",
    async open({ page, base }) {
      const address = `${base}/api/shared/ruri_feed_0123456789abcdefghijklmnopqrstuvwxyz0123456`;
      await page.route("**/api/shares", (route) =>
        route.fulfill({
          json:
            route.request().method() === "POST"
              ? { share: { ...share, atomUrl: `${address}.atom`, jsonUrl: `${address}.json` } }
              : { shares: [share, { ...share, id: "s2", of: "label:999", title: "旅の記事" }] },
        }),
      );
      await page.goto(`${base}/settings/shares`);
      await page.locator("#share-of").waitFor();
    },
    close: calm,
  },
];

/** The screens of what concerns other services. */
export function serviceScreens(scenario: Scenario): Screen[] {
  const [shares] = sharing;
  return [
    ...assistant(scenario),
    notifications("", "default", { devices: [] }),
    notifications("-on", "granted", {
      devices,
      quietHours: { from: 22 * 60, to: 7 * 60, timeZone: "Asia/Tokyo" },
      folderIds: ["1"],
    }),
    notifications("-blocked", "denied", { devices: devices.slice(1) }),
    notifications("-insecure", "insecure", { devices: [] }),
    ...sending(scenario),
    ...sharing,
    {
      name: "settings-shares-new",
      async open(reader) {
        await shares?.open(reader);
        await reader.page.getByRole("button", { name: "Share list" }).click();
        await reader.page.locator("input[readonly]").nth(1).waitFor();
      },
      close: calm,
    },
    {
      name: "settings-server-backups",
      async open({ page, base }) {
        const error = {
          code: "backup_denied",
          message: "The backup location does not allow writing.",
          action: "Check the permissions of the folder, or the credentials for the bucket.",
        };
        await change(page, "**/api/site", {
          backup: { lastAt: ago(50), failingSince: ago(26), error },
        });
        await page.goto(`${base}/settings/server`);
        await page.locator("#backups").scrollIntoViewIfNeeded();
        await eventuallyEquals("the note", () => page.locator(".card .note").count(), 1);
      },
      close: calm,
    },
  ];
}
