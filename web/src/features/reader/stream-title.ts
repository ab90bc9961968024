import { useLingui } from "@lingui/react/macro";
import { useEffect, useMemo } from "react";
import { feedTitle, useFeeds } from "@/data/feeds";
import type { ReaderRoute } from "@/data/routes";
import { useSearches } from "@/data/searches";
import { feedsOf, useTree } from "@/data/tree";
import type { Feed } from "@/data/types";

/** The title of the document; apart from the list, which does not have to render for every count. */
export function DocumentTitle({ route, title }: { route: ReaderRoute; title: string }) {
  const unread = useUnread(route);
  useEffect(() => {
    document.title = `${unread ? `(${unread}) ` : ""}${title || "Ruri Reader"}${title ? " · Ruri" : ""}`;
  }, [title, unread]);
  return null;
}

/** The name of the stream; empty while it is loading. */
export function useStreamTitle({ stream, filter }: ReaderRoute, feed: Feed | undefined): string {
  const { t } = useLingui();
  const feeds = useFeeds();
  const tree = useTree();
  const searches = useSearches();
  switch (stream.kind) {
    case "feed":
      return feed ? feedTitle(feed) : feeds.data ? t`Unknown feed` : "";
    case "folder": {
      const folder = tree.data?.folders.find((one) => one.id === stream.id);
      return folder ? folder.name : tree.data ? t`Unknown folder` : "";
    }
    case "label": {
      const label = tree.data?.labels.find((one) => one.id === stream.id);
      return label ? label.name : tree.data ? t`Unknown label` : "";
    }
    case "search":
      return stream.q || t`Search`;
    case "saved":
      return searches.find((one) => one.id === stream.id)?.name ?? t`Search`;
    case "explore":
      return stream.tag || t`Popular`;
    case "today":
      return t`Today`;
    case "recent":
      return t`Recently read`;
    case "starred":
      return t`Starred`;
    case "all":
      return filter === "unread" ? t`Unread` : t`All articles`;
  }
}

/** The unread count of the stream; undefined for stars and labels, which are not counted. */
export function useUnread({ stream }: ReaderRoute): number | undefined {
  const { data } = useFeeds();
  const tree = useTree().data;
  const inFolder = useMemo(
    () =>
      stream.kind === "folder"
        ? feedsOf(stream, data?.feeds, tree)?.reduce((sum, one) => sum + one.unreadCount, 0)
        : undefined,
    [stream, data, tree],
  );
  if (stream.kind === "feed") return data?.feeds.find((one) => one.id === stream.id)?.unreadCount;
  if (stream.kind === "folder") return inFolder;
  return stream.kind === "all" ? data?.totals.unread : undefined;
}
