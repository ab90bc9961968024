import { Trans, useLingui } from "@lingui/react/macro";
import { Inbox, SearchX } from "lucide-react";
import { toApiError } from "@/data/api-error";
import { feedTitle, useFeeds } from "@/data/feeds";
import { readerPath } from "@/data/routes";
import type { FeedId } from "@/data/types";
import { go } from "@/data/use-route";
import { textLang } from "@/i18n/text-lang";
import { useCommands } from "@/keys/use-command";
import { ErrorNote } from "@/ui/error-note";
import { Link } from "@/ui/link";
import { Page, PageSkeleton } from "@/ui/page";
import { useDelayed } from "@/ui/use-delayed";
import { AddressForm } from "./address-form";
import { FailingFeedRow } from "./failing-feed-row";
import { Fetching } from "./fetching";
import { SettingsCard } from "./settings-card";
import { useSubscriptionActions } from "./use-subscription-actions";

/** One subscription: its settings, its address and its last fetches. */
export function DetailPage({ id }: { id: FeedId }) {
  const { t, i18n } = useLingui();
  const feeds = useFeeds();
  const feed = feeds.data?.feeds.find((one) => one.id === id);
  const actions = useSubscriptionActions();
  const isSlow = useDelayed(feeds.isPending);
  useCommands({
    back: () => go("/subscriptions"),
    "feed.refresh": () => {
      if (!feed) return false;
      void actions.fetchNow(feed);
    },
  });
  const name = feed ? feedTitle(feed) : t`Subscription`;

  return (
    <Page
      title={name}
      {...(feed ? { lang: textLang(feed.language, name, i18n.locale) } : {})}
      place={id}
      back={{ href: "/subscriptions", label: t`Back to subscriptions` }}
      busy={feeds.isPending}
      actions={
        feed && (
          <Link href={readerPath({ kind: "feed", id })} className="btn">
            <Inbox size={16} />
            <Trans>View articles</Trans>
          </Link>
        )
      }
    >
      {feed ? (
        <>
          {(feed.status === "stopped" || feed.status === "error") && (
            <section className="card trouble" aria-label={t`Problem`}>
              <FailingFeedRow feed={feed} actions={actions} onLeft={() => go("/subscriptions")} />
            </section>
          )}
          <SettingsCard feed={feed} actions={actions} />
          {feed.isWatch ? (
            <section className="card" aria-label={t`Watch`}>
              <Link href={`/watches/${id}`} className="btn">
                <Trans>Results and prices</Trans>
              </Link>
            </section>
          ) : (
            <section className="card" aria-labelledby="address">
              <h2 id="address">
                <Trans>Address</Trans>
              </h2>
              {feed.description && (
                <p
                  className="mb-3 text-ink2"
                  dir="auto"
                  lang={textLang(feed.language, feed.description, "en")}
                >
                  {feed.description}
                </p>
              )}
              <AddressForm
                key={feed.url}
                feed={feed}
                actions={actions}
                onDone={(there) => there.id !== id && go(`/subscriptions/${there.id}`)}
              />
            </section>
          )}
          <Fetching feed={feed} actions={actions} />
          <section className="card" aria-labelledby="leave">
            <h2 id="leave">
              <Trans>Unsubscribe</Trans>
            </h2>
            <p className="mb-3 text-ink2">
              <Trans>Starred articles are kept.</Trans>
            </p>
            <button
              type="button"
              className="btn btn-bad"
              onClick={() => {
                go("/subscriptions");
                void actions.unsubscribe([feed]);
              }}
            >
              <Trans>Unsubscribe</Trans>
            </button>
          </section>
        </>
      ) : feeds.data ? (
        <section className="card">
          <div className="state">
            <SearchX />
            <p className="title">
              <Trans>You are not subscribed to this feed.</Trans>
            </p>
            <Link href="/subscriptions" className="btn">
              <Trans>Show all</Trans>
            </Link>
          </div>
        </section>
      ) : feeds.isError && toApiError(feeds.error).status !== 401 ? (
        <ErrorNote error={feeds.error} onRetry={() => void feeds.refetch()} />
      ) : (
        isSlow && <PageSkeleton rows={5} />
      )}
    </Page>
  );
}
