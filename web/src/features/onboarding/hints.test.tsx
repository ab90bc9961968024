import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { readPreference, setPreference, useText } from "@/data/preferences";
import { aFeed } from "@/testing/fixtures";
import { renderApp, testClient } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { armHints, hintPreference } from "./hint-state";
import { Hints } from "./hints";

beforeEach(() => {
  mockServer({
    "GET /api/feeds": {
      body: {
        feeds: [aFeed({})],
        totals: { feeds: 1, unread: 0, starred: 0 },
        limits: { feeds: 100 },
      },
    },
  });
});

function Place({ item }: { item: string | null }) {
  const next = useText(hintPreference);
  return next ? <Hints next={next} item={item} /> : null;
}

it("shows each hint once", async () => {
  setPreference(hintPreference, "1");
  const { unmount } = renderApp(<Place item={null} />);
  await screen.findByText(/opens the next article/);
  expect(readPreference(hintPreference)).toBe("2");
  unmount();
  renderApp(<Place item={null} />);
  expect(screen.queryByRole("complementary")).toBeNull();
});

it("shows the third after three items, and then never again", async () => {
  setPreference(hintPreference, "3");
  const client = testClient();
  const shown = (item: string | null) => (
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={client}>
        <Place item={item} />
      </QueryClientProvider>
    </I18nProvider>
  );
  const { rerender } = render(shown("1"));
  rerender(shown("2"));
  expect(screen.queryByRole("complementary")).toBeNull();
  rerender(shown("3"));
  await userEvent.click(await screen.findByRole("button", { name: "Got it" }));
  expect(screen.queryByRole("complementary")).toBeNull();
  expect(readPreference(hintPreference)).toBe("");
});

it("can be told to stop", async () => {
  setPreference(hintPreference, "1");
  renderApp(<Place item={null} />);
  await userEvent.click(await screen.findByRole("button", { name: "Hide tips" }));
  expect(screen.queryByRole("complementary")).toBeNull();
  expect(readPreference(hintPreference)).toBe("");
  armHints();
  expect(readPreference(hintPreference)).toBe("");
});
