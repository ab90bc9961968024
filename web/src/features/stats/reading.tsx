import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { feedTitle, useFeedsById } from "@/data/feeds";
import { readerPath, type Stream } from "@/data/routes";
import { type ReadingStats, useReadingStats } from "@/data/stats";
import { useKnownTree } from "@/data/tree";
import { Asked } from "./asked";
import { BarChart } from "./bar-chart";
import { NotReadFeeds } from "./not-read";
import { rankFeeds, rankFolders } from "./rankings";
import { Ranks } from "./ranks";

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
  const { t } = useLingui();
  const [by, setBy] = useState<"feed" | "folder">("feed");
  const known = useFeedsById();
  const { folders } = useKnownTree();
  const ranks =
    by === "feed"
      ? rankFeeds(feeds, known, feedTitle)
      : rankFolders(feeds, known, folders, t`No folder`);
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
        <Ranks
          title={by === "feed" ? t`Feed` : t`Folder`}
          units={[t`Read`, t`Starred`]}
          rows={ranks.slice(0, shown).map(({ id, name, read, starred }) => ({
            key: id ?? "outside",
            name,
            href: id && readerPath({ kind: by, id } as Stream),
            counts: [read, starred],
          }))}
        />
      )}
    </>
  );
}
