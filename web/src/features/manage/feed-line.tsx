import { Trans, useLingui } from "@lingui/react/macro";
import type { KeyboardEvent, MouseEvent } from "react";
import { feedTitle, hostOf } from "@/data/feeds";
import { absoluteTime, relativeTime } from "@/i18n/format";
import { intervalText } from "@/i18n/interval-text";
import { intervalName } from "@/i18n/intervals";
import { number, perWeek } from "@/i18n/numbers";
import { textLang } from "@/i18n/text-lang";
import { useNow } from "@/i18n/use-now";
import { FeedIcon } from "@/ui/feed-icon";
import { Link } from "@/ui/link";
import type { Entry } from "./columns";
import { StateMark } from "./state-mark";

interface Props {
  entry: Entry;
  isChosen: boolean;
  onBox: (event: MouseEvent) => void;
  onKey: (event: KeyboardEvent<HTMLElement>) => void;
}

export function FeedLine(props: Props) {
  const { i18n } = useLingui();
  const { feed, folders } = props.entry;
  return (
    <tr data-row data-chosen={props.isChosen || undefined}>
      <td className="box-cell">
        <Box {...props} />
      </td>
      <th scope="row">
        <Name {...props} />
      </th>
      <td className="quiet">{folders}</td>
      <td className="num">{feed.unreadCount > 0 && number(feed.unreadCount, i18n.locale)}</td>
      <td className="num">
        <PaceText pace={feed.itemsPerWeek} />
      </td>
      <td>
        <Ago at={feed.lastItemAt} />
      </td>
      <td>
        <Ago at={feed.lastCheckedAt} />
      </td>
      <td title={intervalText(feed, i18n)}>{intervalName(feed.intervalMinutes, i18n)}</td>
      <td>
        <StateMark feed={feed} />
      </td>
    </tr>
  );
}

export function FeedCard(props: Props) {
  const { t, i18n } = useLingui();
  const now = useNow();
  const { feed, folders } = props.entry;
  const unread = number(feed.unreadCount, i18n.locale);
  const last = feed.lastItemAt ? relativeTime(feed.lastItemAt, now, i18n.locale) : "";
  const checked = feed.lastCheckedAt ? relativeTime(feed.lastCheckedAt, now, i18n.locale) : "";
  return (
    <li data-row data-chosen={props.isChosen || undefined}>
      <Box {...props} />
      <div className="min-w-0 flex-1">
        <Name {...props} />
        <p className="hint">
          {[folders, feed.unreadCount > 0 && t`${unread} unread`, last && t`latest ${last}`]
            .filter(Boolean)
            .join(" · ")}
        </p>
        <p className="hint">
          <StateMark feed={feed} />
          {checked && ` · ${t`checked ${checked}`}`}
          {` · ${intervalName(feed.intervalMinutes, i18n)} · `}
          <Trans>
            <PaceText pace={feed.itemsPerWeek} /> per week
          </Trans>
        </p>
      </div>
    </li>
  );
}

function Box({ entry, isChosen, onBox, onKey }: Props) {
  const { t } = useLingui();
  return (
    <label className="box">
      <input
        id={`box-${entry.feed.id}`}
        type="checkbox"
        aria-label={t`Select ${entry.name}`}
        checked={isChosen}
        onChange={() => undefined}
        onClick={onBox}
        onKeyDown={onKey}
      />
    </label>
  );
}

function Name({ entry: { feed, name } }: Props) {
  const { i18n } = useLingui();
  return (
    <span className="feed-name">
      <FeedIcon url={feed.iconUrl} name={feedTitle(feed)} />
      <Link
        id={`name-${feed.id}`}
        href={`/subscriptions/${feed.id}`}
        lang={textLang(feed.language, name, i18n.locale)}
        dir="auto"
        title={hostOf(feed.url)}
      >
        {name}
      </Link>
    </span>
  );
}

/** A dash when unknown. */
function PaceText({ pace }: { pace: number | null }) {
  const { t, i18n } = useLingui();
  if (pace === null) return <span title={t`unknown`}>–</span>;
  return <>{perWeek(pace, i18n.locale)}</>;
}

function Ago({ at }: { at: string | null }) {
  const { i18n } = useLingui();
  const now = useNow();
  if (!at) return <>–</>;
  return (
    <time dateTime={at} title={absoluteTime(at, i18n.locale)}>
      {relativeTime(at, now, i18n.locale)}
    </time>
  );
}
