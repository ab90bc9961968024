import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Plus } from "lucide-react";
import { useRef } from "react";
import { toApiError } from "@/data/api-error";
import { go, readerPlace } from "@/data/use-route";
import { useWatches } from "@/data/watches";
import { useCommands } from "@/keys/use-command";
import { ErrorNote } from "@/ui/error-note";
import { Link } from "@/ui/link";
import { Note } from "@/ui/note";
import { Page, PageSkeleton } from "@/ui/page";
import { useDelayed } from "@/ui/use-delayed";
import { useFocusKeeper } from "@/ui/use-focus-keeper";
import { Beginning } from "./beginning";
import { useWatchActions } from "./use-watch-actions";
import { WatchCard } from "./watch-card";

/** All watches, those with a problem first, as the server sends them. */
export function OverviewPage() {
  const { t } = useLingui();
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
            <ul className="watch-list" onFocus={keeper.onFocus}>
              {watches.map((watch) => (
                <WatchCard key={watch.id} watch={watch} actions={actions} />
              ))}
            </ul>
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
