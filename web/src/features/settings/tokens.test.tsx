import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { aBeginning } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer, problem } from "@/testing/server";
import { Tokens } from "./tokens";

const made = {
  token: "ruri_live_x",
  id: "1",
  name: "Ticker",
  scopes: ["read"],
  description: "",
  createdAt: "2026-11-22T00:00:00Z",
  createdBy: null,
  createdOn: null,
  createdIn: null,
  revokedAt: null,
  expiresAt: null,
  lastUsedAt: null,
  lastUsedBy: null,
};

function serve() {
  let isFresh = false;
  return mockServer({
    "GET /api/me": { body: aBeginning() },
    "GET /api/tokens": { body: { tokens: [] } },
    "GET /api/sessions": { body: { sessions: [] } },
    "GET /api/auth/methods": { body: { password: true, passkey: false, providers: [] } },
    "POST /api/auth/login": () => {
      isFresh = true;
      return { body: { user: {} } };
    },
    "POST /api/tokens": () =>
      isFresh ? { status: 201, body: made } : problem(403, "sign_in_again", "auth"),
  });
}

async function ask() {
  const user = userEvent.setup();
  await user.type(await screen.findByLabelText("Name (e.g. the app)"), "Ticker");
  await user.click(screen.getByRole("button", { name: "Create token" }));
  await screen.findByText("Sign in again to continue.");
  return user;
}

it("makes a token after signing in again, where the sign-in was too old", async () => {
  const { calls } = serve();
  renderApp(<Tokens />);
  const user = await ask();
  await user.type(screen.getByLabelText("Password"), "correct horse");
  await user.click(screen.getByRole("button", { name: "Sign in" }));
  const field = await screen.findByLabelText<HTMLInputElement>("Token");
  expect(field.value).toBe("ruri_live_x");
  expect(calls.filter(({ route }) => route === "POST /api/tokens").length).toBe(2);
});

it("keeps what was typed, and says why, where nobody signs in again", async () => {
  serve();
  renderApp(<Tokens />);
  const user = await ask();
  await user.click(screen.getByRole("button", { name: "Close" }));
  await screen.findByRole("alert");
  expect(screen.getByLabelText<HTMLInputElement>("Name (e.g. the app)").value).toBe("Ticker");
});

it("lets whoever came by a link set a first password, and then goes on", async () => {
  let password = "";
  const here = {
    id: "1",
    device: null,
    method: "link",
    network: null,
    createdAt: "2020-01-01T00:00:00Z",
    lastActiveAt: "2020-01-01T00:00:00Z",
    isCurrent: true,
  };
  const { calls } = mockServer({
    "GET /api/me": { body: aBeginning({ hasPassword: false }) },
    "GET /api/tokens": { body: { tokens: [] } },
    "GET /api/sessions": { body: { sessions: [here] } },
    "DELETE /api/sessions/{id}": { status: 204 },
    "GET /api/auth/methods": { body: { password: true, passkey: false, providers: [] } },
    "PUT /api/users/me/password": () => {
      password = "set";
      return { status: 204 };
    },
    "POST /api/auth/login": () => {
      if (password === "set") password = "used";
      return { body: { user: {} } };
    },
    "POST /api/tokens": () =>
      password === "used" ? { status: 201, body: made } : problem(403, "sign_in_again", "auth"),
  });
  renderApp(<Tokens />);
  const user = await ask();
  await user.type(
    await screen.findByLabelText("New password (at least 8 characters)"),
    "correct horse",
  );
  await user.click(screen.getByRole("button", { name: "Set password" }));
  expect((await screen.findByLabelText<HTMLInputElement>("Token")).value).toBe("ruri_live_x");
  expect(calls.some(({ route }) => route === "PUT /api/users/me/password")).toBe(true);
});

it("tells tokens that work from those that are over", async () => {
  mockServer({
    "GET /api/me": { body: aBeginning() },
    "GET /api/tokens": {
      body: {
        tokens: [
          { ...made, description: "For the hall", createdBy: "Firefox on Linux" },
          {
            ...made,
            id: "2",
            name: "Old",
            revokedAt: new Date(Date.now() - 3 * 86_400_000).toISOString(),
          },
          { ...made, id: "3", name: "Older", expiresAt: "2020-01-01T00:00:00Z" },
        ],
      },
    },
  });
  renderApp(<Tokens />);
  await screen.findByText("For the hall");
  expect(screen.getAllByRole("button", { name: /^Revoke/ }).length).toBe(1);
  expect(screen.getByText("2 expired or revoked tokens")).toBeTruthy();
  expect(screen.getByText(/revoked .* ago/)).toBeTruthy();
  expect(screen.getByText(/expired$/)).toBeTruthy();
});
