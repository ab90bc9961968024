import { describe, expect, it, vi } from "vitest";
import { FlagStore } from "./flags";
import { adoptMarks } from "./new-items";

const was = { isRead: false, isStarred: false };
const unread = { id: "1", ...was };

describe("FlagStore", () => {
  it("lays a change over the page at once and keeps the page as it is", () => {
    const store = new FlagStore();
    store.show("1", was, { isRead: true });
    expect(store.read(unread)).toEqual({ isRead: true, isStarred: false });
    expect(unread.isRead).toBe(false);
  });

  it("tells only those who watch the changed item", () => {
    const store = new FlagStore();
    const mine = vi.fn();
    const other = vi.fn();
    store.subscribe("1", mine);
    store.subscribe("2", other);
    store.show("1", was, { isStarred: true });
    expect(mine).toHaveBeenCalledTimes(1);
    expect(other).not.toHaveBeenCalled();
  });

  it("goes back to the last confirmed state when refused", () => {
    const store = new FlagStore();
    store.show("1", was, { isRead: true });
    store.confirm("1", { isRead: true, isStarred: false });
    store.show("1", was, { isStarred: true });
    store.revert("1");
    expect(store.get("1")).toEqual({ isRead: true, isStarred: false });
  });

  it("does not let an early answer hide a later press", () => {
    const store = new FlagStore();
    store.show("1", was, { isRead: true });
    store.show("1", was, { isRead: false });
    store.confirm("1", { isRead: true, isStarred: false }, false);
    expect(store.get("1")?.isRead).toBe(false);
    expect(store.ahead("1")).toEqual({ read: -1, starred: 0 });
    store.confirm("1", { isRead: false, isStarred: false });
    expect(store.get("1")?.isRead).toBe(false);
  });

  it("takes a newer page's word, but not an older one's", () => {
    const store = new FlagStore();
    const before = performance.now();
    store.show("1", was, { isRead: true });
    store.absorb([unread], performance.now() + 1);
    expect(store.get("1")?.isRead, "while it is on its way").toBe(true);
    store.confirm("1", { isRead: true, isStarred: false });
    store.absorb([unread], before - 1);
    expect(store.get("1")?.isRead, "asked before the answer came").toBe(true);
    store.absorb([{ ...unread, isStarred: true }], performance.now() + 1);
    expect(store.get("1")).toEqual({ isRead: false, isStarred: true });
  });

  it("does not wake a row when nothing it shows has changed", () => {
    const store = new FlagStore();
    store.show("1", was, { isRead: true });
    const listener = vi.fn();
    store.subscribe("1", listener);
    store.confirm("1", { isRead: true, isStarred: false });
    expect(listener).not.toHaveBeenCalled();
  });

  it("keeps what a list knows of an item of which only one mark was known", () => {
    const store = new FlagStore();
    store.show("1", { isRead: false }, { isRead: true });
    expect(store.read({ ...unread, isStarred: true })).toEqual({ isRead: true, isStarred: true });
    store.absorb([{ ...unread, isStarred: true }], performance.now() + 1);
    store.revert("1");
    expect(store.get("1")).toEqual({ isRead: false, isStarred: true });
  });

  it("takes over marks of loaded rows from a newer page, except of those that were marked here", () => {
    const store = new FlagStore();
    const rows = ["1", "2", "3"].map((id) => ({ id, ...was }));
    store.show("2", was, { isStarred: true });
    const page = rows.slice(0, 2).map((row) => ({ ...row, isRead: true }));
    adoptMarks(store, rows, [...page, { id: "4", ...was, isRead: true }]);
    expect(rows.map((row) => store.read(row).isRead)).toEqual([true, false, false]);
    expect(store.get("4"), "no row shows it").toBeUndefined();
  });

  it("forgets all at sign-out", () => {
    const store = new FlagStore();
    store.show("1", was, { isRead: true });
    store.clear();
    expect(store.get("1")).toBeUndefined();
  });
});
