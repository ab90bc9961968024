import { useEffect, useRef } from "react";
import { useItemIfOpen } from "@/data/item";
import { useSetting } from "@/data/settings";
import type { ItemId } from "@/data/types";
import type { Actions } from "./actions";

/**
 * An item is read once its body is shown; marked unread again by hand, it stays so until it is opened anew. Tells
 * whether its body is still on its way.
 */
export function useAutoRead(openId: ItemId | null, actions: Actions): boolean {
  const { data, isPending } = useItemIfOpen(openId);
  const isWanted = useSetting("autoMarkAsRead");
  const done = useRef<ItemId | null>(null);
  useEffect(() => {
    if (openId === null) done.current = null;
    if (!data || data.id !== openId || done.current === openId || !isWanted) return;
    done.current = openId;
    actions.setRead(data, true);
  }, [openId, data, actions, isWanted]);
  return isPending;
}
