import { Trans, useLingui } from "@lingui/react/macro";
import { CircleCheck, Clock, History, Inbox, Rss, Star, Tag, Upload, WifiOff } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { useOffline } from "@/data/connection";
import { feedTitle } from "@/data/feeds";
import { isWelcomed, useIsWelcomed } from "@/data/mutations/welcome";
import { type ReaderRoute, readerPath } from "@/data/routes";
import { readLaterOf, useKnownTree } from "@/data/tree";
import type { Feed } from "@/data/types";
import { navigate } from "@/data/use-route";
import { runCommand } from "@/keys/use-command";
import { ErrorNote } from "@/ui/error-note";
import { KeyHint, useKey } from "@/ui/key-hint";
import { Link } from "@/ui/link";
import { useMedia } from "@/ui/use-media";
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
  const { t } = useLingui();
  // A touch screen shows no keys.
  const isTouch = useMedia("(pointer: coarse)");
  const star = useKey("item.star") !== undefined && !isTouch;
  const keep = useKey("item.later") !== undefined && !isTouch;
  const later = readLaterOf(useKnownTree().labels)?.id;
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
      <State icon={<Clock />} title={t`Waiting for the first fetch`} isStatus>
        <p>
          <Trans>Articles will appear in about a minute.</Trans>
        </p>
      </State>
    );
  }
  if (isOffline) {
    return (
      <State icon={<WifiOff />} title={t`No articles on this device`}>
        <p>
          <Trans>You're offline. Other articles load when you are online again.</Trans>
        </p>
      </State>
    );
  }
  if (stream.kind === "recent") {
    return (
      <State icon={<History />} title={t`Nothing read yet`}>
        <p>
          <Trans>Articles you open on this device will be listed here.</Trans>
        </p>
        <ShowAll route={{ ...route, stream: { kind: "all" } }} />
      </State>
    );
  }
  if (stream.kind === "starred" || filter === "starred") {
    return (
      <State icon={<Star />} title={t`No starred articles`}>
        <p>
          {star ? (
            <Trans>
              Press <KeyHint command="item.star" /> or the star on an article to keep it here.
            </Trans>
          ) : (
            <Trans>Press the star on an article to keep it here.</Trans>
          )}
        </p>
      </State>
    );
  }
  if (filter === "unread") {
    return (
      <State icon={<CircleCheck />} title={t`No unread articles`}>
        {nextUnread ? (
          <Link className="btn" href={readerPath({ kind: "feed", id: nextUnread.id }, "unread")}>
            <Trans>Next unread: {feedTitle(nextUnread)}</Trans>
          </Link>
        ) : (
          <p>
            <Trans>You're all caught up. New articles will appear automatically.</Trans>
          </p>
        )}
        <ShowAll route={route} />
      </State>
    );
  }
  if (stream.kind === "label") {
    return (
      <State
        icon={<Tag />}
        title={stream.id === later ? t`Nothing to read later` : t`No articles with this label`}
      >
        <p>
          {stream.id !== later ? (
            <Trans>Choose Labels… in the menu of an article to put it here.</Trans>
          ) : keep ? (
            <Trans>
              Press <KeyHint command="item.later" /> or the clock on an article to keep it here.
            </Trans>
          ) : (
            <Trans>Choose Read later in the menu of an article to keep it here.</Trans>
          )}
        </p>
      </State>
    );
  }
  return (
    <State icon={<Inbox />} title={t`No articles yet`}>
      {feed?.status !== "stopped" && (
        <>
          <p>
            <Trans>New articles will appear here after the next check.</Trans>
          </p>
          {feed ? (
            <button type="button" className="btn" onClick={() => runCommand("feed.refresh")}>
              <Trans>Check now</Trans>
            </button>
          ) : (
            <button type="button" className="btn" onClick={() => runCommand("feed.add")}>
              <Trans>Add a feed</Trans>
            </button>
          )}
        </>
      )}
    </State>
  );
}

function State(props: { icon: ReactNode; title: string; isStatus?: true; children: ReactNode }) {
  return (
    <div className="state" role={props.isStatus && "status"}>
      {props.icon}
      <p className="title">{props.title}</p>
      {props.children}
    </div>
  );
}

function ShowAll({ route }: { route: ReaderRoute }) {
  return (
    <Link className="btn" href={readerPath(route.stream, "all")}>
      <Trans>Show all articles</Trans>
    </Link>
  );
}
