import { expect, it } from "vitest";
import { aFeed } from "@/testing/fixtures";
import { type Entry, entryOf, filterEntries, nextSort, sortEntries } from "./columns";

const paths = new Map([["7", "技術 / Web"]]);
const entry = (over: Parameters<typeof aFeed>[0]): Entry => entryOf(aFeed(over), paths);

const entries = [
  entry({ id: "1", title: "Feed 10", folders: ["7"], unreadCount: 3, itemsPerWeek: 2 }),
  entry({ id: "2", title: "feed 9", lastItemAt: null, status: "stopped", itemsPerWeek: 0 }),
  entry({ id: "3", title: "ア", isMuted: true, intervalMinutes: 30 }),
];
const order = (by: Parameters<typeof sortEntries>[1]["by"], down = false) =>
  sortEntries(entries, { by, down }, "ja")
    .map(({ feed }) => feed.id)
    .join("");

it("sorts names as people count, and what is not known last either way", () => {
  expect(order("name")).toBe("213");
  expect(order("pace")).toBe("213");
  expect(order("pace", true)).toBe("123");
  expect(order("folder")).toBe("123");
  expect(order("folder", true)).toBe("123");
  expect(order("item", true).endsWith("2")).toBe(true);
  expect(order("state")).toBe("231");
  expect(order("interval")[0]).toBe("3");
});

it("finds every word anywhere, whatever its width and case", () => {
  const find = (query: string) =>
    filterEntries(entries, query, (feed) => feed.status).map(({ feed }) => feed.id);
  expect(find("ｆｅｅｄ 技術")).toEqual(["1"]);
  expect(find("STOPPED")).toEqual(["2"]);
  expect(find("技術 ア")).toEqual([]);
  expect(find("  ")).toHaveLength(3);
});

it("turns the order of a column that is asked for again", () => {
  expect(nextSort({ by: "name", down: false }, "name")).toEqual({ by: "name", down: true });
  expect(nextSort({ by: "name", down: false }, "unread")).toEqual({ by: "unread", down: true });
});
