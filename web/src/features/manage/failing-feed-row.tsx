import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type ApiError, toApiError } from "@/data/api-error";
import { feedTitle, hostOf } from "@/data/feeds";
import { relocateFeed } from "@/data/mutations/feed-relocate";
import type { Feed } from "@/data/types";
import { clockTime } from "@/i18n/clock-time";
import { reasonFor } from "@/i18n/next-check";
import { sentences } from "@/i18n/problem-text";
import { useNow } from "@/i18n/use-now";
import { FeedIcon } from "@/ui/feed-icon";
import { Link } from "@/ui/link";
import { showError } from "@/ui/show-error";
import { AddressDialog } from "./address-dialog";
import { StateMark } from "./state-mark";
import type { SubscriptionActions } from "./use-subscription-actions";

interface Props {
  feed: Feed;
  actions: SubscriptionActions;
  /** In the list the name links to the page of the subscription. */
  isLinked?: boolean;
  /** On that page: called after unsubscribing. */
  onLeft?: () => void;
}

/** A feed that cannot be fetched: why, since when, and what may help. */
export function FailingFeedRow({ feed, actions, isLinked, onLeft }: Props) {
  const { t, i18n } = useLingui();
  const now = useNow();
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [changing, setChanging] = useState(false);
  const [lost, setLost] = useState<ApiError | null>(null);
  const name = feedTitle(feed);
  const stopped = feed.status === "stopped";
  const fault = feed.error;
  const time = (iso: string | null | undefined) => (iso ? clockTime(iso, now, i18n.locale) : "");
  const since = time(fault?.since);
  const tried = time(feed.lastCheckedAt);
  const next = time(feed.nextCheckAt);
  const reason = reasonFor(feed);
  const why = typeof reason === "string" ? reason : i18n._(reason);

  const run = (action: () => Promise<unknown>) => async () => {
    if (busy) return;
    setBusy(true);
    await action();
    setBusy(false);
  };
  const relocate = run(async () => {
    setLost(null);
    try {
      await relocateFeed(client, feed.id);
    } catch (cause) {
      const error = toApiError(cause);
      if (error.code === "no_feed_found") setLost(error);
      else showError(error);
    }
  });
  const button = (label: string, action: () => unknown, kind = "") => (
    <button
      type="button"
      className={`btn ${kind}`}
      aria-label={`${label}: ${name}`}
      aria-disabled={busy}
      onClick={() => void action()}
    >
      {label}
    </button>
  );

  return (
    <div className="trouble-row">
      {isLinked && <FeedIcon url={feed.iconUrl} name={feedTitle(feed)} />}
      <div className="text">
        {isLinked && (
          <Link href={`/subscriptions/${feed.id}`} className="name">
            {name}
          </Link>
        )}
        <p>
          <StateMark feed={feed} /> {fault && sentences(i18n.locale, fault.message, fault.action)}
        </p>
        <p className="hint">
          {[
            isLinked && hostOf(feed.url),
            feed.lastChangedAt ? since && t`failing since before ${since}` : t`Never fetched`,
            tried && t`last tried ${tried}`,
            next ? `${t`next check ${next}`}: ${why}` : why,
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
        {feed.proposedUrl && (
          <div className="proposal">
            <p>
              {feed.proposedReason === "host" ? (
                <Trans>Feed found on the site's home page:</Trans>
              ) : (
                <Trans>Feed found on the site:</Trans>
              )}{" "}
              <a href={feed.proposedUrl} target="_blank" rel="noopener noreferrer">
                {feed.proposedUrl}
              </a>
            </p>
            {button(
              t`Use this address`,
              run(async () => {
                const { error } = await actions.changeAddress(feed, feed.proposedUrl ?? "");
                if (error) showError(error);
              }),
              "btn-main",
            )}
          </div>
        )}
        <div role="status">
          {lost && (
            <>
              <p>
                <Trans>No other feed was found on the site or its home page.</Trans>
              </p>
              {(lost.problem.tried?.length ?? 0) > 0 && (
                <details>
                  <summary>
                    <Trans>Addresses tried</Trans>
                  </summary>
                  <ul className="hint list-disc ps-5 break-all">
                    {lost.problem.tried?.map((url) => (
                      <li key={url}>{url}</li>
                    ))}
                  </ul>
                </details>
              )}
            </>
          )}
        </div>
        <div className="acts">
          {button(t`Find new address`, relocate)}
          {button(t`Change address…`, () => setChanging(true))}
          {stopped
            ? button(
                t`Resume`,
                run(() => actions.resume(feed)),
              )
            : button(
                t`Refresh now`,
                run(() => actions.fetchNow(feed)),
              )}
          {button(
            t`Unsubscribe`,
            run(() => {
              onLeft?.();
              return actions.unsubscribe([feed]);
            }),
          )}
        </div>
      </div>
      {changing && (
        <AddressDialog feed={feed} actions={actions} onClose={() => setChanging(false)} />
      )}
    </div>
  );
}
