import { renderHook } from "@testing-library/react";
import { expect, it } from "vitest";
import { parseRoute } from "./routes";
import { useListRoute } from "./use-route";

const at = (path: string) => parseRoute(path.split("?")[0] ?? "", path.split("?")[1] ?? "");

it("keeps the route of a list while one walks from item to item", () => {
  const { result, rerender } = renderHook(({ path }) => useListRoute(at(path)), {
    initialProps: { path: "/feed/1?v=read" },
  });
  const list = result.current;
  for (const path of ["/feed/1/i/7?v=read", "/feed/1/i/8?v=read", "/feed/1?v=read"]) {
    rerender({ path });
    expect(result.current, path).toBe(list);
  }
  for (const path of ["/feed/1?v=skim", "/feed/1?f=unread&v=skim", "/feed/2", "/settings"]) {
    const before = result.current;
    rerender({ path });
    expect(result.current, path).not.toBe(before);
  }
});
