import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { defaults } from "@/data/settings";
import { openApp } from "@/testing/app";
import { aBeginning } from "@/testing/fixtures";
import { problem } from "@/testing/server";

it("puts the old value back where a choice is refused, and says why (ja)", async () => {
  let answer: ReturnType<typeof problem> = problem(409, "settings_contended", "validation", {
    message: "設定への変更が重なりました。",
    action: "もう一度お試しください。",
  });
  const { calls } = openApp("/settings/reading", {
    "GET /api/me": { body: { ...aBeginning(), preferences: { ...defaults, language: "ja" } } },
    "PUT /api/user/preferences": () => answer,
  });
  const mark = await screen.findByRole<HTMLInputElement>("switch", { name: "記事を開いた時" });
  await userEvent.click(mark);
  await screen.findByText("設定への変更が重なりました。もう一度お試しください。");
  await waitFor(() => expect(mark.checked).toBe(true));

  answer = { status: 200, body: { ...defaults, language: "ja", autoMarkAsRead: false } };
  await userEvent.click(mark);
  await waitFor(() => expect(mark.checked).toBe(false));
  const saves = () => calls.filter(({ route }) => route === "PUT /api/user/preferences");
  await waitFor(() => expect(saves()).toHaveLength(2));
  expect(saves().map(({ body }) => body)).toEqual([
    { autoMarkAsRead: false },
    { autoMarkAsRead: false },
  ]);
  expect(mark.checked).toBe(false);
});
