import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { CircleCheck, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { refreshFeed } from "@/data/mutations/feed-refresh";
import { resumeFeed } from "@/data/mutations/feed-resume";
import { readerPath } from "@/data/routes";
import { type FailingFeed, refetchStats } from "@/data/stats";
import { clockTime } from "@/i18n/clock-time";
import { sentences } from "@/i18n/problem-text";
import { useNow } from "@/i18n/use-now";
import { LetterTile } from "@/ui/letter-tile";
import { Link } from "@/ui/link";
import { showError } from "@/ui/show-error";
import { showToast } from "@/ui/toasts";

/** Feeds that cannot be fetched, each with why and what helps. */
export function Failing({ feeds }: { feeds: readonly FailingFeed[] }) {
  return (
    <section className="card wide" aria-labelledby="failing">
      <h2 id="failing" tabIndex={-1}>
        <Trans>Failing feeds</Trans>{" "}
        {feeds.length > 0 && <span className="count">{feeds.length}</span>}
      </h2>
      {feeds.length === 0 ? (
        <p className="fine">
          <CircleCheck />
          <Trans>All feeds are working.</Trans>
        </p>
      ) : (
        <ul className="rows">
          {feeds.map((feed) => (
            <Row key={feed.id} feed={feed} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Row({ feed }: { feed: FailingFeed }) {
  const { t, i18n } = useLingui();
  const now = useNow();
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const stopped = feed.status === "stopped";
  const since = feed.error.since ? clockTime(feed.error.since, now, i18n.locale) : "";
  const next = feed.nextCheckAt ? clockTime(feed.nextCheckAt, now, i18n.locale) : "";
  const name = feed.title || feed.host;
  const verb = stopped ? t`Resume` : t`Refresh now`;

  const retry = async () => {
    setBusy(true);
    try {
      await (stopped ? resumeFeed(client, feed.id) : refreshFeed(client, feed.id));
      showToast(stopped ? t`Feed resumed` : t`Feed refreshed`);
    } catch (cause) {
      showError(cause);
    }
    await refetchStats(client);
    setBusy(false);
  };

  return (
    <li>
      <LetterTile name={name} />
      <div className="text">
        <Link href={readerPath({ kind: "feed", id: feed.id })} className="name" dir="auto">
          {name}
        </Link>
        <p className="why">
          <span className="mark" data-level={stopped ? "err" : "warn"}>
            <TriangleAlert />
            {stopped ? <Trans>Stopped</Trans> : <Trans>Error</Trans>}
          </span>{" "}
          {sentences(i18n.locale, feed.error.message, feed.error.action)}
        </p>
        <p className="hint">
          {[
            feed.host,
            since && t`Since ${since}`,
            feed.failures > 1 &&
              t`${plural(feed.failures, { one: "# time in a row", other: "# times in a row" })}`,
            next && t`next check ${next}`,
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
      </div>
      <button
        type="button"
        className="btn"
        aria-label={`${verb} ${name}`}
        aria-disabled={busy}
        onClick={() => !busy && void retry()}
      >
        {verb}
      </button>
    </li>
  );
}
