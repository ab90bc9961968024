import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { setSettings } from "@/data/settings";
import { activateLocale, loadPart } from "@/i18n/locale";
import { settingsCatalog } from "@/i18n/settings-catalog";
import { aBeginning, aFeed } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { Fetching } from "./fetching";
import type { SubscriptionActions } from "./use-subscription-actions";

function open(monthlyUSD: number | null) {
  mockServer({
    "GET /api/me": { body: aBeginning() },
    "GET /api/feeds/1/fetches": { body: { fetches: [], monthlyUSD } },
  });
  const reason = { code: "budget", message: "" };
  const feed = aFeed({ intervalMinutes: 240, intervalReason: reason, nextCheckReason: reason });
  return renderApp(<Fetching feed={feed} actions={{} as SubscriptionActions} />);
}

it("says that the monthly limit is why a feed is checked less often, and what the feed costs, in both languages", async () => {
  const { unmount } = open(0.0123);
  await screen.findByText("about $0.0123 per month without the free tier");
  screen.getByText("Every 4 hours: the monthly cost limit is near");
  unmount();
  await setSettings({ language: "ja" });
  await activateLocale("ja");
  await loadPart(settingsCatalog);
  open(0.0123);
  await screen.findByText("月に約$0.0123（無料枠なし）");
  screen.getByText("4時間ごと：今月の費用が上限に近い");
});

it("says nothing of costs to those who do not pay", async () => {
  open(null);
  await screen.findByText("Not fetched yet");
  expect(screen.queryByText("Cost")).toBeNull();
});
