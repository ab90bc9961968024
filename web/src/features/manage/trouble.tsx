import { Trans } from "@lingui/react/macro";
import type { Feed } from "@/data/types";
import { TroubleRow } from "./trouble-row";
import type { Deeds } from "./use-deeds";

/** What needs a person comes first: feeds that have stopped, then those that fail. */
export function troubled(feeds: readonly Feed[]): Feed[] {
  const since = (feed: Feed) => feed.error?.since ?? "";
  return feeds
    .filter((feed) => feed.status === "stopped" || feed.status === "error")
    .sort(
      (a, b) =>
        Number(b.status === "stopped") - Number(a.status === "stopped") ||
        since(a).localeCompare(since(b)),
    );
}

export function Trouble({ feeds, deeds }: { feeds: readonly Feed[]; deeds: Deeds }) {
  return (
    <section className="card trouble" aria-labelledby="trouble">
      <h2 id="trouble">
        <Trans>Feeds that need a look</Trans> <span className="count">{feeds.length}</span>
      </h2>
      <ul>
        {feeds.map((feed) => (
          <li key={feed.id} data-row>
            <TroubleRow feed={feed} deeds={deeds} isLinked />
          </li>
        ))}
      </ul>
    </section>
  );
}
