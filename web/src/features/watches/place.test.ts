import { expect, it } from "vitest";
import { newWatchPath } from "@/data/watch-path";
import { parsePlace, searchPath, trendPath } from "./place";

const at = (address: string) => {
  const { pathname, search } = new URL(address, "http://ruri.test");
  return parsePlace(pathname, search);
};

it.each([
  ["/watches", { page: "list" }],
  ["/watches/", { page: "list" }],
  ["/watches/new", { page: "new", from: { url: "" } }],
  ["/watches/7", { page: "results", id: "7" }],
  ["/watches/7/edit", { page: "edit", id: "7" }],
  ["/watches/7/trend", { page: "trend", id: "7", range: "30d" }],
  ["/watches/7/trend?range=1y", { page: "trend", id: "7", range: "1y" }],
  ["/watches/7/trend?range=2y", { page: "trend", id: "7", range: "30d" }],
  ["/watches/7/prices", { page: "missing" }],
  ["/watches/7/trend/x", { page: "missing" }],
  ["/watches/seven", { page: "missing" }],
  ["/watches/new/edit", { page: "missing" }],
])("%s", (address, want) => expect(at(address)).toEqual(want));

it("reads what it writes", () => {
  const url = "https://shop.example/search?q=Leica M6&sort=price#top";
  expect(at(newWatchPath(url))).toEqual({ page: "new", from: { url } });
  const query = { keyword: "Leica M6", category: "カメラ", min: 1000, max: 20_000 };
  expect(at(searchPath("shop", query))).toEqual({ page: "new", from: { adapter: "shop", query } });
  expect(at("/watches/new?adapter=shop&min=x&max=")).toEqual({
    page: "new",
    from: { adapter: "shop", query: {} },
  });
  expect(at(trendPath("7", "all"))).toEqual({ page: "trend", id: "7", range: "all" });
  expect(at(trendPath("7", "30d"))).toEqual({ page: "trend", id: "7", range: "30d" });
});
