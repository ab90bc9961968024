import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { RefreshCw } from "lucide-react";
import { feedTitle, hostOf } from "@/data/feeds";
import { type Fetch, useFetches } from "@/data/fetches";
import type { Feed } from "@/data/types";
import { wordsFor } from "@/i18n/error-words";
import { absoluteTime, clockTime, number, perWeek } from "@/i18n/format";
import { intervalText, reasonFor } from "@/i18n/next-check";
import { useNow } from "@/i18n/use-now";
import { ErrorNote } from "@/ui/error-note";
import { FeedIcon } from "@/ui/feed-icon";
import { StateMark } from "./state-mark";
import type { Deeds } from "./use-deeds";

/** When a feed is looked at and why then, and what came of the last times. */
export function Fetching({ feed, deeds }: { feed: Feed; deeds: Deeds }) {
  const { t, i18n } = useLingui();
  const now = useNow();
  const time = (iso: string | null) => (iso ? clockTime(iso, now, i18n.locale) : t`never`);
  const reason = reasonFor(feed);
  const why = typeof reason === "string" ? reason : i18n._(reason);
  // The interval says its own reason.
  const moved = feed.nextCheckReason.code !== feed.intervalReason.code;
  const rounded = feed.itemsPerWeek === null ? "–" : perWeek(feed.itemsPerWeek, i18n.locale);
  const kept = number(feed.itemCount, i18n.locale);
  return (
    <section className="card" aria-labelledby="fetching">
      <h2 id="fetching">
        <Trans>Fetching</Trans>
        <button
          type="button"
          className="btn ms-auto"
          onClick={() => void deeds.fetchNow(feed)}
          disabled={feed.status === "stopped"}
        >
          <RefreshCw size={16} aria-hidden="true" />
          <Trans>Fetch now</Trans>
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
          <Trans>Items</Trans>
        </dt>
        <dd>
          <Trans>
            {kept} kept, {rounded} a week
          </Trans>
          {feed.itemsLeftOut > 0 &&
            `. ${t`${plural(feed.itemsLeftOut, { one: "# older item of the feed was left out.", other: "# older items of the feed were left out." })}`}`}
        </dd>
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
  const { t } = useLingui();
  const fetches = useFetches(feed.id);
  if (fetches.isError && !fetches.data) {
    return <ErrorNote error={fetches.error} onRetry={() => void fetches.refetch()} />;
  }
  if (!fetches.data) return <div className="skeleton h-40" aria-hidden="true" />;
  if (fetches.data.length === 0) {
    return (
      <p className="hint">
        <Trans>It has not been fetched yet.</Trans>
      </p>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keys too
    <section className="table-box" tabIndex={0} aria-label={t`The last fetches`}>
      <table>
        <caption>
          <Trans>The last fetches, the newest first</Trans>
        </caption>
        <thead>
          <tr>
            <th scope="col">
              <Trans>When</Trans>
            </th>
            <th scope="col">
              <Trans>Outcome</Trans>
            </th>
            <th scope="col" className="num">
              <Trans>Status</Trans>
            </th>
            <th scope="col" className="num">
              <Trans>Time</Trans>
            </th>
            <th scope="col" className="num">
              <Trans>Size</Trans>
            </th>
          </tr>
        </thead>
        <tbody>
          {fetches.data.map((fetch) => (
            <FetchLine key={`${fetch.runId} ${fetch.at}`} fetch={fetch} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function FetchLine({ fetch }: { fetch: Fetch }) {
  const { t, i18n } = useLingui();
  const now = useNow();
  const { outcome, code, newItems } = fetch;
  const outcomes: Record<string, string> = {
    notModified: t`nothing new`,
    unchanged: t`the same again`,
    changed:
      newItems > 0
        ? t`${plural(newItems, { one: "# new item", other: "# new items" })}`
        : t`changed, no new items`,
    deferred: t`put off`,
    skipped: t`left out`,
    lost: t`broken off`,
  };
  const failed = code !== null;
  const said = failed ? i18n._(wordsFor(code, "network").says) : (outcomes[outcome] ?? outcome);
  const milliseconds = number(fetch.durationMs, i18n.locale);
  return (
    <tr>
      <td>
        <time dateTime={fetch.at} title={absoluteTime(fetch.at, i18n.locale)}>
          {clockTime(fetch.at, now, i18n.locale)}
        </time>
      </td>
      <td data-bad={failed || undefined}>{said}</td>
      <td className="num">{fetch.status ?? "–"}</td>
      <td className="num">{t`${milliseconds} ms`}</td>
      <td className="num">{size(fetch.bytes, i18n.locale)}</td>
    </tr>
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
