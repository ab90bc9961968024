import { describe, expect, it } from "vitest";
import { loginPath, parseRoute, readerPath } from "./routes";

describe("parseRoute", () => {
  it.each([
    ["/all", "", { screen: "reader", stream: { kind: "all" }, filter: "all", item: null }],
    [
      "/all/",
      "?f=unread",
      { screen: "reader", stream: { kind: "all" }, filter: "unread", item: null },
    ],
    [
      "/starred/i/9",
      "",
      { screen: "reader", stream: { kind: "starred" }, filter: "all", item: "9" },
    ],
    [
      "/starred",
      "?f=unread",
      { screen: "reader", stream: { kind: "starred" }, filter: "all", item: null },
    ],
    [
      "/feed/12/i/345",
      "?f=starred",
      { screen: "reader", stream: { kind: "feed", id: "12" }, filter: "starred", item: "345" },
    ],
    [
      "/feed/12",
      "?f=nonsense",
      { screen: "reader", stream: { kind: "feed", id: "12" }, filter: "all", item: null },
    ],
    ["/feed/x", "", { screen: "missing" }],
    ["/feed", "", { screen: "missing" }],
    ["/all/i/", "", { screen: "missing" }],
    ["/all/i/1/2", "", { screen: "missing" }],
    ["/stats", "", { screen: "stats" }],
    ["/stats/x", "", { screen: "missing" }],
    ["/nowhere", "", { screen: "missing" }],
    ["/", "", { screen: "home" }],
    ["/login", "", { screen: "login", next: "/", reason: null }],
    [
      "/login",
      "?next=%2Ffeed%2F3%3Ff%3Dunread",
      { screen: "login", next: "/feed/3?f=unread", reason: null },
    ],
    ["/login", "?e=link", { screen: "login", next: "/", reason: "link" }],
  ])("%s%s", (path, search, want) => {
    expect(parseRoute(path, search)).toEqual(want);
  });

  it.each(["https://evil.example", "//evil.example", "/\\evil.example", "/login?next=/all"])(
    "never goes on to %s",
    (next) => {
      expect(parseRoute("/login", `?next=${encodeURIComponent(next)}`)).toMatchObject({
        next: "/",
      });
    },
  );
});

describe("readerPath", () => {
  it.each(["/all", "/all?f=unread", "/starred/i/7", "/feed/4", "/feed/4/i/5?f=starred"])(
    "is the inverse: %s",
    (url) => {
      const [path = "", search = ""] = url.split("?");
      const route = parseRoute(path, search);
      if (route.screen !== "reader") throw new Error("not a reader route");
      expect(readerPath(route.stream, route.filter, route.item)).toBe(url);
    },
  );
});

describe("loginPath", () => {
  it("remembers where the person was", () => {
    expect(loginPath("/feed/3?f=unread")).toBe("/login?next=%2Ffeed%2F3%3Ff%3Dunread");
    expect(loginPath("/")).toBe("/login");
  });
});
