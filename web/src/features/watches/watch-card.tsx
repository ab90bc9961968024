import { useLingui } from "@lingui/react/macro";
import { Pause, Pencil, Play, RefreshCw, Trash } from "lucide-react";
import type { Watch } from "@/data/watches";
import { textLang } from "@/i18n/text-lang";
import { IconButton } from "@/ui/icon-button";
import { Link } from "@/ui/link";
import { Sparkline } from "@/ui/sparkline";
import { Lowest } from "./lowest";
import type { WatchActions } from "./use-watch-actions";
import { Counts, NextCheck, Problem } from "./watch-state";

export function WatchCard({ watch, actions }: { watch: Watch; actions: WatchActions }) {
  const { t, i18n } = useLingui();
  const { id, name, host, isPaused } = watch;
  const isRunning = actions.running === id;
  return (
    <li className="card watch-card" data-row data-paused={isPaused || undefined}>
      <h2>
        <Link
          href={`/watches/${id}`}
          className="name"
          dir="auto"
          lang={textLang("", name, i18n.locale)}
        >
          {name}
        </Link>
        <span className="count">{host}</span>
      </h2>
      <Problem watch={watch} />
      <div className="figures">
        <Lowest watch={watch} />
        <Sparkline values={watch.sparkline} />
      </div>
      <Counts watch={watch} />
      <footer>
        <p className="hint">
          <NextCheck watch={watch} />
        </p>
        <IconButton
          label={t`Check now: ${name}`}
          icon={<RefreshCw className={isRunning ? "spin" : ""} />}
          aria-disabled={actions.running !== null || isPaused}
          onClick={() => !isPaused && void actions.run(watch)}
        />
        <IconButton
          label={isPaused ? t`Resume: ${name}` : t`Pause: ${name}`}
          icon={isPaused ? <Play /> : <Pause />}
          onClick={() => void actions.pause(watch)}
        />
        <Link
          href={`/watches/${id}/edit`}
          className="icon-btn"
          aria-label={t`Edit: ${name}`}
          title={t`Edit: ${name}`}
        >
          <Pencil />
        </Link>
        <IconButton
          label={t`Delete: ${name}`}
          icon={<Trash />}
          onClick={() => actions.remove(watch)}
        />
      </footer>
    </li>
  );
}
