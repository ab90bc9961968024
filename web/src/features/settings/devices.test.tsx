import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { renderApp } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { Devices } from "./devices";

const session = (id: string, isCurrent: boolean) => ({
  id,
  device: "Firefox on Linux",
  method: "password",
  network: null,
  createdAt: "2026-11-22T00:00:00Z",
  lastActiveAt: "2026-11-22T00:00:00Z",
  isCurrent,
});

it.each([
  { unticks: false, search: "?revokeTokens=true" },
  { unticks: true, search: "?revokeTokens=false" },
])("revokes tokens with the other devices unless one says no: $search", async (given) => {
  const { calls } = mockServer({
    "GET /api/sessions": { body: { sessions: [session("1", true), session("2", false)] } },
    "DELETE /api/sessions": { body: { ended: 1, revokedTokens: 0 } },
  });
  renderApp(<Devices />);
  const user = userEvent.setup();
  const revoke = await screen.findByLabelText("Also revoke API tokens and app passwords");
  if (given.unticks) await user.click(revoke);
  await user.click(screen.getByRole("button", { name: "Sign out all other devices" }));
  await screen.findByText("1 device signed out");
  expect(calls.find(({ route }) => route === "DELETE /api/sessions")?.search).toBe(given.search);
});
