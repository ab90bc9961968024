import { renderHook } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { parseRoute, type ReaderRoute } from "@/data/routes";
import type { Mode } from "@/data/types";
import { anItem } from "@/testing/fixtures";
import type { ListHandle } from "./item-list";
import { useModeChange } from "./use-mode-change";

it("goes to the item that was open when Stream shows it among the others", async () => {
  history.replaceState(null, "", "/all/i/3?v=stream");
  const items = ["1", "2", "3", "4"].map((id) => anItem({ id }));
  const focusRow = vi.fn();
  const setCursor = vi.fn();
  const listHandle = { current: { focusRow } as unknown as ListHandle };
  const props = (mode: Mode, path: string) => ({
    mode,
    route: parseRoute(path, "?v=stream") as ReaderRoute,
    cursor: "3",
    openIndex: path.includes("/i/") ? 2 : -1,
    items,
    listHandle,
    setCursor,
  });
  const { rerender } = renderHook(useModeChange, { initialProps: props("read", "/all/i/3") });
  rerender(props("stream", "/all/i/3"));
  // The address no longer names it.
  expect(location.pathname).toBe("/all");
  rerender(props("stream", "/all"));
  await vi.waitFor(() => expect(focusRow).toHaveBeenCalledExactlyOnceWith(2));
  expect(setCursor).toHaveBeenCalledWith("3");
});
