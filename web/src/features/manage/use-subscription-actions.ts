import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { toApiError } from "@/data/api-error";
import { addressOf } from "@/data/feed-address";
import { feedTitle } from "@/data/feeds";
import { fetchesKey } from "@/data/fetches";
import { refreshFeed } from "@/data/mutations/feed-refresh";
import { changeFeedAddress } from "@/data/mutations/feed-relocate";
import { resumeFeed } from "@/data/mutations/feed-resume";
import {
  changeSubscriptions,
  type Refusal,
  type Settings,
  settingsBefore,
} from "@/data/mutations/subscriptions";
import { unsubscribe } from "@/data/mutations/unsubscribe";
import { useKnownTree } from "@/data/tree";
import type { Feed } from "@/data/types";
import { sentences } from "@/i18n/problem-text";
import { showError } from "@/ui/show-error";
import { showToast } from "@/ui/toasts";
import { offerUndo } from "@/ui/undo";

/** What can be done to subscriptions, one or many. Every failure restores what was shown and says why. */
export function useSubscriptionActions() {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const { folders } = useKnownTree();

  return useMemo(() => {
    /** Offers to undo a change of many feeds, of which some may be refused. */
    const offer = async (
      feeds: readonly Feed[],
      request: Promise<Refusal[]>,
      undo: () => unknown,
      textFor: (count: number) => string,
    ) => {
      const withdraw = offerUndo(textFor(feeds.length), undo);
      try {
        const refused = await request;
        if (refused.length === 0) return;
        withdraw();
        const reason = sentences(
          i18n.locale,
          t`${plural(refused.length, { one: "# feed could not be changed:", other: "# feeds could not be changed:" })}`,
          refused[0]?.message,
        );
        const left = feeds.length - refused.length;
        if (left === 0) showToast(reason);
        else offerUndo(sentences(i18n.locale, textFor(left), reason), undo);
      } catch (cause) {
        withdraw();
        showError(cause);
      }
    };
    const attempt = async (feed: Feed, action: () => Promise<unknown>, text: string) => {
      try {
        await action();
        showToast(text);
      } catch (cause) {
        showError(cause);
      }
      void client.invalidateQueries({ queryKey: fetchesKey(feed.id) });
    };

    return {
      /** Changes settings of feeds, as one action with one undo. */
      change(feeds: readonly Feed[], settings: (feed: Feed) => Settings, text: string) {
        const changes = feeds.map((feed) => ({ id: feed.id, ...settings(feed) }));
        const back = feeds.map((feed) => ({
          id: feed.id,
          ...settingsBefore(feed, settings(feed)),
        }));
        const request = changeSubscriptions(client, changes, folders);
        const undo = () => request.then(() => changeSubscriptions(client, back, folders));
        return offer(feeds, request, undo, () => text);
      },

      async unsubscribe(feeds: readonly Feed[]) {
        const [first] = feeds;
        if (!first) return;
        const name = feedTitle(first);
        const { done, undo } = unsubscribe(client, feeds);
        await offer(feeds, done, undo, (count) =>
          count === 1
            ? t`Unsubscribed from ${name}`
            : t`${plural(count, { one: "Unsubscribed from # feed", other: "Unsubscribed from # feeds" })}`,
        );
      },

      fetchNow: (feed: Feed) =>
        attempt(feed, () => refreshFeed(client, feed.id), t`Feed refreshed`),
      resume: (feed: Feed) => attempt(feed, () => resumeFeed(client, feed.id), t`Feed resumed`),

      /** Changes the address of a subscription. Returns the feed there, or the error. */
      async changeAddress(feed: Feed, url: string) {
        try {
          const { url: old } = await addressOf(feed);
          const there = await changeFeedAddress(client, feed.id, url);
          const name = feedTitle(there);
          offerUndo(t`Address of ${name} updated`, () => changeFeedAddress(client, there.id, old));
          return { feed: there, error: null };
        } catch (cause) {
          return { feed: null, error: toApiError(cause) };
        }
      },
    };
  }, [client, folders, t, i18n]);
}

export type SubscriptionActions = ReturnType<typeof useSubscriptionActions>;
