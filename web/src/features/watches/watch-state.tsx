import { Trans, useLingui } from "@lingui/react/macro";
import { ExternalLink, Pencil, RefreshCw } from "lucide-react";
import type { Watch } from "@/data/watches";
import { clockTime } from "@/i18n/clock-time";
import { number } from "@/i18n/numbers";
import { useNow } from "@/i18n/use-now";
import { Link } from "@/ui/link";
import { Note } from "@/ui/note";
import { statusName } from "./status-name";
import type { WatchActions } from "./use-watch-actions";

/** Why a watch does not work, since when, and what to do. */
export function Problem({ watch, actions }: { watch: Watch; actions: WatchActions }) {
  const { i18n } = useLingui();
  const now = useNow();
  const { problem } = watch;
  if (!problem) return null;
  const since = problem.since ? clockTime(problem.since, now, i18n.locale) : "";
  return (
    <Note kind="warn">
      <strong>{problem.message}</strong> {problem.help}
      {since && (
        <span className="block text-xs">
          <Trans>Since {since}. What was found before is kept.</Trans>
        </span>
      )}
      <span className="mt-2 flex flex-wrap gap-2">
        {problem.code.startsWith("listing_") ? (
          <Link className="btn" href={`/watches/${watch.id}/edit`}>
            <Pencil size={16} />
            <Trans>Check the rows</Trans>
          </Link>
        ) : (
          <button
            type="button"
            className="btn"
            aria-disabled={actions.running !== null || watch.isPaused}
            onClick={() => !watch.isPaused && void actions.run(watch)}
          >
            <RefreshCw size={16} className={actions.running === watch.id ? "spin" : ""} />
            <Trans>Check now</Trans>
          </button>
        )}
        <a className="btn" href={watch.url} target="_blank" rel="noopener noreferrer">
          <ExternalLink size={16} />
          <Trans>Open the page</Trans>
        </a>
      </span>
    </Note>
  );
}

/** That the site has rebuilt its page, and the watch went on by itself. */
export function FoundAnew({ watch }: { watch: Watch }) {
  const { i18n } = useLingui();
  const now = useNow();
  const { found } = watch.settings;
  if (!found) return null;
  const day = clockTime(new Date(found * 1000).toISOString(), now, i18n.locale);
  return (
    <Note kind="ok">
      <Trans>
        The site has changed its page. The list was found again by itself ({day}), and the watch
        goes on.
      </Trans>
      <span className="mt-2 flex flex-wrap gap-2">
        <Link className="btn" href={`/watches/${watch.id}/edit`}>
          <Pencil size={16} />
          <Trans>Check the rows</Trans>
        </Link>
      </span>
    </Note>
  );
}

/** When the page is fetched next, and why then. */
export function NextCheck({ watch }: { watch: Watch }) {
  const { t, i18n } = useLingui();
  const now = useNow();
  const { nextCheckAt, nextCheckWhy, isPaused, lastCheckedAt } = watch;
  if (isPaused) return <Trans>Paused</Trans>;
  if (lastCheckedAt === null) return <Trans>Waiting for the first check</Trans>;
  const next = nextCheckAt ? clockTime(nextCheckAt, now, i18n.locale) : null;
  return (
    <span title={nextCheckWhy.message}>{next ? t`Next check ${next}` : nextCheckWhy.message}</span>
  );
}

/** How many results have which status. */
export function Counts({ watch }: { watch: Watch }) {
  const { i18n } = useLingui();
  const n = (value: number) => number(value, i18n.locale);
  return (
    <dl className="counts">
      <div>
        <dt>{i18n._(statusName("onSale", watch.lowest !== null))}</dt>
        <dd>{n(watch.onSale)}</dd>
      </div>
      {(watch.lowest !== null || watch.sold > 0) && (
        <div>
          <dt>
            <Trans>Sold in 30 days</Trans>
          </dt>
          <dd>{n(watch.sold)}</dd>
        </div>
      )}
    </dl>
  );
}
