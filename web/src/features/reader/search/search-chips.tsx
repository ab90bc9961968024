import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { Bookmark, BookmarkCheck, ChevronDown, Funnel } from "lucide-react";
import { memo, type ReactNode, useState } from "react";
import { feedTitle, useFeeds } from "@/data/feeds";
import { folderPaths } from "@/data/folder-paths";
import { useMe } from "@/data/me";
import { createSearch, deleteSearch } from "@/data/mutations/searches";
import { type ReaderRoute, readerPath, type Search } from "@/data/routes";
import { isTitleOnly, withTitleOnly } from "@/data/search-terms";
import { type Searched, searchedIn, useSearches } from "@/data/searches";
import { useKnownTree } from "@/data/tree";
import type { Filter, Total } from "@/data/types";
import { go } from "@/data/use-route";
import { number } from "@/i18n/numbers";
import { useCommands } from "@/keys/use-command";
import { Menu, MenuChoice, MenuItem } from "@/ui/menu";
import { offerUndo } from "@/ui/undo";
import { NameDialog } from "../side/name-dialog";
import { dayBefore, dayText } from "./day-text";

interface Props {
  route: ReaderRoute;
  searched: Searched;
  /** Of the results that are shown. */
  total: Total | null | undefined;
}

/** How is searched, in one line. Everything here changes the address, and nothing else. */
export function SearchChips({ route, searched, total }: Props) {
  const { t, i18n } = useLingui();
  const { q, filter, from, to } = searched;
  const hasCounts = useMe().data?.bookmarkCounts === true;
  const change = (patch: Partial<Search>, wanted: Filter = filter) =>
    go(readerPath({ kind: "search", ...searched, ...patch }, wanted, null, { mode: route.mode }));
  const toFilter = (wanted: Filter) => change({}, filter === wanted ? "all" : wanted);
  useCommands({
    "filter.all": () => change({}, "all"),
    "filter.unread": () => change({}, "unread"),
    "filter.starred": () => change({}, "starred"),
  });

  const month = dayBefore(Date.now(), 30);
  const isDated = from !== "" || to !== "";
  const dates = [
    from && t`From ${dayText(from, i18n.locale)}`,
    to && t`Before ${dayText(to, i18n.locale)}`,
  ];
  const isOther = isDated && (from !== month || to !== "");
  const isTitles = isTitleOnly(q);
  const setDates = (value: string) => change({ from: value === "month" ? month : "", to: "" });
  const rule = `/rules?edit=new&q=${encodeURIComponent(q)}${searched.in ? `&in=${searched.in}` : ""}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: not fields of a form
    <div className="search-chips" role="group" aria-label={t`Search options`}>
      <PlaceChoice place={searched.in} onChoose={(place) => change({ in: place })} />
      <Chip isOn={isDated} onClick={() => setDates(isDated ? "" : "month")}>
        {isOther ? dates.filter(Boolean).join(" · ") : <Trans>Last 30 days</Trans>}
      </Chip>
      <Chip isOn={filter === "unread"} onClick={() => toFilter("unread")}>
        <Trans>Unread</Trans>
      </Chip>
      <Chip isOn={filter === "starred"} onClick={() => toFilter("starred")}>
        <Trans>Starred</Trans>
      </Chip>
      <span className="menu-place">
        <Menu
          label={t`Filters`}
          icon={
            <>
              <Trans>Filters</Trans>
              <ChevronDown />
            </>
          }
          className="chip"
          place="top-9 start-0"
        >
          {(close) => {
            const then =
              <T,>(run: (value: T) => void) =>
              (value: T) => {
                close();
                run(value);
              };
            return (
              <>
                <MenuChoice
                  label={t`Show`}
                  value={filter}
                  onChoose={then((wanted: Filter) => change({}, wanted))}
                  options={[
                    { value: "all", label: t`All` },
                    { value: "unread", label: t`Unread` },
                    { value: "starred", label: t`Starred` },
                  ]}
                />
                <MenuChoice
                  label={t`Published`}
                  value={isOther ? "other" : isDated ? "month" : "any"}
                  onChoose={then(setDates)}
                  options={[
                    { value: "any", label: t`Any time` },
                    { value: "month", label: t`Last 30 days` },
                  ]}
                />
                <MenuChoice
                  label={t`Look in`}
                  value={isTitles ? "titles" : "all"}
                  onChoose={then((where) => change({ q: withTitleOnly(q, where === "titles") }))}
                  options={[
                    { value: "all", label: t`Titles and texts` },
                    { value: "titles", label: t`Titles only` },
                  ]}
                />
                {q !== "" && (
                  <>
                    <hr />
                    <MenuItem icon={<Funnel />} onClick={then(() => go(rule))}>
                      <Trans>Create rule</Trans>
                    </MenuItem>
                  </>
                )}
              </>
            );
          }}
        </Menu>
      </span>
      <Count total={q === "" ? null : total} />
      <select
        aria-label={t`Sort results`}
        value={searched.sort}
        onChange={({ target }) => change({ sort: target.value as Search["sort"] })}
      >
        <option value="date">{t`Newest first`}</option>
        <option value="best">{t`Best matches first`}</option>
        {(hasCounts || searched.sort === "popular") && (
          <option value="popular">{t`Most bookmarked first`}</option>
        )}
      </select>
      {q !== "" && <SaveButton route={route} searched={searched} />}
    </div>
  );
}

/** How much is found, of which the rows are the beginning. */
function Count({ total }: { total: Total | null | undefined }) {
  const { t, i18n } = useLingui();
  const text = () => {
    if (!total) return "";
    const { items, feeds, isAtLeast } = total;
    if (items === 0) return isAtLeast ? "" : t`No results`;
    const least = number(items, i18n.locale);
    if (isAtLeast) return t`${least}+ results in ${feeds}+ feeds`;
    return t`${plural(items, { one: "# result", other: "# results" })} in ${plural(feeds, { one: "# feed", other: "# feeds" })}`;
  };
  return (
    <span className="count" role="status">
      {text()}
    </span>
  );
}

interface ChipProps {
  /** It is in the menu too, and leaves where the line is narrow. */
  isOn: boolean;
  onClick: () => void;
  children: ReactNode;
}

function Chip({ isOn, onClick, children }: ChipProps) {
  return (
    <button type="button" className="chip more" aria-pressed={isOn} onClick={onClick}>
      {children}
    </button>
  );
}

interface PlaceProps {
  place: string;
  onChoose: (place: string) => void;
}

/** All feeds, a folder or a feed. */
function PlaceChoice({ place, onChoose }: PlaceProps) {
  const { t } = useLingui();
  return (
    <select
      aria-label={t`Search in`}
      value={place}
      onChange={({ target }) => onChoose(target.value)}
    >
      <option value="">{t`All feeds`}</option>
      <Places chosen={place} />
    </select>
  );
}

/** There may be thousands of feeds, which do not render with each page of results. */
const Places = memo(function Places({ chosen }: { chosen: string }) {
  const { t, i18n } = useLingui();
  const paths = folderPaths(useKnownTree().folders);
  const names = new Intl.Collator(i18n.locale, { numeric: true });
  const feeds = (useFeeds().data?.feeds ?? [])
    .map((feed) => ({ id: feed.id, name: feedTitle(feed) }))
    .sort((a, b) => names.compare(a.name, b.name));
  const known = ["", ...paths.map(({ id }) => `d${id}`), ...feeds.map(({ id }) => `f${id}`)];
  return (
    <>
      {!known.includes(chosen) && (
        <option value={chosen}>
          {chosen.startsWith("f") ? t`Unknown feed` : t`Unknown folder`}
        </option>
      )}
      {paths.length > 0 && (
        <optgroup label={t`Folders`}>
          {paths.map(({ id, label }) => (
            <option key={id} value={`d${id}`}>
              {label}
            </option>
          ))}
        </optgroup>
      )}
      {feeds.length > 0 && (
        <optgroup label={t`Feeds`}>
          {feeds.map(({ id, name }) => (
            <option key={id} value={`f${id}`}>
              {name}
            </option>
          ))}
        </optgroup>
      )}
    </>
  );
});

/** Saves the search for the side bar; days become a part of its words. */
function SaveButton({ route, searched }: Omit<Props, "total">) {
  const { t } = useLingui();
  const client = useQueryClient();
  const searches = useSearches();
  const [isOpen, setOpen] = useState(false);
  const wanted = undated(searched);
  if (route.stream.kind === "saved") return null;
  const isSaved = searches.some((one) => isSame(searchedIn(one), wanted));
  const save = async (name: string) => {
    const id = await createSearch(client, { ...wanted, name });
    offerUndo(t`${name} saved`, () => deleteSearch(client, id));
  };
  return (
    <>
      <button
        type="button"
        className="chip"
        aria-disabled={isSaved}
        aria-haspopup={isSaved ? undefined : "dialog"}
        aria-label={isSaved ? undefined : t`Save search`}
        onClick={() => !isSaved && setOpen(true)}
      >
        {isSaved ? <BookmarkCheck /> : <Bookmark />}
        <span>{isSaved ? <Trans>Saved</Trans> : <Trans>Save</Trans>}</span>
      </button>
      {isOpen && (
        <NameDialog
          title={t`Save this search`}
          name={searched.q}
          maxLength={120}
          button={t`Save`}
          onSave={save}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function undated({ q, from, to, ...rest }: Searched): Searched {
  const days = [q, from && `after:${from}`, to && `before:${to}`];
  return { ...rest, q: days.filter(Boolean).join(" "), from: "", to: "" };
}

function isSame(a: Searched, b: Searched): boolean {
  return a.q === b.q && a.in === b.in && a.filter === b.filter && a.sort === b.sort;
}
