import { renderHook } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { setPreference } from "@/data/preferences";
import { parseRoute, type ReaderRoute, readerPath } from "@/data/routes";
import { adoptSettings, defaults, getSetting } from "@/data/settings";
import { mockServer } from "@/testing/server";
import { orderedAs } from "./deferred/list-menu";
import { chooseFilter, chooseMode, useShape } from "./use-shape";

const routeOf = (path: string) => {
  const [at = "", search = ""] = path.split("?");
  return parseRoute(at, search) as ReaderRoute;
};
const modeAt = (path: string, isPhone = false) =>
  renderHook(() => useShape(routeOf(path), isPhone)).result.current.mode;

beforeEach(() => {
  adoptSettings(defaults);
  setPreference("modes", "{}");
});

it("skims many sources and reads one, until one mode is preferred for all", () => {
  const paths = ["/all", "/folder/3", "/search?q=tea", "/feed/1", "/starred", "/label/2"];
  const modes = () => paths.map((path) => modeAt(path));
  expect(modes()).toEqual(["skim", "skim", "skim", "read", "read", "read"]);
  adoptSettings({ ...defaults, layout: "split" });
  expect(new Set(modes())).toEqual(new Set(["read"]));
  adoptSettings({ ...defaults, layout: "inline" });
  expect(new Set(modes())).toEqual(new Set(["skim"]));
  adoptSettings({ ...defaults, defaultView: "magazine" });
  expect(new Set(modes())).toEqual(new Set(["read"]));
  adoptSettings({ ...defaults, defaultView: "card" });
  expect(new Set(modes())).toEqual(new Set(["gallery"]));
});

it("looks as its address says for that visit, and keeps nothing of it", () => {
  const { calls } = mockServer({});
  expect(modeAt("/all?v=gallery")).toBe("gallery");
  expect(modeAt("/all?v=card"), "an older address").toBe("gallery");
  expect(modeAt("/all")).toBe("skim");
  expect(orderedAs(routeOf("/all?v=stream"), "old"), "the same visit").toBe("/all?v=stream&o=old");
  expect([getSetting("defaultView"), calls]).toEqual(["list", []]);
});

it("keeps the mode that is chosen for a list, and writes it into the address", () => {
  history.replaceState(null, "", "/feed/1?f=unread&v=gallery&o=old");
  chooseMode(routeOf("/feed/1?f=unread&v=gallery&o=old"), "stream");
  expect(location.pathname + location.search).toBe("/feed/1?f=unread&v=stream&o=old");
  expect([modeAt("/feed/1"), modeAt("/feed/2")]).toEqual(["stream", "read"]);
  chooseMode(routeOf("/search?q=tea"), "read");
  expect(modeAt("/search?q=other"), "of all searches").toBe("read");
});

it("keeps the filter that is chosen for a feed, for addresses without one", () => {
  setPreference("filters", "{}");
  chooseFilter(routeOf("/feed/1?v=skim"), "unread");
  expect(location.pathname + location.search).toBe("/feed/1?f=unread&v=skim");
  expect([routeOf("/feed/1").filter, routeOf("/feed/2").filter]).toEqual(["unread", "all"]);
  expect(readerPath(routeOf("/feed/1").stream)).toBe("/feed/1");
  expect(readerPath(routeOf("/feed/1").stream, "all"), "not as it was kept").toBe("/feed/1?f=all");
  expect(routeOf("/feed/1?f=all").filter).toBe("all");
  chooseFilter(routeOf("/feed/1?f=unread"), "all");
  expect([location.pathname + location.search, routeOf("/feed/1").filter]).toEqual([
    "/feed/1",
    "all",
  ]);
  chooseFilter(routeOf("/all"), "unread");
  expect(routeOf("/all").filter, "unread is a list of its own").toBe("all");
});

it("is one list on a phone, and Stream", () => {
  expect([modeAt("/all", true), modeAt("/all?v=stream", true)]).toEqual(["read", "stream"]);
});
