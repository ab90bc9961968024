import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render";
import { mockServer, problem } from "@/testing/server";
import { showUndo, undoLast } from "@/ui/toasts";
import { LoginScreen } from "./login-screen";

beforeEach(() => history.replaceState(null, "", "/login"));

async function fillIn() {
  const user = userEvent.setup();
  await user.type(screen.getByLabelText("Email address"), "owner@example.jp");
  await user.type(screen.getByLabelText("Password"), "correct horse");
  await user.click(screen.getByRole("button", { name: "Sign in" }));
}

it("signs in and goes back to where the person was", async () => {
  const { calls } = mockServer({ "POST /api/auth/login": { body: { user: {} } } });
  renderApp(<LoginScreen next="/feed/3?f=unread" reason={null} />);
  expect(screen.getByLabelText("Email address")).toBe(document.activeElement);
  await fillIn();
  expect(calls[0]?.body).toEqual({ email: "owner@example.jp", password: "correct horse" });
  expect(location.pathname + location.search).toBe("/feed/3?f=unread");
});

it("takes nothing back of who was here before", () => {
  const undo = vi.fn();
  showUndo("Unsubscribed from a feed", undo);
  renderApp(<LoginScreen next="/" reason={null} />);
  expect(undoLast()).toBe(false);
  expect(undo).not.toHaveBeenCalled();
});

const ways = {
  password: true,
  passkey: true,
  providers: [{ id: "google" as const, name: "Google", url: "/auth/google/login" }],
  signUp: "open" as const,
  isInvited: false,
};

it("offers what the reader offers, and leads back to where the person was", () => {
  vi.stubGlobal("PublicKeyCredential", class {});
  renderApp(<LoginScreen next="/feed/3?f=unread" reason={null} ways={ways} />);
  expect(screen.getByRole("button", { name: "Sign in with a passkey" })).toBeDefined();
  expect(screen.getByRole("link", { name: "Sign in with Google" }).getAttribute("href")).toBe(
    "/auth/google/login?next=%2Ffeed%2F3%3Ff%3Dunread",
  );
  expect(screen.getByRole("link", { name: "Create an account" }).getAttribute("href")).toBe(
    "/signup",
  );
});

it("offers nothing that does not work here", () => {
  const bare = { ...ways, passkey: false, providers: [], signUp: "invitation" as const };
  renderApp(<LoginScreen next="/" reason={null} ways={bare} />);
  expect(screen.queryByRole("button", { name: "Sign in with a passkey" })).toBeNull();
  expect(screen.queryAllByRole("link")).toEqual([]);
});

it("says why a sign-in elsewhere failed", async () => {
  mockServer({
    "GET /api/auth/errors/provider_denied": {
      body: { code: "provider_denied", message: "Denied." },
    },
  });
  renderApp(<LoginScreen next="/" reason="provider_denied" ways={ways} />);
  expect((await screen.findByRole("alert")).textContent).toContain("Denied.");
});

it("signs up", async () => {
  const { calls } = mockServer({ "POST /api/auth/signup": { status: 201, body: { user: {} } } });
  renderApp(<LoginScreen next="/" reason={null} ways={ways} isNew />);
  const user = userEvent.setup();
  await user.type(screen.getByLabelText("Email address"), "new@example.jp");
  await user.type(screen.getByLabelText("Password"), "correct horse");
  await user.click(screen.getByRole("button", { name: "Sign up" }));
  expect(calls[0]?.body).toEqual({ email: "new@example.jp", password: "correct horse" });
  expect(location.pathname).toBe("/");
  expect(screen.getByRole("link", { name: "Sign up with Google" })).toBeDefined();
});

it("says that the password is wrong, and lets it be typed again", async () => {
  mockServer({ "POST /api/auth/login": problem(401, "wrong_login", "auth") });
  renderApp(<LoginScreen next="/" reason={null} />);
  await fillIn();
  expect((await screen.findByRole("alert")).textContent).toContain("message of wrong_login");
  expect(screen.getByLabelText("Password")).toBe(document.activeElement);
  expect(location.pathname).toBe("/login");
});

it("says that the reader cannot be reached", async () => {
  mockServer({ "POST /api/auth/login": new TypeError("offline") });
  renderApp(<LoginScreen next="/" reason={null} />);
  await fillIn();
  expect((await screen.findByRole("alert")).textContent).toContain("The server cannot be reached.");
});

it("tells of the one-time link, and why one did not work", () => {
  renderApp(<LoginScreen next="/" reason="link" />);
  expect(screen.getByText(/Open the one-time link that/).textContent).toContain("ruri link");
  expect(screen.getByText(/This sign-in link has been used or has expired/)).toBeDefined();
});

it("changes the language at once and remembers it", async () => {
  renderApp(<LoginScreen next="/" reason={null} />);
  await userEvent.selectOptions(screen.getByRole("combobox"), "ja");
  expect(await screen.findByRole("button", { name: "ログイン" })).toBeDefined();
  expect(JSON.parse(localStorage.getItem("ruri.settings") ?? "{}").language).toBe("ja");
  expect(document.documentElement.lang).toBe("ja");
});
