import { Trans } from "@lingui/react/macro";
import { CircleCheck, Clock, Inbox, Rss, Star, Upload } from "lucide-react";
import { useEffect } from "react";
import { feedTitle } from "@/data/feeds";
import { type ReaderRoute, readerPath } from "@/data/routes";
import type { Feed } from "@/data/types";
import { navigate } from "@/data/use-route";
import { isWelcomed, useIsWelcomed } from "@/data/welcome";
import { runCommand } from "@/keys/use-command";
import { ErrorNote } from "@/ui/error-note";
import { KeyHint, useKey } from "@/ui/key-hint";
import { Link } from "@/ui/link";
import { useNextUnread } from "./side/use-side-tree";

interface Props {
  route: ReaderRoute;
  feed: Feed | undefined;
  hasFeeds: boolean;
  onImport: () => void;
}

/** A list or a page of it that did not come: its words are loaded after the first list. */
export function ListError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return <ErrorNote error={error} onRetry={onRetry} />;
}

/** Every empty list says what, why, and what now. */
export function EmptyList({ route, feed, hasFeeds, onImport }: Props) {
  const { stream, filter } = route;
  const star = useKey("item.star");
  const nextUnread = useNextUnread(feed?.id ?? null);
  const wasWelcomed = useIsWelcomed();
  const isFirstRun = !hasFeeds && stream.kind === "all" && filter === "all" && !wasWelcomed;
  useEffect(() => {
    // Asked anew: who leaves the first run for this list is welcomed after it was drawn (its effects end before these).
    if (isFirstRun && !isWelcomed()) navigate("/welcome", { replace: true });
  }, [isFirstRun]);
  if (isFirstRun) return null;
  if (!hasFeeds && stream.kind !== "starred") {
    return (
      <div className="state">
        <Rss aria-hidden="true" />
        <p className="title">
          <Trans>Welcome to Ruri Reader</Trans>
        </p>
        <p>
          <Trans>Add the address of a site you like, or bring your subscriptions along.</Trans>
        </p>
        <div className="flex flex-wrap justify-center gap-2">
          <Link className="btn btn-main" href="/welcome">
            <Trans>Begin here</Trans>
          </Link>
          <button type="button" className="btn" onClick={() => runCommand("feed.add")}>
            <Trans>Add a feed</Trans>
          </button>
          <button type="button" className="btn" onClick={onImport}>
            <Upload size={16} aria-hidden="true" />
            <Trans>Import OPML</Trans>
          </button>
        </div>
      </div>
    );
  }
  if (feed?.status === "waiting") {
    return (
      <div className="state" role="status">
        <Clock aria-hidden="true" />
        <p className="title">
          <Trans>Waiting for the first fetch</Trans>
        </p>
        <p>
          <Trans>The items come by themselves in about a minute.</Trans>
        </p>
      </div>
    );
  }
  if (stream.kind === "starred" || filter === "starred") {
    return (
      <div className="state">
        <Star aria-hidden="true" />
        <p className="title">
          <Trans>Nothing is starred yet</Trans>
        </p>
        <p>
          {star ? (
            <Trans>
              Press <KeyHint command="item.star" /> or the star of an item to keep it here.
            </Trans>
          ) : (
            <Trans>Press the star of an item to keep it here.</Trans>
          )}
        </p>
      </div>
    );
  }
  if (filter === "unread") {
    return (
      <div className="state">
        <CircleCheck aria-hidden="true" />
        <p className="title">
          <Trans>Nothing is unread</Trans>
        </p>
        {nextUnread ? (
          <Link className="btn" href={readerPath({ kind: "feed", id: nextUnread.id }, "unread")}>
            <Trans>Go on with {feedTitle(nextUnread)}</Trans>
          </Link>
        ) : (
          <p>
            <Trans>You have read everything. New items come by themselves.</Trans>
          </p>
        )}
        <Link className="btn" href={readerPath(stream)}>
          <Trans>Show all items</Trans>
        </Link>
      </div>
    );
  }
  return (
    <div className="state">
      <Inbox aria-hidden="true" />
      <p className="title">
        <Trans>There are no items yet</Trans>
      </p>
      {feed?.status !== "stopped" && (
        <p>
          <Trans>New items appear here after the next check.</Trans>
        </p>
      )}
    </div>
  );
}
