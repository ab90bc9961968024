import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Funnel, Plus, Rss } from "lucide-react";
import { useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { toApiError } from "@/data/api-error";
import { useFeeds } from "@/data/feeds";
import { folderPaths } from "@/data/folder-paths";
import { setPreference, usePreference } from "@/data/preferences";
import { useKnownTree } from "@/data/tree";
import type { FeedId } from "@/data/types";
import { go, readerPlace } from "@/data/use-route";
import { number } from "@/i18n/numbers";
import { runCommand, useCommands } from "@/keys/use-command";
import { ErrorNote } from "@/ui/error-note";
import { Link } from "@/ui/link";
import { Page, PageSkeleton } from "@/ui/page";
import { useDelayed } from "@/ui/use-delayed";
import { useFocusKeeper } from "@/ui/use-focus-keeper";
import { BulkBar } from "./bulk-bar";
import { columns, entryOf, filterEntries, type Sort, sortEntries } from "./columns";
import { FailingFeeds, failingFeeds } from "./failing-feeds";
import { FeedTable } from "./feed-table";
import { noSelection, type Selection } from "./selection";
import { useStateName } from "./state-mark";
import { useSubscriptionActions } from "./use-subscription-actions";

/** Rows rendered at first. */
const firstRows = 200;

/** State that survives a visit to the page of a subscription. */
const place: { query: string; opened: FeedId | null } = { query: "", opened: null };

const sorts = columns.flatMap((column) => [column, `-${column}`] as const);

export function ListPage() {
  const { t, i18n } = useLingui();
  const n = (value: number) => number(value, i18n.locale);
  const feeds = useFeeds();
  const { folders } = useKnownTree();
  const actions = useSubscriptionActions();
  const stateName = useStateName();
  const isSlow = useDelayed(feeds.isPending);
  const box = useRef<HTMLElement>(null);
  const headBox = useRef<HTMLInputElement>(null);
  const keeper = useFocusKeeper(box);
  const [query, setQuery] = useState(place.query);
  const words = useDeferredValue(query);
  const [selection, setSelection] = useState<Selection>(noSelection);
  const [allRows, setAllRows] = useState(false);
  const chosenSort = usePreference("feed-sort", sorts, "name");
  const sort = useMemo(() => parseSort(chosenSort), [chosenSort]);
  const list = feeds.data?.feeds;

  const paths = useMemo(
    () => new Map(folderPaths(folders).map(({ id, label }) => [id, label])),
    [folders],
  );
  const entries = useMemo(() => list?.map((feed) => entryOf(feed, paths)) ?? [], [list, paths]);
  const found = sortEntries(filterEntries(entries, words, stateName), sort, i18n.locale);
  const shown = allRows ? found : found.slice(0, firstRows);
  const bad = useMemo(() => failingFeeds(list ?? []), [list]);
  const chosen = list?.filter((feed) => selection.ids.has(feed.id)) ?? [];

  const clear = () => {
    setSelection(noSelection);
    headBox.current?.focus();
  };
  useCommands({
    back: () => {
      if (selection.ids.size > 0) clear();
      else go(readerPlace());
    },
  });
  useEffect(() => {
    place.query = query;
  }, [query]);
  const ready = list !== undefined;
  useEffect(() => {
    if (!ready || place.opened === null) return;
    document.getElementById(`name-${place.opened}`)?.focus();
    place.opened = null;
  }, [ready]);

  return (
    <Page
      title={t`Subscriptions`}
      place="list"
      busy={feeds.isPending}
      ref={box}
      actions={
        <>
          <Link href="/rules" className="btn">
            <Funnel size={16} />
            <Trans>Rules</Trans>
          </Link>
          <button type="button" className="btn" onClick={() => runCommand("feed.add")}>
            <Plus size={16} />
            <Trans>Add</Trans>
          </button>
        </>
      }
    >
      {!list ? (
        feeds.isError && toApiError(feeds.error).status !== 401 ? (
          <ErrorNote error={feeds.error} onRetry={() => void feeds.refetch()} />
        ) : (
          isSlow && <PageSkeleton rows={8} />
        )
      ) : list.length === 0 ? (
        <Nothing />
      ) : (
        // biome-ignore lint/a11y/noStaticElementInteractions: only listens where the focus is
        <div
          className="contents"
          onFocus={keeper.onFocus}
          onClickCapture={(event) => {
            const link = (event.target as Element).closest("a[href^='/subscriptions/']");
            place.opened = link?.getAttribute("href")?.split("/").at(-1) ?? null;
          }}
        >
          {bad.length > 0 && <FailingFeeds feeds={bad} actions={actions} />}
          <section className="card table-card" aria-labelledby="all-feeds">
            <h2 id="all-feeds">
              <Trans>All subscriptions</Trans>{" "}
              <span className="count">
                {found.length < list.length
                  ? t`${n(found.length)} of ${n(list.length)}`
                  : t({
                      context: "limit",
                      message: `${n(list.length)} of ${n(feeds.data?.limits.feeds ?? 0)}`,
                    })}
              </span>
            </h2>
            <div className="field filter">
              <input
                type="search"
                aria-label={t`Filter by name, address, folder or state`}
                placeholder={t`Filter by name, address, folder or state`}
                value={query}
                onChange={(event) => setQuery(event.target.value)}
              />
            </div>
            <p className="sr-only" role="status">
              {words && <Plural value={found.length} one="# feed found" other="# feeds found" />}
            </p>
            {found.length === 0 ? (
              <div className="state">
                <p className="title">
                  <Trans>No matching subscriptions</Trans>
                </p>
                <button type="button" className="btn" onClick={() => setQuery("")}>
                  <Trans>Show all</Trans>
                </button>
              </div>
            ) : (
              <FeedTable
                entries={shown}
                sort={sort}
                onSort={({ by, down }) => setPreference("feed-sort", down ? `-${by}` : by)}
                selection={selection}
                onSelect={setSelection}
                headBox={headBox}
              />
            )}
            {shown.length < found.length && (
              <button type="button" className="btn mt-3" onClick={() => setAllRows(true)}>
                <Plural value={found.length} one="Show all #" other="Show all #" />
              </button>
            )}
          </section>
        </div>
      )}
      {chosen.length > 0 && <BulkBar feeds={chosen} actions={actions} onClear={clear} />}
    </Page>
  );
}

function Nothing() {
  return (
    <section className="card">
      <div className="state">
        <Rss />
        <p className="title">
          <Trans>No subscriptions yet</Trans>
        </p>
        <p>
          <Trans>Add a website address, or import your subscriptions.</Trans>
        </p>
        <button type="button" className="btn btn-main" onClick={() => runCommand("feed.add")}>
          <Trans>Add a feed</Trans>
        </button>
      </div>
    </section>
  );
}

function parseSort(text: string): Sort {
  const by = columns.find((column) => column === text.replace("-", "")) ?? "name";
  return { by, down: text.startsWith("-") };
}
