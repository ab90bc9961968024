import { useSyncExternalStore } from "react";
import type { ItemId } from "./types";

export interface Flags {
  isRead: boolean;
  isStarred: boolean;
}

/** The known marks of an item: of the same story in another feed only "read" is known. */
export type Marks = Partial<Flags>;

interface Entry {
  shown: Marks;
  /** As the server last answered; a refusal restores it. */
  confirmed: Marks;
  isPending: boolean;
  settledAt: number;
}

/**
 * Read and star marks by item id, which override the query pages at render. Pages are never rewritten: with ten thousand
 * loaded items that takes a whole frame, while one entry renders one row.
 */
export class FlagStore {
  private readonly entries = new Map<ItemId, Entry>();
  private readonly listeners = new Map<ItemId, Set<() => void>>();

  /** The marks that override the page; undefined when there are none. */
  get(id: ItemId): Marks | undefined {
    return this.entries.get(id)?.shown;
  }

  read(item: Flags & { id: ItemId }): Flags {
    const { isRead, isStarred } = { ...item, ...this.get(item.id) };
    return { isRead, isStarred };
  }

  subscribe(id: ItemId, listener: () => void): () => void {
    let set = this.listeners.get(id);
    if (!set) {
      set = new Set();
      this.listeners.set(id, set);
    }
    set.add(listener);
    return () => {
      set.delete(listener);
      if (set.size === 0) this.listeners.delete(id);
    };
  }

  /** Shows a change that is not confirmed yet; `was` are the marks on the page. */
  show(id: ItemId, was: Marks, patch: Marks): void {
    const old = this.entries.get(id);
    const confirmed = { ...was, ...old?.confirmed };
    this.put(id, {
      shown: { ...confirmed, ...old?.shown, ...patch },
      confirmed,
      isPending: true,
      settledAt: 0,
    });
  }

  /** Confirms marks by an answer of the server; they are shown unless later changes are still to be sent. */
  confirm(id: ItemId, truth: Marks, isLast = true): void {
    const old = this.entries.get(id);
    if (!old) return;
    const confirmed = { ...old.confirmed, ...truth };
    this.put(id, {
      shown: isLast ? confirmed : old.shown,
      confirmed,
      isPending: !isLast,
      settledAt: performance.now(),
    });
  }

  /** Shows the confirmed marks again, after a refusal. */
  revert(id: ItemId): void {
    this.confirm(id, {});
  }

  /** By how much the shown marks are ahead of the confirmed ones: +1 read here, -1 unread here. */
  ahead(id: ItemId): { read: number; starred: number } {
    const { shown, confirmed } = this.entries.get(id) ?? {};
    const step = (a?: boolean, b?: boolean) => Number(a ?? false) - Number(b ?? false);
    return {
      read: step(shown?.isRead, confirmed?.isRead),
      starred: step(shown?.isStarred, confirmed?.isStarred),
    };
  }

  /**
   * Takes over the marks of a page that was requested at `askedAt`, where they are newer than the confirmed ones (changed
   * on another device). Items without an entry keep the marks of their page.
   */
  absorb(items: readonly (Flags & { id: ItemId })[], askedAt: number): void {
    for (const item of items) {
      const old = this.entries.get(item.id);
      if (!old) continue;
      const truth = { isRead: item.isRead, isStarred: item.isStarred };
      if (old.isPending || old.settledAt > askedAt) {
        // An entry that did not come from a page gets the marks that it lacks.
        this.put(item.id, {
          ...old,
          shown: { ...truth, ...old.shown },
          confirmed: { ...truth, ...old.confirmed },
        });
      } else this.put(item.id, { ...old, shown: truth, confirmed: truth });
    }
  }

  /** Shows marks that the server already has. */
  adopt(id: ItemId, marks: Marks): void {
    this.show(id, marks, marks);
    this.confirm(id, marks);
  }

  clear(): void {
    const ids = [...this.entries.keys()];
    this.entries.clear();
    for (const id of ids) this.notify(id);
  }

  private put(id: ItemId, entry: Entry): void {
    const before = this.entries.get(id)?.shown;
    const { shown } = entry;
    const same = before && before.isRead === shown.isRead && before.isStarred === shown.isStarred;
    // The same object when nothing visible changed, so that no row renders for nothing.
    this.entries.set(id, same ? { ...entry, shown: before } : entry);
    if (!same) this.notify(id);
  }

  private notify(id: ItemId): void {
    for (const listener of this.listeners.get(id) ?? []) listener();
  }
}

export const flags = new FlagStore();

/** The current marks of one item; renders again only when they change. */
export function useFlags(item: Flags & { id: ItemId }): Flags {
  useSyncExternalStore(
    (listener) => flags.subscribe(item.id, listener),
    () => flags.get(item.id),
  );
  return flags.read(item);
}
