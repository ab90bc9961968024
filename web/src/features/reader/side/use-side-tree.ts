import { useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { useFeeds } from "@/data/feeds";
import { usePreference } from "@/data/preferences";
import { treeQuery, useTree } from "@/data/tree";
import type { Feed, FeedId } from "@/data/types";
import { buildTree, feedsInOrder, nextUnreadFeed, type SideTree, sorts } from "./tree";

/** Preferences of this device. */
export const useSort = () => usePreference("side-sort", sorts, "manual");
export const useHideRead = () => usePreference("side-hide-read", ["yes", "no"], "no") === "yes";

/** Null while folders or feeds are loading. */
export function useSideTree(open: FeedId | null): SideTree | null {
  const { i18n } = useLingui();
  const client = useQueryClient();
  const feeds = useFeeds().data?.feeds;
  const content = useTree().data;
  const sort = useSort();
  const hideRead = useHideRead();
  const locale = i18n.locale;

  // An import or another device may have created folders since the tree was loaded.
  useEffect(() => {
    const known = client.getQueryData(treeQuery.queryKey)?.folders;
    if (!feeds || !known) return;
    const ids = new Set(known.map((folder) => folder.id));
    if (feeds.some((feed) => feed.folders.some((id) => !ids.has(id)))) {
      void client.invalidateQueries({ queryKey: treeQuery.queryKey });
    }
  }, [client, feeds]);

  return useMemo(
    () => (feeds && content ? buildTree(content, feeds, { sort, hideRead, locale, open }) : null),
    [feeds, content, sort, hideRead, locale, open],
  );
}

export function useNextUnread(from: FeedId | null): Feed | null {
  const tree = useSideTree(from);
  return tree ? nextUnreadFeed(feedsInOrder(tree), from, 1) : null;
}
