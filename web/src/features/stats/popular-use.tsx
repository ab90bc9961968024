import { Trans, useLingui } from "@lingui/react/macro";
import { readerPath, usualOf } from "@/data/routes";
import { type PopularUse as Use, usePopularUse } from "@/data/stats";
import type { FeedId } from "@/data/types";
import { number } from "@/i18n/numbers";
import { Link } from "@/ui/link";
import { Asked } from "./asked";

interface Row {
  key: string;
  name: string;
  href: string;
  count: number;
}

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
        unit={t`Clicks`}
        rows={entries.map(({ id, feedId, title, link, count }) => ({
          key: id,
          name: title || link,
          href: readerPath({ kind: "feed", id: feedId as FeedId }, "all", id),
          count,
        }))}
      />
      <Ranks
        title={t`Tags`}
        unit={t`Views`}
        rows={tags.map(({ name, count }) => ({
          key: name,
          name,
          href: readerPath({ kind: "explore", tab: "new", tag: name, ...usualOf("new", name) }),
          count,
        }))}
      />
      <Ranks
        title={t`Searches`}
        unit={t`Times`}
        rows={searches.map(({ name, count }) => ({
          key: name,
          name,
          href: readerPath({ kind: "search", q: name, in: "", from: "", to: "", sort: "date" }),
          count,
        }))}
      />
    </>
  );
}

function Ranks({ title, unit, rows }: { title: string; unit: string; rows: readonly Row[] }) {
  const { i18n } = useLingui();
  const top = Math.max(1, ...rows.map(({ count }) => count));
  if (rows.length === 0) return null;
  return (
    <table className="ranks">
      <thead>
        <tr>
          <th scope="col">{title}</th>
          <th scope="col" className="num">
            {unit}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, name, href, count }) => (
          <tr key={key}>
            <th scope="row">
              <Link className="name" dir="auto" href={href}>
                {name}
              </Link>
              <span
                className="bar"
                aria-hidden="true"
                style={{ inlineSize: `${(100 * count) / top}%` }}
              />
            </th>
            <td className="num">{number(count, i18n.locale)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
