import { useKnownItem } from "@/data/item";
import type { ItemId, ItemSummary } from "@/data/types";
import { lazyNamed } from "@/ui/lazy-named";
import type { Actions } from "./actions";

const ItemBar = lazyNamed("ItemBar", () => import("./item-bar"));

interface Props {
  id: ItemId;
  /** The row of the open item, when it is in the list. */
  summary: ItemSummary | undefined;
  hasNext: boolean;
  actions: Actions;
}

export function PhoneBar({ id, summary, ...rest }: Props) {
  return summary ? <ItemBar item={summary} {...rest} /> : <DeepLinkBar id={id} {...rest} />;
}

/** For an item that is not in the list. */
function DeepLinkBar({ id, ...rest }: Omit<Props, "summary">) {
  return <ItemBar item={useKnownItem(id)} {...rest} />;
}
