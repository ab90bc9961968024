import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { activateLocale, loadPart } from "@/i18n/locale";
import { settingsCatalog } from "@/i18n/settings-catalog";
import { aBeginning } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer, problem } from "@/testing/server";
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
      body: {
        signUp: "closed",
        bookmarkCounts,
        publicPages: null,
        keyPhrases: null,
      },
    },
    "PUT /api/site": {
      body: {
        signUp: "closed",
        bookmarkCounts: { ...off, isOn: true },
        publicPages: null,
        keyPhrases: null,
      },
    },
  });
}

it("says that something is on only after the server has agreed", async () => {
  mockServer({
    "GET /api/me": { body: aBeginning() },
    "GET /api/sessions": { body: { sessions: [] } },
    "GET /api/auth/methods": { body: { password: true, passkey: false, providers: [] } },
    "GET /api/site": {
      body: {
        signUp: "closed",
        bookmarkCounts: off,
        publicPages: null,
        keyPhrases: null,
      },
    },
    "PUT /api/site": problem(403, "sign_in_again", "auth"),
  });
  renderApp(<Popularity />);
  await userEvent.click(
    await screen.findByRole("switch", { name: /^Show Hatena bookmark counts/ }),
  );
  await screen.findByText("Sign in again to continue.");
  expect(screen.queryByText("Bookmark counts on")).toBeNull();
});

it("says what is sent to whom, and switches counts on", async () => {
  const { calls } = serve(off);
  renderApp(<Popularity />);
  const toggle = await screen.findByRole("switch", { name: /^Show Hatena bookmark counts/ });
  expect(screen.getByText(/sent to Hatena Co., Ltd. in Japan/)).toBeTruthy();
  expect(screen.queryByText("Key phrases by Yahoo! JAPAN")).toBeNull();
  await userEvent.click(toggle);
  await screen.findByText("The first counts arrive within about an hour.");
  expect(calls.find(({ route }) => route === "PUT /api/site")?.body).toEqual({
    bookmarkCounts: { isOn: true },
  });
});

it("turns key phrases on with a client ID, keeps one that is refused in the form, and turns them off", async () => {
  const site = {
    signUp: "closed",
    bookmarkCounts: { ...off, isOn: true },
    publicPages: null,
  };
  const { calls } = mockServer({
    "GET /api/me": { body: aBeginning() },
    "GET /api/site": { body: { ...site, keyPhrases: { isOn: false, lastAt: null, error: null } } },
    "PUT /api/site": ({ body }) => {
      const { clientId } = (body as { keyPhrases: { clientId: string } }).keyPhrases;
      return clientId === "two words"
        ? problem(400, "bad_client_id", "validation")
        : { body: { ...site, keyPhrases: { isOn: clientId !== "", lastAt: null, error: null } } };
    },
  });
  renderApp(<Popularity />);
  const field = await screen.findByRole("textbox", { name: "Client ID" });
  await userEvent.type(field, " two words {Enter}");
  await screen.findByText(/message of bad_client_id/);
  expect((field as HTMLInputElement).value).toBe(" two words ");
  await userEvent.clear(field);
  await userEvent.type(field, "abc{Enter}");
  await screen.findByText("Key phrases are on. They are requested the next night.");
  await userEvent.click(screen.getByRole("button", { name: "Turn off" }));
  await screen.findByRole("textbox", { name: "Client ID" });
  const sent = calls.filter(({ route }) => route === "PUT /api/site").map(({ body }) => body);
  expect(sent).toEqual(["two words", "abc", ""].map((clientId) => ({ keyPhrases: { clientId } })));
});

it("says why there are no key phrases", async () => {
  const error = {
    code: "phrases_refused",
    message: "Not accepted.",
    action: "Check the client ID.",
  };
  mockServer({
    "GET /api/me": { body: aBeginning() },
    "GET /api/site": {
      body: {
        signUp: "closed",
        bookmarkCounts: { ...off, isOn: true },
        publicPages: null,
        keyPhrases: { isOn: true, lastAt: "2026-01-01T00:00:00Z", error },
      },
    },
  });
  renderApp(<Popularity />);
  await screen.findByText("Not accepted. Check the client ID.");
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
