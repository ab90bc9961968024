import { useEffect, useRef } from "react";
import { isOffline } from "@/data/connection";
import { useItemIfOpen } from "@/data/item";
import { useSetting } from "@/data/settings";
import type { ItemId, ItemSummary } from "@/data/types";
import type { Actions } from "./actions";
import { afterPaint } from "./after-paint";

/**
 * Marks an item read as soon as it is on the screen, before its text is loaded. Marked unread again, it stays so until it is opened
 * again. Reports whether the text is still loading.
 */
export function useAutoRead(
  openId: ItemId | null,
  row: ItemSummary | undefined,
  actions: Actions,
): boolean {
  const opened = useItemIfOpen(openId);
  const isWanted = useSetting("autoMarkAsRead");
  const done = useRef<ItemId | null>(null);
  // Offline, only items on this device can be shown.
  const item = opened && typeof opened === "object" ? opened : isOffline() ? undefined : row;
  useEffect(() => {
    if (openId === null) done.current = null;
    if (!item || item.id !== openId || done.current === openId || !isWanted) return;
    done.current = openId;
    return afterPaint(() => actions.setRead(item, true));
  }, [openId, item, actions, isWanted]);
  useEffect(() => {
    if (openId === null) return;
    return afterPaint(() => {
      void import("@/data/recent").then((m) => m.noteOpened(openId), String);
    });
  }, [openId]);
  return opened === "pending";
}
