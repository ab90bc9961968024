import { t } from "@lingui/core/macro";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { flags } from "@/data/flags";
import { type Markable, setItemState } from "@/data/item-state";
import type { Part, ShownList } from "@/data/mark-read";
import type { ListName } from "@/data/news";
import type { Pin } from "@/data/pins";
import type { Feed, ItemSummary } from "@/data/types";
import { pushUndo, showToast } from "@/ui/toasts";

type Marked = Markable & Partial<Pick<ItemSummary, "title">>;

export interface Actions {
  /** By itself: nothing that a person would take back. */
  setRead(item: Marked, isRead: boolean): void;
  toggleRead(item: Marked): void;
  toggleStar(item: Marked): void;
  togglePin(item: Pin): void;
  /** Settled when it is shown, sent or not. */
  markList(list: ShownList, part?: Part): Promise<void>;
  unsubscribe(feed: Feed): void;
  /** Has the feeds of a list polled. */
  refresh(list: ListName): Promise<void>;
  resume(feed: Feed): Promise<void>;
  /** Somebody went on from the last item of a list. */
  sayEnd(): void;
}

// What is done now and then is loaded after the first list; marks are shown without it.
const load = () => import("./deeds");

/** Asks for the deeds, and sends what an earlier visit left, when the first list is there. */
export function useDeedsSoon(isListed: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isListed) return;
    const timer = setTimeout(() => {
      load()
        .then((deeds) => deeds.begin(client))
        .catch(() => undefined);
    }, 200);
    return () => clearTimeout(timer);
  }, [isListed, client]);
}

/** What a person can do to items and feeds. Every failure restores what was shown and says why. */
export function useActions(): Actions {
  const client = useQueryClient();
  return useMemo(() => makeActions(client), [client]);
}

function makeActions(client: QueryClient): Actions {
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
    toggleRead: (item) => toggle(item, "isRead"),
    toggleStar: (item) => toggle(item, "isStarred"),
    togglePin: (item) => void load().then((deeds) => deeds.togglePin(item)),
    markList: (list, part) => load().then((deeds) => deeds.markList(client, list, part)),
    unsubscribe: (feed) => void load().then((deeds) => deeds.unsubscribe(client, feed)),
    refresh: (list) => load().then((deeds) => deeds.refresh(client, list)),
    resume: (feed) => load().then((deeds) => deeds.resume(client, feed)),
    sayEnd: () => void load().then((deeds) => deeds.sayEnd()),
  };
}
