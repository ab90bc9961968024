import { Trans } from "@lingui/react/macro";
import { CircleCheck, Clock, History, Inbox, Rss, Star, Upload, WifiOff } from "lucide-react";
import { useEffect } from "react";
import { useOffline } from "@/data/connection";
import { feedTitle } from "@/data/feeds";
import { isWelcomed, useIsWelcomed } from "@/data/mutations/welcome";
import { type ReaderRoute, readerPath } from "@/data/routes";
import type { Feed } from "@/data/types";
import { navigate } from "@/data/use-route";
import { runCommand } from "@/keys/use-command";
import { ErrorNote } from "@/ui/error-note";
import { KeyHint, useKey } from "@/ui/key-hint";
import { Link } from "@/ui/link";
import { useNextUnread } from "../side/use-side-tree";

interface Props {
  route: ReaderRoute;
  feed: Feed | undefined;
  hasFeeds: boolean;
  onImport: () => void;
}

/** A list or a page of it that could not be loaded. */
export function ListError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return <ErrorNote error={error} onRetry={onRetry} />;
}

/** An empty list: why, and what can be done. */
export function EmptyList({ route, feed, hasFeeds, onImport }: Props) {
  const { stream, filter } = route;
  const star = useKey("item.star");
  const nextUnread = useNextUnread(feed?.id ?? null);
  const wasWelcomed = useIsWelcomed();
  const isOffline = useOffline();
  const isFirstRun = !hasFeeds && stream.kind === "all" && filter === "all" && !wasWelcomed;
  useEffect(() => {
    // Checked again: leaving the first run for this list sets it after this was rendered.
    if (isFirstRun && !isWelcomed()) navigate("/welcome", { replace: true });
  }, [isFirstRun]);
  if (isFirstRun) return null;
  if (!hasFeeds && stream.kind !== "starred") {
    return (
      <div className="state">
        <Rss />
        <p className="title">
          <Trans>Welcome to Ruri Reader</Trans>
        </p>
        <p>
          <Trans>Add a website address, or import your subscriptions.</Trans>
        </p>
        <div className="flex flex-wrap justify-center gap-2">
          <Link className="btn btn-main" href="/welcome">
            <Trans>Get started</Trans>
          </Link>
          <button type="button" className="btn" onClick={() => runCommand("feed.add")}>
            <Trans>Add a feed</Trans>
          </button>
          <button type="button" className="btn" onClick={onImport}>
            <Upload size={16} />
            <Trans>Import OPML</Trans>
          </button>
        </div>
      </div>
    );
  }
  if (feed?.status === "waiting") {
    return (
      <div className="state" role="status">
        <Clock />
        <p className="title">
          <Trans>Waiting for the first fetch</Trans>
        </p>
        <p>
          <Trans>Articles will appear in about a minute.</Trans>
        </p>
      </div>
    );
  }
  if (isOffline) {
    return (
      <div className="state">
        <WifiOff />
        <p className="title">
          <Trans>No articles on this device</Trans>
        </p>
        <p>
          <Trans>You're offline. Other articles are not on this device.</Trans>
        </p>
      </div>
    );
  }
  if (stream.kind === "recent") {
    return (
      <div className="state">
        <History />
        <p className="title">
          <Trans>Nothing read yet</Trans>
        </p>
        <p>
          <Trans>Articles you open on this device will be listed here.</Trans>
        </p>
      </div>
    );
  }
  if (stream.kind === "starred" || filter === "starred") {
    return (
      <div className="state">
        <Star />
        <p className="title">
          <Trans>No starred articles</Trans>
        </p>
        <p>
          {star ? (
            <Trans>
              Press <KeyHint command="item.star" /> or the star on an article to keep it here.
            </Trans>
          ) : (
            <Trans>Press the star on an article to keep it here.</Trans>
          )}
        </p>
      </div>
    );
  }
  if (filter === "unread") {
    return (
      <div className="state">
        <CircleCheck />
        <p className="title">
          <Trans>No unread articles</Trans>
        </p>
        {nextUnread ? (
          <Link className="btn" href={readerPath({ kind: "feed", id: nextUnread.id }, "unread")}>
            <Trans>Next unread: {feedTitle(nextUnread)}</Trans>
          </Link>
        ) : (
          <p>
            <Trans>You're all caught up. New articles will appear automatically.</Trans>
          </p>
        )}
        <Link className="btn" href={readerPath(stream, "all")}>
          <Trans>Show all articles</Trans>
        </Link>
      </div>
    );
  }
  return (
    <div className="state">
      <Inbox />
      <p className="title">
        <Trans>No articles yet</Trans>
      </p>
      {feed?.status !== "stopped" && (
        <p>
          <Trans>New articles will appear here after the next check.</Trans>
        </p>
      )}
    </div>
  );
}
