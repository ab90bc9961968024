import { act, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { useStats } from "@/data/stats";
import { renderApp } from "@/testing/render";
import { mockServer, problem } from "@/testing/server";
import { OfflineBar } from "./offline-bar";

afterEach(() => void vi.useRealTimers());

function Shown() {
  const { data, isError, refetch } = useStats(7);
  return (
    <>
      <button type="button" onClick={() => void refetch()}>
        Again
      </button>
      <p>{isError ? "failed" : data ? `failing: ${data.failing.length}` : "nothing"}</p>
      <OfflineBar />
    </>
  );
}

it("keeps what is shown while the server asks for a pause, says so, and goes on by itself", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  let asked = 0;
  mockServer({
    "GET /api/stats": () => {
      asked += 1;
      if (asked === 2)
        return { ...problem(429, "rate_limited", "validation"), headers: { "Retry-After": "30" } };
      return { body: { days: [], units: {}, failing: asked > 2 ? [{}] : [] } };
    },
  });
  renderApp(<Shown />);
  await screen.findByText("failing: 0");
  screen.getByRole("button").click();
  await screen.findByText("The server is busy. The rest will load automatically.");
  expect(screen.getByText("failing: 0")).toBeDefined();
  await act(() => vi.advanceTimersByTimeAsync(30_000));
  await screen.findByText("failing: 1");
  expect(screen.queryByText(/server is busy/)).toBeNull();
});
