import { t } from "@lingui/core/macro";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { flags } from "@/data/flags";
import { type Markable, setItemState } from "@/data/item-state";
import type { Part, ShownList } from "@/data/mutations/mark-read";
import type { Pin } from "@/data/mutations/pins";
import type { ListName } from "@/data/new-items";
import type { Feed, ItemId, ItemSummary } from "@/data/types";
import { pushUndo, showToast } from "@/ui/toasts";
import { runDue } from "./after-paint";

type Marked = Markable & Partial<Pick<ItemSummary, "title">>;

export interface Actions {
  /** Not by the person, and therefore without undo. */
  setRead(item: Marked, isRead: boolean): void;
  toggleRead(item: Marked): void;
  toggleStar(item: Marked): void;
  togglePin(item: Pin): void;
  toggleLater(item: { id: ItemId }): void;
  /** Resolves when it is shown, sent or not. */
  markList(list: ShownList, part?: Part): Promise<void>;
  /** What is older than so many days. */
  markOlder(list: ShownList, days: number, hasMore: boolean): Promise<void>;
  unsubscribe(feed: Feed): void;
  /** Has the feeds of a list polled. */
  refresh(list: ListName): Promise<void>;
  resume(feed: Feed): Promise<void>;
  /** Shows that the last item of a list was reached. */
  showEnd(): void;
}

// Loaded after the first list; marks are shown without it.
const load = () => import("./deferred/action-handlers");

/** Loads the handlers when the first list is shown, and sends what an earlier visit left. */
export function usePreloadActions(isListed: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isListed) return;
    const timer = setTimeout(() => {
      load()
        .then((handlers) => handlers.begin(client))
        .catch(() => undefined);
    }, 200);
    return () => clearTimeout(timer);
  }, [isListed, client]);
}

/** What a person can do to items and feeds. Every failure restores what was shown and says why. */
export function useActions(): Actions {
  const client = useQueryClient();
  return useMemo(() => createActions(client), [client]);
}

function createActions(client: QueryClient): Actions {
  const toggle = (item: Marked, mark: "isRead" | "isStarred") => {
    const was = flags.read(item)[mark];
    setItemState(client, item, { [mark]: !was });
    pushUndo(() => {
      setItemState(client, item, { [mark]: was });
      const { title } = item;
      if (title) showToast(t`Undone: ${title}`);
    });
  };
  return {
    setRead: (item, isRead) => void setItemState(client, item, { isRead }),
    toggleRead: (item) => {
      runDue(); // it may be marked as read just now
      toggle(item, "isRead");
    },
    toggleStar: (item) => toggle(item, "isStarred"),
    togglePin: (item) => void load().then((handlers) => handlers.togglePin(item)),
    toggleLater: (item) =>
      void import("./deferred/read-later").then((m) => m.toggleLater(client, item), String),
    markList: (list, part) => load().then((handlers) => handlers.markList(client, list, part)),
    markOlder: (list, days, hasMore) =>
      load().then((handlers) => handlers.markOlder(client, list, days, hasMore)),
    unsubscribe: (feed) => void load().then((handlers) => handlers.unsubscribe(client, feed)),
    refresh: (list) => load().then((handlers) => handlers.refresh(client, list)),
    resume: (feed) => load().then((handlers) => handlers.resume(client, feed)),
    showEnd: () => void load().then((handlers) => handlers.showEnd()),
  };
}
