import { Trans } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { prefetchBodies } from "@/data/bodies";
import { useOffline } from "@/data/connection";
import { feedTitle } from "@/data/feeds";
import { isSearch, type ReaderRoute } from "@/data/routes";
import { getSetting } from "@/data/settings";
import { streamQuery } from "@/data/stream";
import type { Feed, Mode } from "@/data/types";
import { runCommand } from "@/keys/use-command";
import { KeyHint } from "@/ui/key-hint";
import { useNextUnread } from "../side/use-side-tree";

interface Props {
  route: ReaderRoute;
  title: string;
  mode: Mode;
}

/** How many texts of the next feeds are loaded with their lists. */
const texts = 3;

/** In Stream one reads from feed to feed: the next two are loaded. */
function useFeedsAhead(feeds: readonly (Feed | null)[], isWanted: boolean): void {
  const client = useQueryClient();
  const ids = isWanted ? feeds.map((feed) => feed?.id ?? "").join(" ") : "";
  useEffect(() => {
    const saves = (navigator as { connection?: { saveData?: boolean } }).connection?.saveData;
    for (const id of saves ? [] : ids.split(" ").filter(Boolean)) {
      const query = streamQuery({ kind: "feed", id }, "all", getSetting("order"));
      client.fetchInfiniteQuery(query).then(({ pages }) => {
        const items = pages[0]?.items.slice(0, texts) ?? [];
        prefetchBodies(
          client,
          items.map((item) => item.id),
        );
      }, String);
    }
  }, [ids, client]);
}

/** The end of a list that is loaded as a whole, and where to go on. Nothing after starred articles and searches. */
export function ListEnd({ route, title, mode }: Props) {
  const { stream } = route;
  const isOffline = useOffline();
  const next = useNextUnread(stream.kind === "feed" ? stream.id : null);
  const second = useNextUnread(next?.id ?? null);
  const isStream = mode === "stream" && stream.kind === "feed" && route.filter === "all";
  useFeedsAhead([next, second], isStream && !isOffline);
  if (isOffline) return <Trans>You're offline. Other articles are not on this device.</Trans>;
  if (["starred", "recent", "explore"].includes(stream.kind) || isSearch(stream)) return null;
  if (stream.kind !== "feed" && stream.kind !== "folder")
    return <Trans>You're all caught up.</Trans>;
  const name = next && feedTitle(next);
  const count = next?.unreadCount;
  return (
    <>
      <span dir="auto">
        <Trans>That was {title}.</Trans>
      </span>
      {name && (
        <button type="button" className="btn" onClick={() => runCommand("feed.next")}>
          <span dir="auto">
            <Trans>
              Next: {name}, {count} unread
            </Trans>
          </span>
          <KeyHint command="feed.next" />
        </button>
      )}
    </>
  );
}
