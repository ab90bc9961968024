import { feedTitle, useFeedsById } from "@/data/feeds";
import { useKnownTree } from "@/data/tree";

/** The name of a search's feed ("f12") or folder ("d3"); null for all feeds, and for what is not there any more. */
export function usePlaceName(place: string): string | null {
  const feed = useFeedsById().get(place.slice(1));
  const { folders } = useKnownTree();
  if (place.startsWith("f")) return feed ? feedTitle(feed) : null;
  return folders.find(({ id }) => place === `d${id}`)?.name ?? null;
}
