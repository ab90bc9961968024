import { Trans, useLingui } from "@lingui/react/macro";
import { readerPath, usualOf } from "@/data/routes";
import { type PopularUse as Use, usePopularUse } from "@/data/stats";
import type { FeedId } from "@/data/types";
import { Asked } from "./asked";
import { Ranks } from "./ranks";

/** What was clicked, opened and searched for most, by everybody who uses this installation. */
export function PopularUse({ days }: { days: number }) {
  const use = usePopularUse(days > 7 ? "month" : "week");
  return (
    <section className="card" aria-labelledby="popular-use">
      <h2 id="popular-use">
        <Trans>Popular on this server</Trans>
      </h2>
      <Asked query={use}>{(data) => <Lists use={data} />}</Asked>
    </section>
  );
}

function Lists({ use: { entries, tags, searches } }: { use: Use }) {
  const { t } = useLingui();
  if (entries.length + tags.length + searches.length === 0)
    return (
      <p className="hint">
        <Trans>
          Articles opened on their site, tags and searches appear here the day after. If several
          people use this reader, only what at least two of them did.
        </Trans>
      </p>
    );
  return (
    <>
      <Ranks
        title={t`Articles`}
        units={[t`Clicks`]}
        rows={entries.map(({ id, feedId, title, link, count }) => ({
          key: id,
          name: title || link,
          href: readerPath({ kind: "feed", id: feedId as FeedId }, "all", id),
          counts: [count],
        }))}
      />
      <Ranks
        title={t`Tags`}
        units={[t`Views`]}
        rows={tags.map(({ name, count }) => ({
          key: name,
          name,
          href: readerPath({ kind: "explore", tab: "new", tag: name, ...usualOf("new", name) }),
          counts: [count],
        }))}
      />
      <Ranks
        title={t`Searches`}
        units={[t`Times`]}
        rows={searches.map(({ name, count }) => ({
          key: name,
          name,
          href: readerPath({ kind: "search", q: name, in: "", from: "", to: "", sort: "date" }),
          counts: [count],
        }))}
      />
    </>
  );
}
