import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { feedTitle } from "@/data/feeds";
import type { ListName } from "@/data/new-items";
import type { Feed } from "@/data/types";
import { clockTime } from "@/i18n/clock-time";
import { useNow } from "@/i18n/use-now";
import { Link } from "@/ui/link";
import { Note } from "@/ui/note";
import type { Actions } from "./actions";

interface Props {
  feed: Feed;
  actions: Actions;
}

/** Above the list of a feed: its error and what helps, and of a watch where its results are. */
export function FeedNotice({ feed, actions }: Props) {
  return (
    <>
      {feed.error && <FeedFault feed={feed} actions={actions} />}
      {feed.isWatch && (
        <p className="feed-line">
          <Link href={`/watches/${feed.id}`}>
            <Trans>Results and prices</Trans>
          </Link>
        </p>
      )}
    </>
  );
}

const listOf = ({ id }: Feed): ListName => ({
  stream: { kind: "feed", id },
  filter: "all",
  order: "new",
});

function FeedFault({ feed, actions }: Props) {
  const { i18n } = useLingui();
  const now = useNow();
  const [busy, setBusy] = useState(false);
  const fault = feed.error;
  if (!fault) return null;
  const stopped = feed.status === "stopped";
  const since = fault.since ? clockTime(fault.since, now, i18n.locale) : "";
  const run = async (action: () => Promise<void>) => {
    setBusy(true);
    await action();
    setBusy(false);
  };
  return (
    <section className="feed-fault" aria-label={feedTitle(feed)}>
      <Note kind={stopped ? "err" : "warn"}>
        <strong>{stopped ? <Trans>This feed is no longer updated.</Trans> : fault.message}</strong>{" "}
        {stopped && fault.message} {fault.action}
        {since && (
          <span className="block text-xs">
            <Trans>Since {since}</Trans>
          </span>
        )}
        <span className="mt-2 flex flex-wrap gap-2">
          {stopped ? (
            <button
              type="button"
              className="btn"
              disabled={busy}
              onClick={() => void run(() => actions.resume(feed))}
            >
              <Trans>Resume</Trans>
            </button>
          ) : (
            <button
              type="button"
              className="btn"
              disabled={busy}
              onClick={() => void run(() => actions.refresh(listOf(feed)))}
            >
              <Trans>Refresh now</Trans>
            </button>
          )}
          <a
            className="btn"
            href={feed.siteUrl || feed.url}
            target="_blank"
            rel="noopener noreferrer"
          >
            <Trans>Open the site</Trans>
          </a>
          <Link className="btn" href={`/subscriptions/${feed.id}`}>
            <Trans>Details</Trans>
          </Link>
          <button type="button" className="btn" onClick={() => actions.unsubscribe(feed)}>
            <Trans>Unsubscribe</Trans>
          </button>
        </span>
      </Note>
    </section>
  );
}
