import { useLingui } from "@lingui/react/macro";
import type { ItemSummary } from "@/data/types";

interface Props {
  item: Pick<ItemSummary, "bookmarkCount" | "growth" | "link">;
  /** In a column: the number alone, from 10 on, or any where lists are by them. */
  isPlain?: boolean;
}

/** How often an article was bookmarked at Hatena, with a link to the comments there; nothing where that is not known. */
export function Bookmarks({ item, isPlain = false }: Props) {
  const { t } = useLingui();
  const { bookmarkCount, growth, link } = item;
  if (bookmarkCount === null) return null;
  if (isPlain && bookmarkCount < 10 && growth === undefined) return null;
  return (
    <Count
      sign={isPlain ? "" : "B "}
      count={bookmarkCount}
      growth={growth}
      name={
        growth
          ? t`Hatena bookmarks: ${bookmarkCount}, ${growth} of them in the last day`
          : t`Hatena bookmarks: ${bookmarkCount}`
      }
      href={hatenaPage(link)}
    />
  );
}

function Count(props: {
  sign: string;
  count: number;
  growth: number | null | undefined;
  name: string;
  href: string;
}) {
  const { sign, count, growth, name, href } = props;
  return (
    <a
      className="bookmarks"
      data-step={stepOf(count)}
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      tabIndex={-1}
      title={name}
    >
      <span aria-hidden="true">
        {sign}
        {count}
        {growth != null && <span className="growth">{growth > 0 && ` +${growth}`}</span>}
      </span>
      <span className="sr-only">{name}</span>
    </a>
  );
}

/** From 10, 100 and 500 on a count stands out more and more. */
function stepOf(count: number): string | undefined {
  if (count < 10) return undefined;
  if (count < 100) return "some";
  return count < 500 ? "many" : "most";
}

/** The page of a link at Hatena Bookmark: its addresses are the link's without the scheme, with "s/" before those of https. */
export function hatenaPage(link: string): string {
  const path = link.replace(/^https:\/\//i, "s/").replace(/^http:\/\//i, "");
  return `https://b.hatena.ne.jp/entry/${path.replaceAll("#", "%23")}`;
}
