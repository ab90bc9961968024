import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { RefreshCw } from "lucide-react";
import { feedTitle, hostOf } from "@/data/feeds";
import { type Fetch, useFetches } from "@/data/fetches";
import type { Feed } from "@/data/types";
import { clockTime } from "@/i18n/clock-time";
import { absoluteTime } from "@/i18n/format";
import { intervalText } from "@/i18n/interval-text";
import { reasonFor } from "@/i18n/next-check";
import { dollars, number, perWeek } from "@/i18n/numbers";
import { useNow } from "@/i18n/use-now";
import { DataTable } from "@/ui/data-table";
import { ErrorNote } from "@/ui/error-note";
import { FeedIcon } from "@/ui/feed-icon";
import { StateMark } from "./state-mark";
import type { SubscriptionActions } from "./use-subscription-actions";

/** When and why a feed is fetched, and its last fetches. */
export function Fetching({ feed, actions }: { feed: Feed; actions: SubscriptionActions }) {
  const { t, i18n } = useLingui();
  const now = useNow();
  const time = (iso: string | null) => (iso ? clockTime(iso, now, i18n.locale) : t`never`);
  const reason = reasonFor(feed);
  const why = typeof reason === "string" ? reason : i18n._(reason);
  // The reason of the interval is shown below.
  const moved = feed.nextCheckReason.code !== feed.intervalReason.code;
  const rounded = feed.itemsPerWeek === null ? "–" : perWeek(feed.itemsPerWeek, i18n.locale);
  const kept = number(feed.itemCount, i18n.locale);
  const usd = useFetches(feed.id).data?.monthlyUSD ?? null;
  return (
    <section className="card" aria-labelledby="fetching">
      <h2 id="fetching">
        <Trans>Fetching</Trans>
        <button
          type="button"
          className="btn ms-auto"
          onClick={() => void actions.fetchNow(feed)}
          disabled={feed.status === "stopped"}
        >
          <RefreshCw size={16} />
          <Trans>Refresh now</Trans>
        </button>
      </h2>
      <dl className="facts">
        <dt>
          <Trans>State</Trans>
        </dt>
        <dd>
          <StateMark feed={feed} />
        </dd>
        <dt>
          <Trans>Last check</Trans>
        </dt>
        <dd>{time(feed.lastCheckedAt)}</dd>
        <dt>
          <Trans>Last change</Trans>
        </dt>
        <dd>{time(feed.lastChangedAt)}</dd>
        <dt>
          <Trans>Next check</Trans>
        </dt>
        <dd>
          {feed.nextCheckAt ? time(feed.nextCheckAt) : ""}
          {moved && (feed.nextCheckAt ? `: ${why}` : why)}
        </dd>
        <dt>
          <Trans>Interval</Trans>
        </dt>
        <dd>{intervalText(feed, i18n)}</dd>
        <dt>
          <Trans>Articles</Trans>
        </dt>
        <dd>
          <Trans>
            {kept} stored, {rounded} per week
          </Trans>
          {feed.itemsLeftOut > 0 &&
            `. ${t`${plural(feed.itemsLeftOut, { one: "# older article was skipped.", other: "# older articles were skipped." })}`}`}
        </dd>
        {usd !== null && (
          <>
            <dt>
              <Trans>Cost</Trans>
            </dt>
            <dd>
              <Trans>about {dollars(usd, i18n.locale)} per month without the free tier</Trans>
            </dd>
          </>
        )}
        <dt>
          <Trans>Site</Trans>
        </dt>
        <dd>
          <FeedIcon url={feed.iconUrl} name={feedTitle(feed)} />{" "}
          <a href={feed.siteUrl || feed.url} target="_blank" rel="noopener noreferrer">
            {hostOf(feed.siteUrl || feed.url)}
          </a>
        </dd>
      </dl>
      <History feed={feed} />
    </section>
  );
}

function History({ feed }: { feed: Feed }) {
  const { t, i18n } = useLingui();
  const now = useNow();
  const time = ({ durationMs }: Fetch) => {
    const milliseconds = number(durationMs, i18n.locale);
    return t`${milliseconds} ms`;
  };
  const outcome = ({ outcome, message, newItems }: Fetch) => {
    const outcomes: Record<string, string> = {
      notModified: t`no new articles`,
      unchanged: t`unchanged`,
      changed:
        newItems > 0
          ? t`${plural(newItems, { one: "# new article", other: "# new articles" })}`
          : t`changed, no new articles`,
      deferred: t`postponed`,
      skipped: t`skipped`,
      lost: t`interrupted`,
    };
    return message ?? outcomes[outcome] ?? outcome;
  };
  const fetches = useFetches(feed.id);
  if (fetches.isError && !fetches.data) {
    return <ErrorNote error={fetches.error} onRetry={() => void fetches.refetch()} />;
  }
  if (!fetches.data) return <div className="skeleton h-40" aria-hidden="true" />;
  if (fetches.data.fetches.length === 0) {
    return (
      <p className="hint">
        <Trans>Not fetched yet</Trans>
      </p>
    );
  }
  return (
    <DataTable
      className="fetches"
      label={t`Recent fetches`}
      caption={
        <caption>
          <Trans>Recent fetches, newest first</Trans>
        </caption>
      }
      columns={[
        {
          title: t`When`,
          cell: ({ at }) => (
            <time dateTime={at} title={absoluteTime(at, i18n.locale)}>
              {clockTime(at, now, i18n.locale)}
            </time>
          ),
        },
        {
          title: t`Outcome`,
          cell: outcome,
          attributes: ({ message }) => ({ "data-bad": message !== null || undefined }),
        },
        { title: t`Status`, className: "num", cell: ({ status }) => status ?? "–" },
        { title: t`Time`, className: "num", cell: time },
        { title: t`Size`, className: "num", cell: ({ bytes }) => size(bytes, i18n.locale) },
      ]}
      rows={fetches.data.fetches}
      keyOf={({ runId, at }) => `${runId} ${at}`}
    />
  );
}

function size(bytes: number, locale: string): string {
  if (bytes === 0) return "0";
  return new Intl.NumberFormat(locale, {
    style: "unit",
    unit: "kilobyte",
    maximumFractionDigits: 1,
  }).format(bytes / 1000);
}
