import { useEffect, useRef } from "react";
import { isUnreachable } from "@/data/connection";
import { useItemIfOpen } from "@/data/item";
import { useSetting } from "@/data/settings";
import type { ItemId, ItemSummary } from "@/data/types";
import type { Actions } from "./actions";

/**
 * An item is read once it is opened; marked unread again by hand, it stays so until it is opened anew. Its text need
 * not be there: who skims goes on before it comes. Tells whether that is still on its way.
 */
export function useAutoRead(
  openId: ItemId | null,
  row: ItemSummary | undefined,
  actions: Actions,
): boolean {
  const { data, isPending } = useItemIfOpen(openId);
  const isWanted = useSetting("autoMarkAsRead");
  const done = useRef<ItemId | null>(null);
  // Without a network, only what this device has is shown at all.
  const item = data ?? (isUnreachable() ? undefined : row);
  useEffect(() => {
    if (openId === null) done.current = null;
    if (!item || item.id !== openId || done.current === openId || !isWanted) return;
    done.current = openId;
    actions.setRead(item, true);
  }, [openId, item, actions, isWanted]);
  return isPending;
}
