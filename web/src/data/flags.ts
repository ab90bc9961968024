import { useSyncExternalStore } from "react";
import type { ItemId } from "./types";

export interface Flags {
  isRead: boolean;
  isStarred: boolean;
}

interface Entry {
  shown: Flags;
  /** What the server last said; a refusal goes back to it. */
  confirmed: Flags;
  pending: number;
  settledAt: number;
}

/**
 * Read and star marks by item id, laid over the query pages at render. Pages are never rewritten: with
 * ten thousand loaded items that costs a whole frame, while one entry re-renders one row.
 */
export class FlagStore {
  private readonly entries = new Map<ItemId, Entry>();
  private readonly listeners = new Map<ItemId, Set<() => void>>();

  /** The overlay of an item, or undefined when the page's own marks hold. */
  get(id: ItemId): Flags | undefined {
    return this.entries.get(id)?.shown;
  }

  read(item: Flags & { id: ItemId }): Flags {
    return this.get(item.id) ?? item;
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

  /** Shows a change at once; `base` is the item as its page has it. */
  show(base: Flags & { id: ItemId }, patch: Partial<Flags>): void {
    const old = this.entries.get(base.id);
    const confirmed = old?.confirmed ?? { isRead: base.isRead, isStarred: base.isStarred };
    this.put(base.id, {
      shown: { ...(old?.shown ?? confirmed), ...patch },
      confirmed,
      pending: (old?.pending ?? 0) + 1,
      settledAt: 0,
    });
  }

  /** The server took a change: its answer becomes the confirmed state. */
  confirm(id: ItemId, truth: Partial<Flags>): void {
    const old = this.entries.get(id);
    if (!old) return;
    const pending = Math.max(0, old.pending - 1);
    const confirmed = { ...old.confirmed, ...truth };
    this.put(id, {
      shown: pending === 0 ? { ...old.shown, ...truth } : old.shown,
      confirmed,
      pending,
      settledAt: performance.now(),
    });
  }

  /** The server refused: back to what it last said. */
  revert(id: ItemId): void {
    const old = this.entries.get(id);
    if (!old) return;
    this.put(id, {
      ...old,
      shown: old.confirmed,
      pending: Math.max(0, old.pending - 1),
      settledAt: performance.now(),
    });
  }

  /**
   * A page that was asked for at `askedAt` has arrived: where an overlay exists and had settled before,
   * the page is newer (a change made on another device); otherwise the overlay is.
   */
  absorb(items: readonly (Flags & { id: ItemId })[], askedAt: number): void {
    for (const item of items) {
      const old = this.entries.get(item.id);
      if (!old || old.pending > 0 || old.settledAt > askedAt) continue;
      const truth = { isRead: item.isRead, isStarred: item.isStarred };
      if (truth.isRead === old.shown.isRead && truth.isStarred === old.shown.isStarred) continue;
      this.put(item.id, { ...old, shown: truth, confirmed: truth });
    }
  }

  clear(): void {
    const ids = [...this.entries.keys()];
    this.entries.clear();
    for (const id of ids) this.tell(id);
  }

  private put(id: ItemId, entry: Entry): void {
    const before = this.entries.get(id)?.shown;
    const same =
      before && before.isRead === entry.shown.isRead && before.isStarred === entry.shown.isStarred;
    // The same object when nothing visible changed, so that no row renders for nothing.
    this.entries.set(id, same ? { ...entry, shown: before } : entry);
    if (!same) this.tell(id);
  }

  private tell(id: ItemId): void {
    for (const listener of this.listeners.get(id) ?? []) listener();
  }
}

export const flags = new FlagStore();

/** The marks of one item as they are now; renders again only when this item's change. */
export function useFlags(item: Flags & { id: ItemId }): Flags {
  const overlay = useSyncExternalStore(
    (listener) => flags.subscribe(item.id, listener),
    () => flags.get(item.id),
  );
  return overlay ?? item;
}
