import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { type UseQueryResult, useQueryClient } from "@tanstack/react-query";
import { CircleCheck } from "lucide-react";
import { useRef, useState } from "react";
import { ApiError } from "@/data/api-error";
import { feedTitle, useFeedsById } from "@/data/feeds";
import { unsubscribe } from "@/data/mutations/unsubscribe";
import { readerPath } from "@/data/routes";
import type { ReadingStats } from "@/data/stats";
import type { Feed } from "@/data/types";
import { useNow } from "@/i18n/use-now";
import { FeedIcon } from "@/ui/feed-icon";
import { Link } from "@/ui/link";
import { withUndo } from "@/ui/undo";
import { Asked } from "./asked";
import { dayLabel } from "./figures";
import { isSubscribedFor, type NotRead, notRead } from "./rankings";

const atFirst = 6;

interface Props {
  query: UseQueryResult<ReadingStats>;
  days: number;
}

/** Feeds that were not read for some days, each with a button to unsubscribe. */
export function NotReadFeeds({ query, days }: Props) {
  const { t } = useLingui();
  const now = useNow();
  const client = useQueryClient();
  const feeds = useFeedsById();
  const card = useRef<HTMLElement>(null);
  const [all, setAll] = useState(false);

  const leave = async (feed: Feed, at: number) => {
    const name = feedTitle(feed);
    // Moves the focus to the next row, else to the heading.
    requestAnimationFrame(() => {
      const buttons = card.current?.querySelectorAll<HTMLElement>("[data-leave]") ?? [];
      const next = buttons[Math.min(at, buttons.length - 1)];
      (next ?? card.current?.querySelector<HTMLElement>("h2"))?.focus();
    });
    const { done, undo } = unsubscribe(client, [feed]);
    const request = done.then(([refusal]) => {
      if (refusal) throw new ApiError(409, refusal);
    });
    await withUndo(t`Unsubscribed from ${name}`, request, undo);
  };

  // On the first days there is nothing to judge yet.
  if (![...feeds.values()].some((feed) => isSubscribedFor(feed, days, now))) return null;
  return (
    <section className="card" aria-labelledby="not-read" ref={card}>
      <h2 id="not-read" tabIndex={-1}>
        <Trans>Unread feeds ({days} days)</Trans>
      </h2>
      <Asked query={query}>
        {(data) => {
          const rows = notRead(data.feeds, feeds, days, now);
          if (rows.length === 0)
            return (
              <p className="fine">
                <CircleCheck />
                <Trans>You're reading all your feeds.</Trans>
              </p>
            );
          return (
            <>
              <ul className="rows">
                {rows.slice(0, all ? undefined : atFirst).map((row, at) => (
                  <Row key={row.feed.id} row={row} onLeave={() => void leave(row.feed, at)} />
                ))}
              </ul>
              {!all && rows.length > atFirst && (
                <button type="button" className="btn more" onClick={() => setAll(true)}>
                  <Trans>Show all {rows.length}</Trans>
                </button>
              )}
            </>
          );
        }}
      </Asked>
    </section>
  );
}

function Row({ row: { feed, lastReadOn }, onLeave }: { row: NotRead; onLeave: () => void }) {
  const { t, i18n } = useLingui();
  const name = feedTitle(feed);
  const last = lastReadOn && dayLabel(lastReadOn, i18n.locale);
  return (
    <li>
      <FeedIcon url={feed.iconUrl} name={name} />
      <div className="text">
        <Link href={readerPath({ kind: "feed", id: feed.id })} className="name" dir="auto">
          {name}
        </Link>
        <p className="hint">
          {[
            last ? t`last read on ${last}` : t`never read`,
            feed.unreadCount > 0 && t`${plural(feed.unreadCount, { other: "# unread" })}`,
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
      </div>
      <div className="acts">
        <Link
          href={`/subscriptions/${feed.id}`}
          className="btn"
          aria-label={`${t`Manage`} ${name}`}
        >
          <Trans>Manage</Trans>
        </Link>
        <button
          data-leave
          type="button"
          className="btn"
          aria-label={`${t`Unsubscribe`} ${name}`}
          onClick={onLeave}
        >
          <Trans>Unsubscribe</Trans>
        </button>
      </div>
    </li>
  );
}
