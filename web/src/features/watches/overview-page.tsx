import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Plus } from "lucide-react";
import { useRef } from "react";
import { toApiError } from "@/data/api-error";
import { useFeedsById } from "@/data/feeds";
import { go, readerPlace } from "@/data/use-route";
import { useWatches, type Watch } from "@/data/watches";
import { useNow } from "@/i18n/use-now";
import { useCommands } from "@/keys/use-command";
import { ErrorNote } from "@/ui/error-note";
import { Link } from "@/ui/link";
import { Note } from "@/ui/note";
import { Page, PageSkeleton } from "@/ui/page";
import { useDelayed } from "@/ui/use-delayed";
import { useFocusKeeper } from "@/ui/use-focus-keeper";
import { Beginning } from "./beginning";
import { useWatchActions } from "./use-watch-actions";
import { WatchRow } from "./watch-row";

const day = 86_400_000;

/** Dropped, steady, just begun: with their names, those that have members. */
function groupsOf(watches: readonly Watch[], now: number) {
  const isNew = ({ createdAt }: Watch) => createdAt !== null && now - Date.parse(createdAt) < day;
  const placed = (watch: Watch) =>
    watch.lastCheckedAt === null || isNew(watch) ? 2 : (watch.change7d ?? 0) < 0 ? 0 : 1;
  return [msg`Dropped this week`, msg`Steady`, msg`Just begun`]
    .map((name, at) => ({ name, members: watches.filter((watch) => placed(watch) === at) }))
    .filter(({ members }) => members.length > 0);
}

/** All watches, those with a problem first among their like, as the server sends them. */
export function OverviewPage() {
  const { t, i18n } = useLingui();
  const now = useNow();
  const feeds = useFeedsById();
  const query = useWatches();
  const actions = useWatchActions();
  const isSlow = useDelayed(query.isPending);
  const box = useRef<HTMLElement>(null);
  const keeper = useFocusKeeper(box);
  useCommands({
    back: () => go(readerPlace()),
    "feed.refresh": () => void query.refetch(),
  });
  const { watches = [], limit = 0, demoUrl = null } = query.data ?? {};
  const isFull = query.data !== undefined && watches.length >= limit;

  return (
    <Page
      className="watches"
      title={t`Watches`}
      place="list"
      busy={query.isPending}
      ref={box}
      actions={
        watches.length > 0 &&
        !isFull && (
          <Link href="/watches/new" className="btn">
            <Plus size={16} />
            <Trans>New watch</Trans>
          </Link>
        )
      }
    >
      {query.data ? (
        <>
          {isFull && watches.length > 0 && (
            <Note kind="warn">
              <Plural
                value={limit}
                one="You have reached your limit of # watch. Delete one to add another."
                other="You have reached your limit of # watches. Delete one to add another."
              />
            </Note>
          )}
          {watches.length === 0 ? (
            <Beginning demoUrl={demoUrl} />
          ) : (
            // biome-ignore lint/a11y/noStaticElementInteractions: only listens where the focus is
            <div className="watch-list" onFocus={keeper.onFocus}>
              {groupsOf(watches, now).map(({ name, members }) => (
                <section key={name.id} aria-label={i18n._(name)}>
                  <h2>{i18n._(name)}</h2>
                  <ul>
                    {members.map((watch) => (
                      <WatchRow
                        key={watch.id}
                        watch={watch}
                        feed={feeds.get(watch.feedId)}
                        actions={actions}
                      />
                    ))}
                  </ul>
                </section>
              ))}
            </div>
          )}
        </>
      ) : query.isError && toApiError(query.error).status !== 401 ? (
        <ErrorNote error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        isSlow && <PageSkeleton rows={4} />
      )}
    </Page>
  );
}
