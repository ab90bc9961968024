import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { fullTextQuery } from "@/data/full-text";
import type { Item, ItemId } from "@/data/types";

/** The text of the page instead of that of the feed: by the subscription's setting, or on request. */
export function useFullText(id: ItemId, item: Item | undefined) {
  const own = item?.fullText?.state === "ok" ? item.fullText : undefined;
  const [choice, setChoice] = useState<boolean | null>(null);
  const isWanted = choice ?? own !== undefined;
  const query = useQuery({ ...fullTextQuery(id), enabled: isWanted && !own });
  const page = own ?? query.data;
  return {
    isWanted,
    choose: setChoice,
    /** The result for the page, when it is wanted. */
    page: isWanted ? page : undefined,
    isLoading: isWanted && !page && query.isFetching,
    error: isWanted && !page ? query.error : null,
    retry: () => void query.refetch(),
  };
}

export type FullTextView = ReturnType<typeof useFullText>;
