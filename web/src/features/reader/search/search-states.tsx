import { Trans, useLingui } from "@lingui/react/macro";
import { Search, SearchX, WifiOff } from "lucide-react";
import type { ReactNode } from "react";
import { toApiError } from "@/data/api-error";
import { useMe } from "@/data/me";
import { type Search as Criteria, readerPath } from "@/data/routes";
import type { Searched } from "@/data/searches";
import type { Filter } from "@/data/types";
import { ErrorNote } from "@/ui/error-note";
import { Link } from "@/ui/link";
import type { Reader } from "../use-reader";
import { dayText } from "./day-text";
import { usePlaceName } from "./use-place-name";
import "./search.css";

interface Props {
  /** Null for a saved search that does not exist. */
  searched: Searched | null;
  isSaved: boolean;
  list: Reader["list"];
  onContinue: () => void;
}

/** A search without results: what was looked for, where, and what else can be done. */
export function NothingFound({ searched, isSaved, list, onContinue }: Props) {
  const isOff = useMe().data?.search === "off";
  if (isOff) return <Off />;
  if (searched?.q === "") return <Prompt />;
  if (!list.isError) {
    // The rows that are not there are those of the last answer, while the next is on its way.
    const q = list.data?.pages[0]?.q ?? searched?.q;
    if (!searched || q === undefined) return null;
    return q === "" ? (
      <Prompt />
    ) : (
      <NoResults searched={{ ...searched, q }} {...{ list, onContinue }} />
    );
  }
  const { status } = toApiError(list.error);
  if (status === 401) return null;
  // The box says what is wrong with what was typed.
  if (status < 500 && status !== 0 && !isSaved) return <Prompt />;
  if (status === 0) return <NoConnection onRetry={() => void list.refetch()} />;
  return (
    <div className="p-4">
      <ErrorNote
        error={list.error}
        {...(status < 500 ? {} : { onRetry: () => void list.refetch() })}
      />
    </div>
  );
}

function Off() {
  return (
    <div className="state">
      <SearchX />
      <p className="title">
        <Trans>Search is turned off on this server</Trans>
      </p>
      <p>
        <Trans>Whoever runs the server can turn it on with RURI_SEARCH.</Trans>
      </p>
    </div>
  );
}

function Prompt() {
  return (
    <div className="state">
      <Search />
      <p className="title">
        <Trans>Search your articles</Trans>
      </p>
      <Syntax />
    </div>
  );
}

function Syntax() {
  return (
    <dl className="search-help">
      <Example q={'"night train"'}>
        <Trans>exactly these words</Trans>
      </Example>
      <Example q="go*">
        <Trans>words that begin like this</Trans>
      </Example>
      <Example q="-cherry">
        <Trans>without this word</Trans>
      </Example>
      <Example q="title:tea">
        <Trans>only in titles</Trans>
      </Example>
      <Example q="author:ito">
        <Trans>by this author</Trans>
      </Example>
    </dl>
  );
}

function Example({ q, children }: { q: string; children: ReactNode }) {
  return (
    <div>
      <dt>
        <code>{q}</code>
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

function NoConnection({ onRetry }: { onRetry: () => void }) {
  return (
    <div className="state" role="status">
      <WifiOff />
      <p className="title">
        <Trans>Searching needs a connection</Trans>
      </p>
      <p>
        <Trans>Saved searches that you have opened on this device are available offline.</Trans>
      </p>
      <button type="button" className="btn" onClick={onRetry}>
        <Trans>Try again</Trans>
      </button>
    </div>
  );
}

interface ResultsProps extends Omit<Props, "isSaved"> {
  searched: Searched;
}

function NoResults({ searched, list, onContinue }: ResultsProps) {
  const { t, i18n } = useLingui();
  const { q, from, to, filter } = searched;
  const place = usePlaceName(searched.in) ?? t`All feeds`;
  const names: Record<Filter, string> = { all: "", unread: t`Unread`, starred: t`Starred` };
  const limits = [
    place,
    names[filter],
    from && t`From ${dayText(from, i18n.locale)}`,
    to && t`Before ${dayText(to, i18n.locale)}`,
  ];
  const { isTyped = false } = searched;
  const change = (patch: Partial<Criteria>, to: Filter = filter) =>
    readerPath({ kind: "search", ...searched, isTyped: false, ...patch }, to);
  return (
    <div className="state">
      <SearchX />
      <p className="title">
        {isTyped ? <Trans>No titles with “{q}”</Trans> : <Trans>No results for “{q}”</Trans>}
      </p>
      <p>{limits.filter(Boolean).join(" · ")}</p>
      {list.stoppedAt !== null && <SearchedBack reached={list.stoppedAt} onContinue={onContinue} />}
      <div className="flex flex-wrap justify-center gap-2">
        {isTyped && (
          <Link className="btn" href={change({})}>
            <Trans>Search everything</Trans>
          </Link>
        )}
        {searched.in !== "" && (
          <Link className="btn" href={change({ in: "" })}>
            <Trans>Search all feeds</Trans>
          </Link>
        )}
        {(from !== "" || to !== "") && (
          <Link className="btn" href={change({ from: "", to: "" })}>
            <Trans>Search all dates</Trans>
          </Link>
        )}
        {filter !== "all" && (
          <Link className="btn" href={change({}, "all")}>
            {filter === "unread" ? (
              <Trans>Include read articles</Trans>
            ) : (
              <Trans>Include articles without a star</Trans>
            )}
          </Link>
        )}
        {filter !== "starred" && searched.in === "" && (
          <Link className="btn" href={change({}, "starred")}>
            <Trans>Search starred articles of feeds you left</Trans>
          </Link>
        )}
      </div>
      <Syntax />
    </div>
  );
}

/** How far back a search got, and the button that goes on. */
export function SearchedBack({ reached, onContinue }: { reached: string; onContinue: () => void }) {
  const { i18n } = useLingui();
  const day = dayText(reached, i18n.locale);
  return (
    <p className="searched-back">
      <Trans>Searched back to {day}</Trans>
      <button type="button" className="btn" onClick={onContinue}>
        <Trans>Continue</Trans>
      </button>
    </p>
  );
}
