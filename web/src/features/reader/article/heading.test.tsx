import { screen } from "@testing-library/react";
import { createRef } from "react";
import { describe, expect, it } from "vitest";
import { treeQuery } from "@/data/tree";
import { aFeed, anItem } from "@/testing/fixtures";
import { renderApp, testClient } from "@/testing/render";
import { Heading } from "./heading";

function show(over: Parameters<typeof anItem>[0], minutes: number | null = null) {
  const client = testClient();
  client.setQueryData(treeQuery.queryKey, {
    folders: [],
    labels: [
      { id: "7", name: "Later", position: 0, isReadLater: false },
      { id: "8", name: "Work", position: 1, isReadLater: false },
    ],
  });
  renderApp(
    <Heading
      item={anItem(over)}
      feed={aFeed({ title: "Example" })}
      headingRef={createRef()}
      minutes={minutes}
    />,
    client,
  );
  return [...document.querySelectorAll(".meta")].map((one) => one.textContent).join(" ");
}

describe("Heading", () => {
  it("leads to the original by the title", () => {
    show({ title: "T", author: "A" });
    const title = screen.getByRole("heading", { name: "T" });
    expect(title.querySelector("a")?.getAttribute("href")).toBe("https://example.jp/1");
    expect(title.hasAttribute("data-untitled")).toBe(false);
  });

  it("does not say the text of a post twice: over it stands who wrote it", () => {
    const post = { title: "", snippet: "A short post.", link: "https://example.jp/1" };
    const meta = show({ ...post, author: "Ada" });
    const heading = screen.getByRole("heading", { name: "Ada" });
    expect(heading.hasAttribute("data-untitled")).toBe(true);
    expect(heading.querySelector("a")?.getAttribute("href")).toBe(post.link);
    expect(meta).toContain("Example");
    expect(meta).not.toContain("Ada");
    expect(document.body.textContent).not.toContain("A short post.");
  });

  it("of a post without an author it is the feed, once, which leads to the feed", () => {
    const meta = show({ title: "", snippet: "A short post.", author: "" });
    const heading = screen.getByRole("heading", { name: "Example" });
    expect(heading.querySelector("a")?.getAttribute("href")).toBe("/feed/1");
    expect(meta).not.toContain("Example");
    expect(document.body.textContent).not.toContain("A short post.");
  });

  it("says both dates, and how long the text takes", () => {
    const meta = show(
      { publishedAt: "2025-03-01T00:00:00Z", updatedAt: "2025-04-02T00:00:00Z" },
      12,
    );
    expect(meta).toMatch(/Mar 1, 2025.*12 min read.*updated Apr 2, 2025/);
    expect(meta).not.toContain("no publication date");
    // Paper stays: it has the whole date.
    expect(document.querySelector("time .print-only")?.textContent).toMatch(/^March 1, 2025/);
  });

  it("stands below where it is from, and when", () => {
    const when = new Date();
    show({ title: "T", publishedAt: when.toISOString() });
    const title = screen.getByRole("heading", { name: "T" });
    expect(title.previousElementSibling?.textContent).toMatch(/^EExample.*today \d+:\d\d/);
  });

  it("marks a date that is only an estimate", () => {
    const meta = show({ publishedAt: "2025-03-01T00:00:00Z", isDateEstimated: true });
    expect(meta).toMatch(/about Mar 1, 2025.*estimated; no publication date/);
  });

  it("shows bookmarks", () => {
    expect(show({ bookmarkCount: 120 })).toContain("B 120");
  });

  it("names the other feeds of a story, and leads to it there", () => {
    show({
      alsoIn: [
        { feedId: "2", itemId: "200", title: "Other", isRead: false },
        { feedId: "3", itemId: "300", title: "Third", isRead: true },
      ],
    });
    expect(screen.getByRole("link", { name: "Other" }).getAttribute("href")).toBe("/feed/2/i/200");
    expect(screen.getByRole("link", { name: "Third" }).getAttribute("href")).toBe("/feed/3/i/300");
  });

  it("shows its labels, and no label that is gone", () => {
    show({ labels: ["7", "99"] });
    const links = screen.getAllByRole("link").map((link) => link.getAttribute("href"));
    expect(links).toContain("/label/7");
    expect(links).not.toContain("/label/99");
    expect(screen.queryByText("Work")).toBeNull();
  });
});
