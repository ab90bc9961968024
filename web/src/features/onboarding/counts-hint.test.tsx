import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { aBeginning } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { CountsHint } from "./counts-hint";

const serve = (isOwner: boolean, bookmarkCounts: boolean) =>
  mockServer({ "GET /api/me": { body: { ...aBeginning({ isOwner }), bookmarkCounts } } });

it("suggests counts to the owner once, and says what is sent", async () => {
  serve(true, false);
  const { unmount } = renderApp(<CountsHint />);
  await screen.findByText(/are sent to Hatena/);
  expect(screen.getByRole("link").getAttribute("href")).toBe("/settings/popularity");
  await userEvent.click(screen.getByRole("button", { name: "Got it" }));
  expect(screen.queryByRole("complementary")).toBeNull();
  unmount();
  renderApp(<CountsHint />);
  expect(screen.queryByRole("complementary")).toBeNull();
});

it.each([
  [false, false],
  [true, true],
])("suggests nothing where the owner is %s and counts are on is %s", async (isOwner, isOn) => {
  localStorage.clear();
  const { calls } = serve(isOwner, isOn);
  renderApp(<CountsHint />);
  await expect.poll(() => calls.length).toBe(1);
  expect(screen.queryByRole("complementary")).toBeNull();
});
