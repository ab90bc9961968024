import { act } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { aFeed } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { useFeeds } from "./feeds";

// A hidden page costs nothing: each request of a forgotten tab would be paid for all night.

const minute = 60_000;

function SideBar() {
  const { data } = useFeeds();
  return <p>{data?.totals.unread}</p>;
}

function show(state: DocumentVisibilityState) {
  Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
  document.dispatchEvent(new Event("visibilitychange"));
  window.dispatchEvent(new Event("visibilitychange"));
}

function serve(status: "active" | "waiting") {
  return mockServer({
    "GET /api/feeds": {
      body: {
        feeds: [aFeed({ status })],
        totals: { feeds: 1, unread: 0, starred: 0 },
        limits: { feeds: 100 },
      },
    },
  });
}

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

beforeEach(() => {
  vi.useFakeTimers();
  show("visible");
});

afterEach(() => {
  vi.useRealTimers();
  show("visible");
});

it.each(["active", "waiting"] as const)(
  "asks for the side bar while it is seen, and not while it is hidden (%s feeds)",
  async (status) => {
    const { calls } = serve(status);
    renderApp(<SideBar />);
    await pass(10);
    expect(calls).toHaveLength(1);
    await pass(15 * minute);
    const seen = calls.length;
    expect(seen).toBeGreaterThan(status === "waiting" ? 100 : 2);
    if (status === "active") expect(seen).toBeLessThan(6);

    show("hidden");
    await pass(8 * 60 * minute);
    expect(calls).toHaveLength(seen);

    show("visible");
    await pass(10);
    expect(calls).toHaveLength(seen + 1);
  },
);

it("does not ask again when somebody only looks away for a moment", async () => {
  const { calls } = serve("active");
  renderApp(<SideBar />);
  await pass(10);
  for (let i = 0; i < 5; i++) {
    show("hidden");
    await pass(10_000);
    show("visible");
    await pass(10_000);
  }
  expect(calls).toHaveLength(1);
});
