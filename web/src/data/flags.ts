import { useSyncExternalStore } from "react";
import type { ItemId } from "./types";

export interface Flags {
  isRead: boolean;
  isStarred: boolean;
}

/** What is known of an item's marks: the twin of a story in another feed has only "read". */
export type Marks = Partial<Flags>;

interface Entry {
  shown: Marks;
  /** What the server last said; a refusal goes back to it. */
  confirmed: Marks;
  isPending: boolean;
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

  /** Shows a change at once; `was` is what the page says of the marks that change. */
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

  /** The server took a change: its answer becomes the confirmed state, and is shown unless more is to be sent. */
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

  /** The server refused, or the change was taken back before it was sent: what it last said is shown. */
  revert(id: ItemId): void {
    this.confirm(id, {});
  }

  /** By how much what is shown differs from what the server knows: +1 read here, -1 unread here. */
  ahead(id: ItemId): { read: number; starred: number } {
    const { shown, confirmed } = this.entries.get(id) ?? {};
    const step = (a?: boolean, b?: boolean) => Number(a ?? false) - Number(b ?? false);
    return {
      read: step(shown?.isRead, confirmed?.isRead),
      starred: step(shown?.isStarred, confirmed?.isStarred),
    };
  }

  /**
   * A page that was asked for at `askedAt` has arrived: where an overlay exists and had settled before,
   * the page is newer (a change made on another device); otherwise the overlay is.
   */
  absorb(items: readonly (Flags & { id: ItemId })[], askedAt: number): void {
    for (const item of items) {
      const old = this.entries.get(item.id);
      if (!old) continue;
      const truth = { isRead: item.isRead, isStarred: item.isStarred };
      if (old.isPending || old.settledAt > askedAt) {
        // A mark that is known of from elsewhere than a page gets what it lacks.
        this.put(item.id, {
          ...old,
          shown: { ...truth, ...old.shown },
          confirmed: { ...truth, ...old.confirmed },
        });
      } else this.put(item.id, { ...old, shown: truth, confirmed: truth });
    }
  }

  /**
   * A page that was asked for anew: of rows that are loaded already, and that nobody marked here, it says how they are
   * now.
   */
  learn(
    rows: readonly (Flags & { id: ItemId })[],
    page: readonly (Flags & { id: ItemId })[],
  ): void {
    const now = new Map(page.map(({ id, isRead, isStarred }) => [id, { isRead, isStarred }]));
    for (const row of rows) {
      const truth = now.get(row.id);
      if (!truth || this.entries.has(row.id)) continue;
      if (truth.isRead === row.isRead && truth.isStarred === row.isStarred) continue;
      this.adopt(row.id, truth);
    }
  }

  /** Shows what the server has done already. */
  adopt(id: ItemId, marks: Marks): void {
    this.show(id, marks, marks);
    this.confirm(id, marks);
  }

  clear(): void {
    const ids = [...this.entries.keys()];
    this.entries.clear();
    for (const id of ids) this.tell(id);
  }

  private put(id: ItemId, entry: Entry): void {
    const before = this.entries.get(id)?.shown;
    const { shown } = entry;
    const same = before && before.isRead === shown.isRead && before.isStarred === shown.isStarred;
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
  useSyncExternalStore(
    (listener) => flags.subscribe(item.id, listener),
    () => flags.get(item.id),
  );
  return flags.read(item);
}
