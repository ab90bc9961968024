import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { feedTitle } from "@/data/feeds";
import type { ListName } from "@/data/new-items";
import type { Feed } from "@/data/types";
import { clockTime } from "@/i18n/clock-time";
import { checksText } from "@/i18n/interval-text";
import { reasonFor } from "@/i18n/next-check";
import { useNow } from "@/i18n/use-now";
import { Link } from "@/ui/link";
import { Note } from "@/ui/note";
import type { Actions } from "./actions";

interface Props {
  feed: Feed;
  actions: Actions;
}

/** Above the list of a feed: its error and what helps, or when and why it is fetched next. */
export function FeedNotice({ feed, actions }: Props) {
  const { t, i18n } = useLingui();
  const now = useNow();
  const time = (iso: string | null) => (iso ? clockTime(iso, now, i18n.locale) : null);
  const checked = time(feed.lastCheckedAt);
  const next = time(feed.nextCheckAt);
  const reason = reasonFor(feed);
  const isUsual = ["default", "asked"].includes(feed.nextCheckReason.code);
  const why = typeof reason === "string" ? reason : i18n._(reason);

  return (
    <>
      {feed.error && <FeedFault feed={feed} actions={actions} />}
      {(feed.status !== "stopped" || next) && feed.status !== "waiting" && (
        <p className="feed-line">
          {checked && t`Checked ${checked}`}
          {checked && next && " · "}
          {next && t`next check ${next}`}
          {next && (isUsual ? ` · ${checksText(feed, i18n)}` : why && `: ${why}`)}
          {feed.itemsLeftOut > 0 && ` ${t`${feed.itemsLeftOut} older articles were skipped.`}`}{" "}
          {feed.isWatch && (
            <>
              <Link href={`/watches/${feed.id}`}>
                <Trans>Results and prices</Trans>
              </Link>{" "}
            </>
          )}
          <Link href={`/subscriptions/${feed.id}`}>
            <Trans>Details</Trans>
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
