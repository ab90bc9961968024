import { QueryClientProvider } from "@tanstack/react-query";
import { renderHook } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { noteReached } from "@/data/connection";
import { itemQuery } from "@/data/item";
import { setSettings } from "@/data/settings";
import type { ItemSummary } from "@/data/types";
import { aFullItem, anItem } from "@/testing/fixtures";
import { testClient } from "@/testing/render";
import { mockServer } from "@/testing/server";
import type { Actions } from "./actions";
import { runDue } from "./after-paint";
import { useAutoRead } from "./use-auto-read";

afterEach(() => {
  noteReached(true);
  void setSettings({ autoMarkAsRead: true });
});

/** Goes from item to item while no text ever comes; gives what was marked read. */
function skim(items: readonly ItemSummary[]): string[] {
  mockServer({
    "GET /api/items/1": () => new Promise(() => undefined),
    "GET /api/items/2": () => new Promise(() => undefined),
  });
  const setRead = vi.fn();
  const client = testClient();
  const { rerender, unmount } = renderHook(
    ({ item }) => useAutoRead(item.id, item, { setRead } as unknown as Actions),
    {
      initialProps: { item: items[0] as ItemSummary },
      wrapper: ({ children }) => (
        <QueryClientProvider client={client}>{children}</QueryClientProvider>
      ),
    },
  );
  for (const item of items.slice(1)) rerender({ item });
  unmount();
  return setRead.mock.calls.map(([item]) => item.id);
}

const one = anItem({ id: "1" });
const two = anItem({ id: "2" });

test("an item is read when it is opened, whether its text has come or not", () => {
  expect(skim([one, two])).toEqual(["1", "2"]);
});

test("once: marked unread by hand, it stays so while it is open", () => {
  expect(skim([one, anItem({ id: "1" })])).toEqual(["1"]);
});

test("nothing is marked where the person marks by hand", () => {
  void setSettings({ autoMarkAsRead: false });
  expect(skim([one, two])).toEqual([]);
});

test("without a network, what cannot be shown is not read", () => {
  noteReached(false);
  expect(skim([one, two])).toEqual([]);
});

test("going to a known item renders once", () => {
  const client = testClient();
  for (const id of ["1", "2"]) client.setQueryData(itemQuery(id).queryKey, aFullItem({ id }));
  let renders = 0;
  const { rerender } = renderHook(
    ({ item }) => {
      renders += 1;
      return useAutoRead(item.id, item, { setRead: vi.fn() } as unknown as Actions);
    },
    {
      initialProps: { item: one },
      wrapper: ({ children }) => (
        <QueryClientProvider client={client}>{children}</QueryClientProvider>
      ),
    },
  );
  rerender({ item: two });
  expect(renders).toBe(2);
});

test("the mark comes after the frame, but before what the person does to it", () => {
  const setRead = vi.fn();
  renderHook(() => useAutoRead("1", one, { setRead } as unknown as Actions), {
    wrapper: ({ children }) => (
      <QueryClientProvider client={testClient()}>{children}</QueryClientProvider>
    ),
  });
  expect(setRead).not.toHaveBeenCalled();
  runDue();
  runDue();
  expect(setRead).toHaveBeenCalledTimes(1);
});
