import { Trans } from "@lingui/react/macro";
import { useMe } from "@/data/me";
import type { Searched } from "@/data/searches";
import { SearchBox } from "../side/search-box";
import type { Reader } from "../use-reader";
import { SearchChips } from "./search-chips";
import "./search.css";

interface Props {
  reader: Reader;
  /** Null for a saved search that does not exist. */
  searched: Searched | null;
}

/** Above the results of a search: the box, and how is searched. */
export function SearchHead({ reader: { route, list }, searched }: Props) {
  const isOff = useMe().data?.search === "off";
  return (
    <div className="search-head">
      {!isOff && <SearchBox route={route} />}
      {!isOff && <SyntaxLine isTyped={searched?.isTyped === true && searched.q !== ""} />}
      {!isOff && searched !== null && (
        <SearchChips
          route={route}
          searched={searched}
          total={list.isError ? undefined : list.data?.pages[0]?.total}
        />
      )}
      {list.data?.pages[0]?.isBuilding && (
        <p className="feed-line">
          <Trans>Articles are still being indexed. Some may be missing.</Trans>
        </p>
      )}
    </div>
  );
}

/** One line of help; while one types, what is shown so far. */
function SyntaxLine({ isTyped }: { isTyped: boolean }) {
  if (isTyped)
    return (
      <p className="search-line">
        <Trans>Matching titles. Press Enter to search everything.</Trans>
      </p>
    );
  return (
    <p className="search-line">
      <span>
        <Trans>
          <code>"night train"</code> exactly these words
        </Trans>
      </span>
      <span>
        <Trans>
          <code>-cherry</code> without this word
        </Trans>
      </span>
      <span>
        <Trans>
          <code>title:tea</code> only in titles
        </Trans>
      </span>
      <span>
        <Trans>
          <code>after:2026-05-03</code> from this day on
        </Trans>
      </span>
      <span>
        <Trans>
          <code>is:starred</code> with a star
        </Trans>
      </span>
    </p>
  );
}
