import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { renderApp } from "@/testing/render";
import { mockServer, problem } from "@/testing/server";
import { LoginScreen } from "./login-screen";

beforeEach(() => history.replaceState(null, "", "/login"));

async function fillIn() {
  const user = userEvent.setup();
  await user.type(screen.getByLabelText("E-mail address"), "owner@example.jp");
  await user.type(screen.getByLabelText("Password"), "correct horse");
  await user.click(screen.getByRole("button", { name: "Sign in" }));
}

it("signs in and goes back to where the person was", async () => {
  const { calls } = mockServer({ "POST /api/auth/login": { body: { user: {} } } });
  renderApp(<LoginScreen next="/feed/3?f=unread" reason={null} />);
  expect(screen.getByLabelText("E-mail address")).toBe(document.activeElement);
  await fillIn();
  expect(calls[0]?.body).toEqual({ email: "owner@example.jp", password: "correct horse" });
  expect(location.pathname + location.search).toBe("/feed/3?f=unread");
});

it("says that the password is wrong, and lets it be typed again", async () => {
  mockServer({ "POST /api/auth/login": problem(401, "wrong_login", "auth") });
  renderApp(<LoginScreen next="/" reason={null} />);
  await fillIn();
  expect((await screen.findByRole("alert")).textContent).toContain(
    "The e-mail address or the password is not right.",
  );
  expect(screen.getByLabelText("Password")).toBe(document.activeElement);
  expect(location.pathname).toBe("/login");
});

it("says that the reader cannot be reached", async () => {
  mockServer({ "POST /api/auth/login": new TypeError("offline") });
  renderApp(<LoginScreen next="/" reason={null} />);
  await fillIn();
  expect((await screen.findByRole("alert")).textContent).toContain("The reader cannot be reached.");
});

it("tells of the one-time link, and why one did not work", () => {
  renderApp(<LoginScreen next="/" reason="link" />);
  expect(screen.getByText(/open the one-time link that/).textContent).toContain("ruri serve");
  expect(screen.getByText(/That sign-in link has been used or is too old/)).toBeDefined();
});

it("changes the language at once and remembers it", async () => {
  renderApp(<LoginScreen next="/" reason={null} />);
  await userEvent.selectOptions(screen.getByRole("combobox"), "ja");
  expect(await screen.findByRole("button", { name: "ログイン" })).toBeDefined();
  expect(localStorage.getItem("ruri.lang")).toBe("ja");
  expect(document.documentElement.lang).toBe("ja");
});
