import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type ApiError, toApiError } from "@/data/api-error";
import { findFeed } from "@/data/feed-repair";
import { feedTitle, hostOf } from "@/data/feeds";
import type { Feed } from "@/data/types";
import { wordsFor } from "@/i18n/error-words";
import { clockTime } from "@/i18n/format";
import { reasonFor } from "@/i18n/next-check";
import { problemText, sentences } from "@/i18n/problem-text";
import { useNow } from "@/i18n/use-now";
import { FeedIcon } from "@/ui/feed-icon";
import { Link } from "@/ui/link";
import { showToast } from "@/ui/toasts";
import { AddressDialog } from "./address-dialog";
import { StateMark } from "./state-mark";
import type { Deeds } from "./use-deeds";

interface Props {
  feed: Feed;
  deeds: Deeds;
  /** In the list the name leads to the subscription's own page. */
  isLinked?: boolean;
  /** On that page: where to go when the subscription is left. */
  onLeft?: () => void;
}

/** A feed that cannot be fetched: why, since when, and everything that may help. */
export function TroubleRow({ feed, deeds, isLinked, onLeft }: Props) {
  const { t, i18n } = useLingui();
  const now = useNow();
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [changing, setChanging] = useState(false);
  const [lost, setLost] = useState<ApiError | null>(null);
  const name = feedTitle(feed);
  const stopped = feed.status === "stopped";
  const fault = feed.error;
  const words = fault && wordsFor(fault.code, fault.category);
  const time = (iso: string | null | undefined) => (iso ? clockTime(iso, now, i18n.locale) : "");
  const since = time(fault?.since);
  const tried = time(feed.lastCheckedAt);
  const next = time(feed.nextCheckAt);
  const reason = reasonFor(feed);
  const why = typeof reason === "string" ? reason : i18n._(reason);

  const run = (deed: () => Promise<unknown>) => async () => {
    if (busy) return;
    setBusy(true);
    await deed();
    setBusy(false);
  };
  const find = run(async () => {
    setLost(null);
    try {
      await findFeed(client, feed.id);
    } catch (cause) {
      const error = toApiError(cause);
      if (error.code === "no_feed_found") setLost(error);
      else showToast(problemText(error, i18n));
    }
  });
  const button = (label: string, deed: () => unknown, kind = "") => (
    <button
      type="button"
      className={`btn ${kind}`}
      aria-label={`${label}: ${name}`}
      aria-disabled={busy}
      onClick={() => void deed()}
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
          <StateMark feed={feed} />{" "}
          {words &&
            sentences(i18n.locale, i18n._(words.says), words.remedy && i18n._(words.remedy))}
        </p>
        <p className="hint">
          {[
            isLinked && hostOf(feed.url),
            feed.lastChangedAt ? since && t`last success before ${since}` : t`never fetched yet`,
            tried && t`tried ${tried}`,
            next ? `${t`next ${next}`}: ${why}` : why,
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
        {feed.proposedUrl && (
          <div className="proposal">
            <p>
              {feed.proposedReason === "host" ? (
                <Trans>The front page of its host names this feed:</Trans>
              ) : (
                <Trans>Its site names this feed:</Trans>
              )}{" "}
              <a href={feed.proposedUrl} target="_blank" rel="noopener noreferrer">
                {feed.proposedUrl}
              </a>
            </p>
            {button(
              t`Use this address`,
              run(async () => {
                const { error } = await deeds.repoint(feed, feed.proposedUrl ?? "");
                if (error) showToast(problemText(error, i18n));
              }),
              "btn-main",
            )}
          </div>
        )}
        <div role="status">
          {lost && (
            <>
              <p>
                <Trans>Neither its site nor the front page of its host names another feed.</Trans>
              </p>
              {(lost.problem.tried?.length ?? 0) > 0 && (
                <details>
                  <summary>
                    <Trans>What was tried</Trans>
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
          {button(t`Find again`, find)}
          {button(t`Change the address…`, () => setChanging(true))}
          {stopped
            ? button(
                t`Resume`,
                run(() => deeds.resume(feed)),
              )
            : button(
                t`Fetch now`,
                run(() => deeds.fetchNow(feed)),
              )}
          {button(
            t`Unsubscribe`,
            run(() => {
              onLeft?.();
              return deeds.unsubscribe([feed]);
            }),
          )}
        </div>
      </div>
      {changing && <AddressDialog feed={feed} deeds={deeds} onClose={() => setChanging(false)} />}
    </div>
  );
}
