import type { Page } from "playwright-core";
import type { Reader } from "./reader.ts";

type State = "collecting" | "empty" | "filled";

const tags = ["Go", "日本語組版", "Open source", "政策金利", "CI/CD", "Kubernetes", "AI", "読書"];

/** Bookmark counts and tags, which a server gets from Hatena in the course of days. */
export async function stubPopular(reader: Reader, state: State): Promise<void> {
  const { page, base } = reader;
  const { items } = await (await page.request.get(`${base}/api/items?limit=20`)).json();
  const entries = items.map((item: { link: string }, at: number) => {
    const bookmarkCount = Math.round(2400 / (at * at + 1)) + 1;
    return {
      id: String(at).padStart(12, "a"),
      host: new URL(item.link).hostname,
      bookmarkCount,
      growth: null as number | null,
      tags: [0, 3, 5].map((step) => ({ name: tags[(at + step) % tags.length], score: 1 })),
      item: { ...item, bookmarkCount, alsoIn: [] },
    };
  });
  await page.route("**/api/entries/*", async (route) => {
    const { searchParams } = new URL(route.request().url());
    const rises = searchParams.get("order") === "rising";
    await route.fulfill({
      json: {
        entries:
          state === "filled"
            ? entries.map((entry: (typeof entries)[number]) => ({
                ...entry,
                growth: rises ? Math.ceil(entry.bookmarkCount / 3) : null,
              }))
            : [],
        nextCursor: null,
        state: state === "collecting" ? state : "ready",
        countedAt: null,
        relatedTags: searchParams.has("tag")
          ? tags.slice(1).map((name) => ({ name, entries: 3, score: 0.5 }))
          : [],
        namesYahoo: searchParams.has("tag"),
      },
    });
  });
  await page.route("**/api/tags?*", (route) =>
    route.fulfill({
      json: {
        tags:
          state === "filled"
            ? tags.map((name, at) => ({ name, entries: 40 - 5 * at, score: 1 / (at + 1) }))
            : [],
        state: state === "collecting" ? state : "ready",
        namesYahoo: true,
      },
    }),
  );
}

/** The owner's settings with everything on, and with what can be wrong. */
export async function stubPopularSettings(page: Page): Promise<void> {
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const fault = (code: string, message: string) => ({ code, message, action: "" });
  await page.route("**/api/site", async (route) => {
    const response = await route.fetch();
    const site = await response.json();
    await route.fulfill({
      response,
      json: {
        ...site,
        bookmarkCounts: {
          isOn: true,
          lastAt: ago(70),
          requests: 12,
          failures: 4,
          error: fault("counts_failed", "Hatena Bookmark did not answer."),
          pausedUntil: ago(-30),
        },
        publicPages: { isOn: true, folders: ["1"], threshold: 3 },
        keyPhrases: {
          isOn: true,
          lastAt: ago(600),
          error: fault("phrases_limited", "Yahoo! JAPAN asked for fewer requests."),
        },
      },
    });
  });
}
