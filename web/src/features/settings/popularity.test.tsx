import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { activateLocale, loadPart } from "@/i18n/locale";
import { settingsCatalog } from "@/i18n/settings-catalog";
import { aBeginning } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { Popularity } from "./popularity";

const off = {
  isOn: false,
  lastAt: null,
  requests: null,
  failures: null,
  error: null,
  pausedUntil: null,
};

function serve(bookmarkCounts: object) {
  return mockServer({
    "GET /api/me": { body: aBeginning() },
    "GET /api/site": {
      body: { signUp: "closed", bookmarkCounts, hackerNewsPoints: false, publicPages: null },
    },
    "PUT /api/site": {
      body: {
        signUp: "closed",
        bookmarkCounts: { ...off, isOn: true },
        hackerNewsPoints: true,
        publicPages: null,
      },
    },
  });
}

it("says what is sent to whom, and switches counts on", async () => {
  const { calls } = serve(off);
  renderApp(<Popularity />);
  const toggle = await screen.findByRole("switch", { name: /^Show Hatena bookmark counts/ });
  expect(screen.getByText(/sent to Hatena Co., Ltd. in Japan/)).toBeTruthy();
  await userEvent.click(toggle);
  await screen.findByText("The first counts arrive within about an hour.");
  expect(calls.find(({ route }) => route === "PUT /api/site")?.body).toEqual({
    bookmarkCounts: { isOn: true },
  });
});

it("switches points of Hacker News on by themselves", async () => {
  const { calls } = serve(off);
  renderApp(<Popularity />);
  await userEvent.click(await screen.findByRole("switch", { name: /^Show points of Hacker News/ }));
  await expect.poll(() => calls.some(({ route }) => route === "PUT /api/site")).toBe(true);
  expect(calls.find(({ route }) => route === "PUT /api/site")?.body).toEqual({
    hackerNewsPoints: true,
  });
});

it("says why counts are late, in Japanese", async () => {
  await activateLocale("ja");
  await loadPart(settingsCatalog);
  serve({
    ...off,
    isOn: true,
    lastAt: "2026-01-01T00:00:00Z",
    requests: 3,
    failures: 4,
    error: {
      code: "counts_failed",
      message: "はてなブックマークから応答がありませんでした。",
      action: "自動的に再試行します。",
    },
    pausedUntil: "2099-01-01T00:00:00Z",
  });
  renderApp(<Popularity />);
  const note = await screen.findByText(/応答がありませんでした。/);
  expect(note.textContent).toMatch(/2099年.*まで停止しています。/);
  expect(screen.getByText(/リクエスト3件/)).toBeTruthy();
});
