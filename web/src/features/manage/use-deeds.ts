import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { toApiError } from "@/data/api-error";
import { addressOf, withAddresses } from "@/data/feed-address";
import { refreshFeed } from "@/data/feed-refresh";
import { repointFeed } from "@/data/feed-repair";
import { resumeFeed } from "@/data/feed-resume";
import { feedTitle } from "@/data/feeds";
import { fetchesKey } from "@/data/fetches";
import { resubscribe } from "@/data/resubscribe";
import { changeSubscriptions, type Settings, settingsBefore } from "@/data/subscriptions";
import { useKnownTree } from "@/data/tree";
import type { Feed } from "@/data/types";
import { problemText, sentences } from "@/i18n/problem-text";
import { showToast, showUndo } from "@/ui/toasts";

/** What can be done to subscriptions, one or many. Every failure restores what was shown and says why. */
export function useDeeds() {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const { folders } = useKnownTree();

  return useMemo(() => {
    const say = (cause: unknown) => showToast(problemText(cause, i18n));
    const refusal = (refused: readonly { message: string }[]) =>
      refused.length === 0
        ? ""
        : sentences(
            i18n.locale,
            t`${plural(refused.length, { one: "# feed could not be changed:", other: "# feeds could not be changed:" })}`,
            refused[0]?.message,
          );
    const again = async (feed: Feed, deed: () => Promise<unknown>, said: string) => {
      try {
        await deed();
        showToast(said);
      } catch (cause) {
        say(cause);
      }
      void client.invalidateQueries({ queryKey: fetchesKey(feed.id) });
    };

    return {
      /** Sets the same or different things for feeds, as one deed with one undo. */
      async change(feeds: readonly Feed[], settings: (feed: Feed) => Settings, said: string) {
        const changes = feeds.map((feed) => ({ id: feed.id, ...settings(feed) }));
        const back = feeds.map((feed) => ({
          id: feed.id,
          ...settingsBefore(feed, settings(feed)),
        }));
        const sent = changeSubscriptions(client, changes, folders);
        const undo = () => {
          sent.then(() => changeSubscriptions(client, back, folders)).catch(say);
        };
        const forget = showUndo(said, t`Undo`, undo);
        try {
          const refused = await sent;
          if (refused.length === 0) return;
          forget();
          if (refused.length === changes.length) showToast(refusal(refused));
          else showUndo(sentences(i18n.locale, said, refusal(refused)), t`Undo`, undo);
        } catch (cause) {
          forget();
          say(cause);
        }
      },

      async unsubscribe(feeds: readonly Feed[]) {
        const [first] = feeds;
        if (!first) return;
        const name = feedTitle(first);
        const gone = (count: number) =>
          count === 1
            ? t`Unsubscribed from ${name}`
            : t`${plural(count, { one: "Unsubscribed from # feed", other: "Unsubscribed from # feeds" })}`;
        const whole = withAddresses(feeds);
        const leave = () =>
          changeSubscriptions(
            client,
            feeds.map((feed) => ({ id: feed.id, unsubscribe: true })),
            folders,
          );
        const sent = whole instanceof Promise ? whole.then(leave) : leave();
        const undo = async () => {
          const kept = new Set((await sent).map(({ id }) => id));
          await resubscribe(
            client,
            (await whole).filter((feed) => !kept.has(feed.id)),
            folders,
          );
        };
        const offer = (text: string) => showUndo(text, t`Undo`, () => void undo().catch(say));
        const forget = offer(gone(feeds.length));
        try {
          const refused = await sent;
          if (refused.length === 0) return;
          forget();
          const left = feeds.length - refused.length;
          if (left === 0) showToast(refusal(refused));
          else offer(sentences(i18n.locale, gone(left), refusal(refused)));
        } catch (cause) {
          forget();
          say(cause);
        }
      },

      fetchNow: (feed: Feed) =>
        again(feed, () => refreshFeed(client, feed.id), t`The feed was fetched.`),
      resume: (feed: Feed) =>
        again(feed, () => resumeFeed(client, feed.id), t`The feed is fetched again from now on.`),

      /** Gives the subscription another address; the answer is the feed there, or why not. */
      async repoint(feed: Feed, url: string) {
        try {
          const { url: old } = await addressOf(feed);
          const there = await repointFeed(client, feed.id, url);
          const name = feedTitle(there);
          showUndo(t`${name} is now read at its new address.`, t`Undo`, () => {
            repointFeed(client, there.id, old).catch(say);
          });
          return { feed: there, error: null };
        } catch (cause) {
          return { feed: null, error: toApiError(cause) };
        }
      },
    };
  }, [client, folders, t, i18n]);
}

export type Deeds = ReturnType<typeof useDeeds>;
