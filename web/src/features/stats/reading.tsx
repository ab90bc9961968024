import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { feedTitle, useFeedsById } from "@/data/feeds";
import { readerPath, type Stream } from "@/data/routes";
import { type ReadingStats, useReadingStats } from "@/data/stats";
import { useKnownTree } from "@/data/tree";
import type { FeedId, FolderId } from "@/data/types";
import { number } from "@/i18n/numbers";
import { Link } from "@/ui/link";
import { Asked } from "./asked";
import { BarChart } from "./bar-chart";
import { NotReadFeeds } from "./not-read";
import { type Rank, rankFeeds, rankFolders } from "./rankings";

/** What the person read: by day, by feed and folder, and feeds that were not read. */
export function Reading({ days }: { days: number }) {
  const { t, i18n } = useLingui();
  const reading = useReadingStats(days);
  return (
    <>
      <section className="card wide" aria-labelledby="reading">
        <h2 id="reading">
          <Trans>Reading</Trans>
        </h2>
        <Asked query={reading}>
          {(data) => (
            <>
              <BarChart
                title={t`Articles per day`}
                locale={i18n.locale}
                series={[
                  { name: t`Read`, kind: "calm" },
                  { name: t`Marked all as read`, kind: "pale" },
                  { name: t`Starred`, kind: "news" },
                ]}
                days={data.days.map(({ day, read, cleared, starred }) => ({
                  day,
                  values: [read, cleared, starred],
                }))}
              />
              <p className="hint">
                <Trans>
                  “Read” counts articles you opened, scrolled past or marked individually. Only
                  feeds you subscribe to are included. Days are in UTC.
                </Trans>
              </p>
            </>
          )}
        </Asked>
      </section>
      <section className="card" aria-labelledby="most">
        <Asked query={reading}>{(data) => <MostRead feeds={data.feeds} />}</Asked>
      </section>
      <NotReadFeeds query={reading} days={days} />
    </>
  );
}

const shown = 10;

function MostRead({ feeds }: Pick<ReadingStats, "feeds">) {
  const { t, i18n } = useLingui();
  const [by, setBy] = useState<"feed" | "folder">("feed");
  const known = useFeedsById();
  const { folders } = useKnownTree();
  const ranks =
    by === "feed"
      ? rankFeeds(feeds, known, feedTitle)
      : rankFolders(feeds, known, folders, t`No folder`);
  const top = Math.max(1, ...ranks.map(({ read }) => read));
  const n = (value: number) => number(value, i18n.locale);
  const names = { feed: t`Feeds`, folder: t`Folders` };
  return (
    <>
      <div className="card-head">
        <h2 id="most">
          <Trans>Most read</Trans>
        </h2>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a flex row everywhere */}
        <div className="segments" role="group" aria-label={t`Most read`}>
          {(["feed", "folder"] as const).map((one) => (
            <button key={one} type="button" aria-pressed={by === one} onClick={() => setBy(one)}>
              {names[one]}
            </button>
          ))}
        </div>
      </div>
      {ranks.length === 0 ? (
        <p className="hint">
          <Trans>No articles read in this period</Trans>
        </p>
      ) : (
        <table className="ranks">
          <thead>
            <tr>
              <th scope="col">{by === "feed" ? <Trans>Feed</Trans> : <Trans>Folder</Trans>}</th>
              <th scope="col" className="num">
                <Trans>Read</Trans>
              </th>
              <th scope="col" className="num">
                <Trans>Starred</Trans>
              </th>
            </tr>
          </thead>
          <tbody>
            {ranks.slice(0, shown).map((rank) => (
              <tr key={rank.id ?? "outside"}>
                <th scope="row">
                  <RankName rank={rank} by={by} />
                  <span
                    className="bar"
                    aria-hidden="true"
                    style={{ inlineSize: `${(100 * rank.read) / top}%` }}
                  />
                </th>
                <td className="num">{n(rank.read)}</td>
                <td className="num">{n(rank.starred)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

function RankName({ rank, by }: { rank: Rank; by: "feed" | "folder" }) {
  if (rank.id === null)
    return (
      <span className="name" dir="auto">
        {rank.name}
      </span>
    );
  const stream: Stream =
    by === "feed"
      ? { kind: "feed", id: rank.id as FeedId }
      : { kind: "folder", id: rank.id as FolderId };
  return (
    <Link className="name" dir="auto" href={readerPath(stream)}>
      {rank.name}
    </Link>
  );
}
