import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { mockServer, problem } from "@/testing/server";
import { ApiError } from "./api-error";
import { api, onSignedOut } from "./client";
import { useIsDelayed } from "./connection";

async function failureOf(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.catch((cause: unknown) => cause);
  if (!(error instanceof ApiError)) throw new Error(`not an ApiError: ${error}`);
  return error;
}

it("fills path and query, and reads the answer", async () => {
  const { calls } = mockServer({
    "GET /api/feeds/7/items": { body: { items: [], nextCursor: null, feed: {} } },
  });
  const page = await api.get("/api/feeds/{id}/items", {
    path: { id: "7" },
    query: { filter: "unread", limit: 50 },
  });
  expect(page.items).toEqual([]);
  expect(calls[0]?.search).toBe("?filter=unread&limit=50");
});

it("answers undefined to 204", async () => {
  mockServer({ "DELETE /api/feeds/7": { status: 204 } });
  await expect(api.delete("/api/feeds/{id}", { path: { id: "7" } })).resolves.toBeUndefined();
});

it("throws the server's problem with request id and wait", async () => {
  mockServer({
    "POST /api/feeds/7/refresh": {
      ...problem(409, "too_soon", "feed", { nextAt: "2026-11-21T12:00:00Z" }),
      headers: { "X-Request-Id": "abc", "Retry-After": "30" },
    },
  });
  const error = await failureOf(api.post("/api/feeds/{id}/refresh", { path: { id: "7" } }));
  expect(error).toMatchObject({
    status: 409,
    code: "too_soon",
    category: "feed",
    requestId: "abc",
    retryAfter: 30,
  });
  expect(error.problem.nextAt).toBe("2026-11-21T12:00:00Z");
});

it("tells an unreachable server from one that refuses", async () => {
  mockServer({ "GET /api/me": new TypeError("failed to fetch") });
  expect(await failureOf(api.get("/api/me"))).toMatchObject({ status: 0, category: "offline" });
});

it("survives an answer that is not ours", async () => {
  vi.stubGlobal("fetch", async () => new Response("<html>502</html>", { status: 502 }));
  expect(await failureOf(api.get("/api/me"))).toMatchObject({
    status: 502,
    code: "internal",
    category: "system",
  });
});

it("tells the frame of an expired sign-in, but not of a wrong password", async () => {
  const heard = vi.fn();
  const stop = onSignedOut(heard);
  mockServer({
    "POST /api/auth/login": problem(401, "wrong_login", "auth"),
    "GET /api/feeds": problem(401, "not_signed_in", "auth"),
  });
  await failureOf(api.post("/api/auth/login", { body: { email: "a", password: "b" } }));
  expect(heard).not.toHaveBeenCalled();
  await failureOf(api.get("/api/feeds"));
  expect(heard).toHaveBeenCalledTimes(1);
  stop();
});

describe("a 429", () => {
  const busy = (after?: string) => ({
    ...problem(429, "rate_limited", "validation"),
    ...(after ? { headers: { "Retry-After": after } } : {}),
  });
  const later = (answers: unknown[]) => () => (answers.shift() ?? { body: { feeds: [] } }) as never;

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("to a reading request is waited out, as long as the server says", async () => {
    const { calls } = mockServer({ "GET /api/feeds": later([busy("4"), busy()]) });
    const { result } = renderHook(() => useIsDelayed());
    const answer = api.get("/api/feeds");
    await act(() => vi.advanceTimersByTimeAsync(3999));
    expect(calls).toHaveLength(1);
    expect(result.current).toBe(true);
    await act(() => vi.advanceTimersByTimeAsync(1));
    expect(calls).toHaveLength(2);
    await act(() => vi.advanceTimersByTimeAsync(2000));
    await expect(answer).resolves.toEqual({ feeds: [] });
    expect(result.current).toBe(false);
  });

  it("is waited for no longer than the answer is wanted", async () => {
    const { calls } = mockServer({ "GET /api/feeds": () => busy("4") });
    const { result } = renderHook(() => useIsDelayed());
    const wanted = new AbortController();
    const answer = api.get("/api/feeds", { signal: wanted.signal });
    const end = expect(answer).rejects.toMatchObject({ name: "AbortError" });
    await act(() => vi.advanceTimersByTimeAsync(1000));
    await act(async () => wanted.abort());
    await end;
    await act(() => vi.advanceTimersByTimeAsync(10_000));
    expect(calls).toHaveLength(1);
    expect(result.current).toBe(false);
  });

  it("without an end is told in the end", async () => {
    const { calls } = mockServer({ "GET /api/feeds": () => busy("1") });
    const end = expect(api.get("/api/feeds")).rejects.toMatchObject({ status: 429 });
    await vi.advanceTimersByTimeAsync(60_000);
    await end;
    expect(calls).toHaveLength(21);
  });

  it("to a change is the business of who made it", async () => {
    const { calls } = mockServer({ "DELETE /api/feeds/7": busy("4") });
    expect(await failureOf(api.delete("/api/feeds/{id}", { path: { id: "7" } }))).toMatchObject({
      status: 429,
      retryAfter: 4,
    });
    expect(calls).toHaveLength(1);
  });
});
