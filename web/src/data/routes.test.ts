import { describe, expect, it } from "vitest";
import { current, loginPath, parseRoute, readerPath, type Stream } from "./routes";

describe("parseRoute", () => {
  it.each([
    [
      "/all",
      "",
      {
        screen: "reader",
        stream: { kind: "all" },
        filter: "all",
        item: null,
        mode: null,
        order: null,
      },
    ],
    [
      "/all/",
      "?f=unread",
      {
        screen: "reader",
        stream: { kind: "all" },
        filter: "unread",
        item: null,
        mode: null,
        order: null,
      },
    ],
    [
      "/starred/i/9",
      "",
      {
        screen: "reader",
        stream: { kind: "starred" },
        filter: "all",
        item: "9",
        mode: null,
        order: null,
      },
    ],
    [
      "/starred",
      "?f=unread",
      {
        screen: "reader",
        stream: { kind: "starred" },
        filter: "all",
        item: null,
        mode: null,
        order: null,
      },
    ],
    [
      "/feed/12/i/345",
      "?f=starred",
      {
        screen: "reader",
        stream: { kind: "feed", id: "12" },
        filter: "starred",
        item: "345",
        mode: null,
        order: null,
      },
    ],
    [
      "/feed/12",
      "?f=nonsense",
      {
        screen: "reader",
        stream: { kind: "feed", id: "12" },
        filter: "all",
        item: null,
        mode: null,
        order: null,
      },
    ],
    [
      "/folder/3/i/9",
      "?f=unread&v=gallery&o=old",
      {
        screen: "reader",
        stream: { kind: "folder", id: "3" },
        filter: "unread",
        item: "9",
        mode: "gallery",
        order: "old",
      },
    ],
    [
      "/label/4",
      "?v=wall",
      {
        screen: "reader",
        stream: { kind: "label", id: "4" },
        filter: "all",
        item: null,
        mode: null,
        order: null,
      },
    ],
    [
      "/saved/5/i/9",
      "?f=unread&o=old",
      {
        screen: "reader",
        stream: { kind: "saved", id: "5" },
        filter: "all",
        item: "9",
        mode: null,
        order: "new",
      },
    ],
    [
      "/search/i/9",
      "?q=+%E6%A1%9C+&in=f12&f=unread&from=2026-05-03&to=2026-06-01&s=best&o=old&v=gallery",
      {
        screen: "reader",
        stream: {
          kind: "search",
          q: "桜",
          in: "f12",
          from: "2026-05-03",
          to: "2026-06-01",
          sort: "best",
        },
        filter: "unread",
        item: "9",
        mode: "gallery",
        order: "new",
      },
    ],
    [
      "/search",
      "?in=x1&from=yesterday&to=2026-5-3&s=worst",
      {
        screen: "reader",
        stream: { kind: "search", q: "", in: "", from: "", to: "", sort: "date" },
        filter: "all",
        item: null,
        mode: null,
        order: "new",
      },
    ],
    ["/search/5", "", { screen: "missing" }],
    ["/saved", "", { screen: "missing" }],
    ["/folder", "", { screen: "missing" }],
    ["/subscriptions", "", { screen: "subscriptions", feed: null }],
    ["/subscriptions/12", "", { screen: "subscriptions", feed: "12" }],
    ["/subscriptions/x", "", { screen: "missing" }],
    ["/rules", "", { screen: "rules" }],
    ["/settings", "", { screen: "settings", section: null }],
    ["/settings/keys", "", { screen: "settings", section: "keys" }],
    ["/settings/keys/1", "", { screen: "missing" }],
    ["/welcome", "", { screen: "welcome" }],
    [
      "/add",
      "?url=&text=Read+this:+https://example.jp/a+!&title=x",
      { screen: "add", url: "https://example.jp/a" },
    ],
    ["/add", "?text=example.jp", { screen: "add", url: "example.jp" }],
    ["/add", "?url=https%3A%2F%2Fexample.jp", { screen: "add", url: "https://example.jp" }],
    ["/feed/x", "", { screen: "missing" }],
    ["/feed", "", { screen: "missing" }],
    ["/all/i/", "", { screen: "missing" }],
    ["/all/i/1/2", "", { screen: "missing" }],
    ["/stats", "", { screen: "settings", section: "server" }],
    ["/stats/x", "", { screen: "missing" }],
    ["/nowhere", "", { screen: "missing" }],
    [
      "/",
      "",
      {
        screen: "reader",
        stream: { kind: "today" },
        filter: "all",
        item: null,
        mode: null,
        order: null,
      },
    ],
    [
      "/today/i/9",
      "?f=unread",
      {
        screen: "reader",
        stream: { kind: "today" },
        filter: "all",
        item: "9",
        mode: null,
        order: null,
      },
    ],
    ["/today/9", "", { screen: "missing" }],
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
  it.each([
    "/",
    "/today/i/7",
    "/all",
    "/all?f=unread",
    "/starred/i/7",
    "/feed/4",
    "/feed/4/i/5?f=starred",
    "/folder/2/i/5?f=unread&v=read&o=old",
    "/label/2?o=new",
    "/saved/3/i/5?v=gallery",
    "/search",
    "/search/i/5?q=%E6%A1%9C%20-tea%20%22a%26b%22",
    "/search?q=tea&in=d3&from=2026-05-03&to=2026-06-01&s=best&f=starred&v=gallery",
  ])("is the inverse: %s", (url) => {
    const [path = "", search = ""] = url.split("?");
    const route = parseRoute(path, search);
    if (route.screen !== "reader") throw new Error("not a reader route");
    expect(readerPath(route.stream, route.filter, route.item, route)).toBe(url);
  });
});

describe("loginPath", () => {
  it("remembers where the person was", () => {
    expect(loginPath("/feed/3?f=unread")).toBe("/login?next=%2Ffeed%2F3%3Ff%3Dunread");
    expect(loginPath("/")).toBe("/login");
    expect(loginPath("/", "not_signed_in")).toBe("/login?e=not_signed_in");
    expect(loginPath("/starred", "not_signed_in")).toBe("/login?next=%2Fstarred&e=not_signed_in");
  });
});

describe("what is popular", () => {
  const week = { kind: "explore", tab: "hot", threshold: 3, period: "week", tag: "" } as const;
  it.each([
    ["/my/popular", "", "/my/popular/hot", week],
    ["/explore", "", "/my/popular/hot", week],
    [
      "/explore/rising",
      "?p=day",
      "/my/popular/rising?p=day",
      { ...week, tab: "rising", period: "day" },
    ],
    ["/my/popular/hot", "?n=4&p=year", "/my/popular/hot", week],
    [
      "/my/popular/new",
      "?n=50&p=all",
      "/my/popular/new?n=50&p=all",
      { ...week, tab: "new", threshold: 50, period: "all" },
    ],
    [
      "/my/popular/rising",
      "?p=day",
      "/my/popular/rising?p=day",
      { ...week, tab: "rising", period: "day" },
    ],
    [
      "/my/popular/tags",
      "?n=0&p=day",
      "/my/popular/tags?p=day",
      { ...week, tab: "tags", period: "day" },
    ],
    ["/my/popular/tags", "", "/my/popular/tags", { ...week, tab: "tags", period: "month" }],
    [
      "/my/popular/new",
      "?t=C%23%20%26%20Go",
      "/my/popular/new?t=C%23%20%26%20Go",
      { ...week, tab: "new", tag: "C# & Go", threshold: 0, period: "month" },
    ],
    [
      "/my/popular/hot",
      "?t=Go&n=3&p=week",
      "/my/popular/hot?t=Go&n=3&p=week",
      { ...week, tag: "Go" },
    ],
  ])("is %s%s", (path, search, canonical, stream) => {
    const route = parseRoute(path, search);
    expect(route).toMatchObject({ screen: "reader", stream, item: null });
    expect(readerPath(stream as Stream)).toBe(canonical);
  });

  it("opens an article within it, and knows no other tab", () => {
    expect(parseRoute("/my/popular/hot/i/7", "?n=10")).toMatchObject({ item: "7" });
    expect(readerPath({ ...week, threshold: 10 }, "all", "7")).toBe("/my/popular/hot/i/7?n=10");
    expect(parseRoute("/my/popular/best", "")).toEqual({ screen: "missing" });
    expect(parseRoute("/my/hot", "")).toEqual({ screen: "missing" });
    // The public page, which the server writes.
    expect(parseRoute("/popular", "")).toEqual({ screen: "missing" });
    expect(current("/explore/hot/i/7")).toBe("/my/popular/hot/i/7");
    expect(current("/explorer")).toBe("/explorer");
  });
});
