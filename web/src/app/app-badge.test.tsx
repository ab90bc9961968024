import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { setPreference } from "@/data/preferences";
import { forgetSettings } from "@/data/settings";
import { openApp } from "@/testing/app";
import { aBeginning, aFeed } from "@/testing/fixtures";

const set = vi.fn(async (_?: number) => undefined);
const clear = vi.fn(async () => undefined);

beforeEach(() => {
  set.mockClear();
  clear.mockClear();
  vi.stubGlobal("navigator", Object.assign(navigator, { setAppBadge: set, clearAppBadge: clear }));
});
afterEach(() => {
  setPreference("badge", "off");
  forgetSettings();
});

function open() {
  const bar = { feeds: [aFeed({ id: "1" })], totals: { feeds: 1, unread: 42, starred: 0 } };
  openApp("/settings/offline", {
    "GET /api/me": { body: { ...aBeginning(), ...bar } },
    "GET /api/feeds": { body: bar },
  });
}

it("shows the unread count on the icon only where it is wanted", async () => {
  open();
  const box = await screen.findByRole("switch", { name: /unread count on the app icon/ });
  expect(box.ariaChecked).toBe("false");
  expect(set).not.toHaveBeenCalled();
  await userEvent.click(box);
  await waitFor(() => expect(set).toHaveBeenCalledWith(42));
  await userEvent.click(box);
  await waitFor(() => expect(clear).toHaveBeenCalled());
});
