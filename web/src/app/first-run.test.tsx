import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { adoptSettings, defaults, getSetting } from "@/data/settings";
import { useRoute } from "@/data/use-route";
import { WelcomeScreen } from "@/features/onboarding/welcome-screen";
import { EmptyList } from "@/features/reader/deferred/list-states";
import { openApp } from "@/testing/app";
import { aBeginning } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer, problem } from "@/testing/server";

function Screens() {
  const route = useRoute();
  if (route.screen === "welcome") return <WelcomeScreen onAdd={() => {}} onImport={() => {}} />;
  if (route.screen !== "reader") return null;
  return <EmptyList route={route} feed={undefined} hasFeeds={false} onImport={() => {}} />;
}

it("leaves the first run with one press, also when that cannot be saved", async () => {
  adoptSettings(defaults);
  const { calls } = mockServer({
    "GET /api/feeds": {
      body: { feeds: [], totals: { feeds: 0, unread: 0, starred: 0 }, limits: { feeds: 100 } },
    },
    "PUT /api/user/preferences": problem(503, "storage_unavailable", "system"),
  });
  history.replaceState(null, "", "/all");
  renderApp(<Screens />);
  await waitFor(() => expect(location.pathname, "a new person is led there").toBe("/welcome"));
  await userEvent.click(await screen.findByRole("link", { name: "Not now" }));
  await screen.findByRole("link", { name: "Get started" });
  expect(location.pathname).toBe("/all");
  const saves = () => calls.filter(({ route }) => route.startsWith("PUT"));
  await waitFor(() => expect([saves().length, getSetting("welcomed")]).toEqual([1, false]));
  expect(saves()[0]?.body).toEqual({ welcomed: true });
  expect(screen.getByRole("link", { name: "Get started" })).toBeTruthy();
  expect(location.pathname).toBe("/all");
});

it.each([
  ["en", "Welcome to Ruri Reader", "Add a feed", "Close"],
  ["ja", "Ruri Readerへようこそ", "フィードを追加", "閉じる"],
] as const)("says in an empty reader what to do (%s)", async (language, title, add, close) => {
  const preferences = { ...defaults, welcomed: true, language };
  openApp("/all", {
    "GET /api/me": {
      body: {
        ...aBeginning(),
        preferences,
        feeds: [],
        totals: { feeds: 0, unread: 0, starred: 0 },
      },
    },
    "GET /api/items": { body: { items: [], nextCursor: null } },
  });
  await screen.findByText(title, { selector: ".list-pane .title" });
  await userEvent.click(screen.getByText(add, { selector: ".list-pane button" }));
  const dialog = await screen.findByRole("dialog");
  expect(dialog.contains(document.activeElement)).toBe(true);
  await userEvent.click(within(dialog).getByRole("button", { name: close }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});
