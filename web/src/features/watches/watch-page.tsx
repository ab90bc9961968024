import { Trans, useLingui } from "@lingui/react/macro";
import { Ellipsis, ExternalLink, Inbox, Pause, Pencil, Play, RefreshCw, Trash } from "lucide-react";
import { toApiError } from "@/data/api-error";
import { readerPath } from "@/data/routes";
import { go } from "@/data/use-route";
import { type Range, useWatch, type Watch } from "@/data/watches";
import { textLang } from "@/i18n/text-lang";
import { useCommands } from "@/keys/use-command";
import { ErrorNote } from "@/ui/error-note";
import { IconButton } from "@/ui/icon-button";
import { Link } from "@/ui/link";
import { Menu, MenuItem } from "@/ui/menu";
import { Page, PageSkeleton } from "@/ui/page";
import { useDelayed } from "@/ui/use-delayed";
import { Lowest } from "./lowest";
import { NoWatch } from "./no-watch";
import { Results } from "./results";
import { Trend } from "./trend";
import { useWatchActions, type WatchActions } from "./use-watch-actions";
import { Counts, FoundAnew, NextCheck, Problem } from "./watch-state";

interface Props {
  id: string;
  /** Null: the results are shown, not the trend. */
  range: Range | null;
}

/** One watch: its results, or the trend of its prices. */
export function WatchPage({ id, range }: Props) {
  const { t, i18n } = useLingui();
  const query = useWatch(id);
  const actions = useWatchActions();
  const isSlow = useDelayed(query.isPending);
  const watch = query.data;
  useCommands({
    back: () => go("/watches"),
    "feed.refresh": () => {
      if (!watch || watch.isPaused) return false;
      void actions.run(watch);
    },
  });
  const name = watch?.name ?? t`Watch`;
  const error = query.isError ? toApiError(query.error) : null;
  return (
    <Page
      className="watches"
      title={name}
      {...(watch ? { lang: textLang("", name, i18n.locale) } : {})}
      place={id}
      back={{ href: "/watches", label: t`Back to watches` }}
      busy={query.isPending}
      actions={watch && <Tools watch={watch} actions={actions} />}
    >
      {watch ? (
        <>
          <Summary watch={watch} actions={actions} />
          <nav className="watch-tabs" aria-label={t`Views`}>
            <Link href={`/watches/${id}`} aria-current={range === null ? "page" : undefined}>
              <Trans context="of a watch">Results</Trans>
            </Link>
            <Link href={`/watches/${id}/trend`} aria-current={range ? "page" : undefined}>
              <Trans>Trend</Trans>
            </Link>
          </nav>
          {range === null ? <Results watch={watch} /> : <Trend watch={watch} range={range} />}
        </>
      ) : error?.status === 404 ? (
        <NoWatch />
      ) : error && error.status !== 401 ? (
        <ErrorNote error={error} onRetry={() => void query.refetch()} />
      ) : (
        isSlow && <PageSkeleton rows={6} />
      )}
    </Page>
  );
}

function Tools({ watch, actions }: { watch: Watch; actions: WatchActions }) {
  const { t } = useLingui();
  const { id, isPaused } = watch;
  return (
    <>
      <IconButton
        label={t`Check now`}
        command="feed.refresh"
        icon={<RefreshCw className={actions.running === id ? "spin" : ""} />}
        aria-disabled={actions.running !== null || isPaused}
        onClick={() => !isPaused && void actions.run(watch)}
      />
      <Link href={`/watches/${id}/edit`} className="icon-btn" aria-label={t`Edit`} title={t`Edit`}>
        <Pencil />
      </Link>
      <Menu label={t`More actions`} icon={<Ellipsis />} place="top-12 end-2">
        {(close) => {
          const then = (run: () => void) => () => {
            close();
            run();
          };
          return (
            <>
              <MenuItem
                icon={<Inbox />}
                onClick={then(() => go(readerPath({ kind: "feed", id: watch.feedId })))}
              >
                <Trans>View articles</Trans>
              </MenuItem>
              <MenuItem
                icon={isPaused ? <Play /> : <Pause />}
                onClick={then(() => void actions.pause(watch))}
              >
                {isPaused ? <Trans>Resume</Trans> : <Trans>Pause</Trans>}
              </MenuItem>
              <hr />
              <MenuItem
                icon={<Trash />}
                onClick={then(() => {
                  go("/watches");
                  actions.remove(watch);
                })}
              >
                <Trans>Delete watch</Trans>
              </MenuItem>
            </>
          );
        }}
      </Menu>
    </>
  );
}

function Summary({ watch, actions }: { watch: Watch; actions: WatchActions }) {
  const { t } = useLingui();
  return (
    <section className="card summary" aria-label={t`Summary`}>
      <Problem watch={watch} actions={actions} />
      {!watch.problem && <FoundAnew watch={watch} />}
      <div className="line">
        <Lowest watch={watch} />
        <Counts watch={watch} />
        <p className="hint">
          <a href={watch.url} target="_blank" rel="noopener noreferrer">
            {watch.host} <ExternalLink />
          </a>
          <NextCheck watch={watch} />
        </p>
      </div>
    </section>
  );
}
