import { expect, test, vi } from "vitest";
import { notificationOf, open } from "./push";

const sent = { title: "Feed 1", body: "one", path: "/feed/1/i/2", tag: "t", lang: "ja" };

test("shows what was sent, and something whatever was sent", () => {
  expect(notificationOf(JSON.stringify(sent), "en")).toEqual(sent);
  const broken = [
    "",
    "null",
    "{",
    "[]",
    JSON.stringify({ ...sent, title: 1 }),
    JSON.stringify({ ...sent, path: "//evil.example" }),
    JSON.stringify({ ...sent, path: "/\\evil.example" }),
    JSON.stringify({ ...sent, path: "https://evil.example" }),
  ];
  for (const text of broken) {
    expect(notificationOf(text, "en-GB")).toMatchObject({ body: "New articles", path: "/" });
    expect(notificationOf(text, "ja")).toMatchObject({ body: "新着記事があります", path: "/" });
  }
});

test("opens in a window of the page, or in a new one", async () => {
  const window = { focus: vi.fn(async () => {}), navigate: vi.fn(async () => {}) };
  const windows = { matchAll: vi.fn(async () => [window]), openWindow: vi.fn(async () => {}) };
  await open(windows, "/all?f=unread");
  expect(window.navigate).toHaveBeenCalledWith("/all?f=unread");
  expect(windows.openWindow).not.toHaveBeenCalled();
  windows.matchAll.mockResolvedValue([]);
  await open(windows, "/feed/1");
  expect(windows.openWindow).toHaveBeenCalledWith("/feed/1");
});
