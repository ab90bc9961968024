import { renderHook } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { parseRoute, type ReaderRoute } from "@/data/routes";
import { adoptSettings, defaults, getSetting } from "@/data/settings";
import { mockServer } from "@/testing/server";
import { orderedAs } from "./deferred/list-view-menu";
import { chooseView, useShape } from "./use-shape";

const routeOf = (search: string) => parseRoute("/all", search) as ReaderRoute;
const viewAt = (search: string) => renderHook(() => useShape(routeOf(search))).result.current.view;

beforeEach(() => adoptSettings(defaults));

it("looks as its address says for that visit, and keeps nothing of it", () => {
  const { calls } = mockServer({});
  expect(viewAt("?v=card")).toBe("card");
  expect(viewAt("")).toBe("list");
  expect(orderedAs(routeOf("?v=card"), "old"), "the same visit").toBe("/all?v=card&o=old");
  expect([getSetting("defaultView"), calls]).toEqual(["list", []]);
});

it("keeps a view that is chosen, and is no longer bound to what the address said", async () => {
  const { calls } = mockServer({
    "PUT /api/user/preferences": { body: { ...defaults, defaultView: "magazine" } },
  });
  history.replaceState(null, "", "/all?f=unread&v=card&o=old");
  chooseView(routeOf(location.search), "magazine");
  expect(location.pathname + location.search).toBe("/all?f=unread&o=old");
  await vi.waitFor(() =>
    expect(calls.map(({ route, body }) => [route, body])).toEqual([
      ["PUT /api/user/preferences", { defaultView: "magazine" }],
    ]),
  );
  expect(viewAt("")).toBe("magazine");
});
