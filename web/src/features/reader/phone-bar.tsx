import { useKnownItem } from "@/data/item";
import type { ReaderRoute } from "@/data/routes";
import type { ItemId, ItemSummary } from "@/data/types";
import { lazyNamed } from "@/ui/lazy-named";
import type { Actions } from "./actions";

const TabBar = lazyNamed("TabBar", () => import("./tab-bar"));

interface Props {
  route: ReaderRoute;
  /** The row of the open item, when it is in the list. */
  summary: ItemSummary | undefined;
  isSideOpen: boolean;
  hasNext: boolean;
  actions: Actions;
}

export function PhoneBar({ summary, ...rest }: Props) {
  const { item } = rest.route;
  return item !== null && !summary ? (
    <DeepLinkBar id={item} {...rest} />
  ) : (
    <TabBar item={summary} {...rest} />
  );
}

/** For an item that is not in the list. */
function DeepLinkBar({ id, ...rest }: Omit<Props, "summary"> & { id: ItemId }) {
  return <TabBar item={useKnownItem(id)} {...rest} />;
}
