import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
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
  const { t } = useLingui();
  const isOff = useMe().data?.search === "off";
  const isOld = list.isPending || list.isPlaceholderData;
  const isDone = searched !== null && searched.q !== "" && !isOld && !list.isError;
  const count = list.items.length;
  return (
    <div className="search-head">
      {!isOff && <SearchBox route={route} />}
      {searched !== null && searched.q !== "" && <SearchChips route={route} searched={searched} />}
      {list.data?.pages[0]?.isBuilding && (
        <p className="feed-line">
          <Trans>Articles are still being indexed. Some may be missing.</Trans>
        </p>
      )}
      <span className="sr-only" role="status">
        {isDone &&
          (count === 0
            ? t`No results`
            : t`${plural(count, { one: "# result shown", other: "# results shown" })}`)}
      </span>
    </div>
  );
}
