import { expect, it } from "vitest";
import { aFeed } from "@/testing/fixtures";
import { groupByFolder, nextUnreadFeed } from "./folders";

const feeds = [
  aFeed({ id: "1", title: "あ", folder: "技術", unreadCount: 2, hasUnread: true }),
  aFeed({ id: "2", title: "Zeta", folder: "" }),
  aFeed({ id: "3", title: "Alpha", folder: "", unreadCount: 1, hasUnread: true }),
  aFeed({ id: "4", title: "Feed 10", folder: "News" }),
  aFeed({ id: "5", title: "Feed 9", folder: "News" }),
];

it("groups by folder, the loose ones last, each sorted as people sort", () => {
  const folders = groupByFolder(feeds, "ja");
  expect(folders.map((folder) => folder.name)).toEqual(
    ["News", "技術", ""].sort(
      (a, b) => Number(a === "") - Number(b === "") || new Intl.Collator("ja").compare(a, b),
    ),
  );
  expect(folders.find((folder) => folder.name === "News")?.feeds.map((feed) => feed.id)).toEqual([
    "5",
    "4",
  ]);
  expect(folders.find((folder) => folder.name === "技術")?.unread).toBe(2);
});

it("goes round to the next feed with unread items", () => {
  const folders = groupByFolder(feeds, "en");
  const order = folders.flatMap((folder) => folder.feeds).filter((feed) => feed.hasUnread);
  expect(nextUnreadFeed(folders, null, 1)).toBe(order[0]);
  expect(nextUnreadFeed(folders, order[0]?.id ?? "", 1)).toBe(order[1]);
  expect(nextUnreadFeed(folders, order[1]?.id ?? "", 1)).toBe(order[0]);
  expect(nextUnreadFeed(folders, null, -1)).toBe(order[1]);
  expect(nextUnreadFeed(groupByFolder([aFeed({ id: "9" })], "en"), null, 1)).toBeNull();
  expect(nextUnreadFeed([], null, 1)).toBeNull();
});
