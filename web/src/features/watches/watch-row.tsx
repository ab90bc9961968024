import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Pause, Pencil, Play, RefreshCw, Trash } from "lucide-react";
import type { Feed } from "@/data/types";
import type { Watch } from "@/data/watches";
import { absoluteTime, shortTime } from "@/i18n/format";
import { money, shareChange } from "@/i18n/money";
import { textLang } from "@/i18n/text-lang";
import { useNow } from "@/i18n/use-now";
import { FeedIcon } from "@/ui/feed-icon";
import { IconButton } from "@/ui/icon-button";
import { Link } from "@/ui/link";
import { Sparkline } from "@/ui/sparkline";
import { Price } from "./price";
import type { WatchActions } from "./use-watch-actions";
import { Problem } from "./watch-state";

interface Props {
  watch: Watch;
  /** Its events as articles. */
  feed: Feed | undefined;
  actions: WatchActions;
}

/** A watch in a line: what it is, its prices of 30 days, and the lowest one with how it changed in a week. */
export function WatchRow({ watch, feed, actions }: Props) {
  const { i18n } = useLingui();
  const now = useNow();
  const { id, name, host, isPaused, lowest, change7d } = watch;
  const before = lowest && change7d ? lowest.price - change7d : null;
  const changedAt = feed?.lastItemAt ?? watch.createdAt;
  return (
    <li className="watch-row" data-row data-paused={isPaused || undefined}>
      <div className="line">
        <span className="dot" data-unread={feed?.hasUnread || undefined} />
        <FeedIcon url={feed?.iconUrl} name={name} />
        <div className="what">
          <h3>
            <Link
              href={`/watches/${id}`}
              className="title"
              dir="auto"
              lang={textLang("", name, i18n.locale)}
            >
              {name}
            </Link>
          </h3>
          <p>
            <State watch={watch} /> · {host}
          </p>
        </div>
        <Sparkline values={watch.sparkline} />
        <s>{lowest && before !== null && money(before, lowest.currency, i18n.locale)}</s>
        <b>
          {lowest && (
            <Price minor={lowest.price} currency={lowest.currency} isFrom={lowest.isFrom} />
          )}
        </b>
        <span className="share" data-down={(change7d ?? 0) < 0 || undefined}>
          {lowest && before !== null ? (
            shareChange(before, lowest.price, i18n.locale)
          ) : change7d === 0 ? (
            <Trans>no change</Trans>
          ) : null}
        </span>
        {changedAt ? (
          <time dateTime={changedAt} title={absoluteTime(changedAt, i18n.locale)}>
            {shortTime(changedAt, now, i18n.locale)}
          </time>
        ) : (
          <span />
        )}
        <Tools watch={watch} actions={actions} />
      </div>
      <Problem watch={watch} actions={actions} />
    </li>
  );
}

function State({ watch }: { watch: Watch }) {
  if (watch.isPaused) return <Trans>Paused</Trans>;
  if (watch.lastCheckedAt === null) return <Trans>Waiting for the first check</Trans>;
  return watch.lowest === null && watch.sold === 0 ? (
    <Plural value={watch.onSale} one="# listed" other="# listed" />
  ) : (
    <Plural value={watch.onSale} one="# on sale" other="# on sale" />
  );
}

/** Under the pointer and by the keyboard; on touch screens the watch itself has them. */
function Tools({ watch, actions }: Omit<Props, "feed">) {
  const { t } = useLingui();
  const { id, name, isPaused } = watch;
  return (
    <span className="tools">
      <IconButton
        label={t`Check now: ${name}`}
        icon={<RefreshCw className={actions.running === id ? "spin" : ""} />}
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
    </span>
  );
}
