import { useLingui } from "@lingui/react/macro";

/** How many people bookmarked a link at Hatena, as a link to their comments; nothing where that is not known. */
export function Bookmarks({ count, link }: { count: number | null; link: string }) {
  const { t } = useLingui();
  if (count === null) return null;
  const name = t`Hatena bookmarks: ${count}`;
  return (
    <a
      className="bookmarks"
      data-step={stepOf(count)}
      href={hatenaPage(link)}
      target="_blank"
      rel="noopener noreferrer"
      tabIndex={-1}
      aria-label={name}
      title={name}
      onClick={(event) => event.stopPropagation()}
    >
      B {count}
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
