import { i18n } from "@lingui/core";
import { plural, t } from "@lingui/core/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { toApiError } from "@/data/api-error";
import { addFeed } from "@/data/feed-add";
import { refreshFeed } from "@/data/feed-refresh";
import { removeFeed } from "@/data/feed-remove";
import { resumeFeed } from "@/data/feed-resume";
import { feedsKey, feedTitle } from "@/data/feeds";
import { type Flags, flags } from "@/data/flags";
import { setItemState } from "@/data/item-state";
import { markFeedRead } from "@/data/mark-read";
import { readerPath } from "@/data/routes";
import { streamsKey } from "@/data/stream";
import type { Feed, ItemId, ItemSummary } from "@/data/types";
import { go } from "@/data/use-route";
import { errorWords } from "@/i18n/error-words";
import { clockTime } from "@/i18n/format";
import { showToast, showUndo } from "@/ui/toasts";

type Markable = Flags & { id: ItemId };

export interface Actions {
  setRead(item: Markable, isRead: boolean): void;
  toggleRead(item: Markable): void;
  toggleStar(item: Markable): void;
  markFeed(feed: Feed, shown: readonly ItemSummary[], upTo: string | undefined): void;
  unsubscribe(feed: Feed): void;
  refresh(feed: Feed | null): Promise<void>;
  resume(feed: Feed): Promise<void>;
}

/** What a person can do to items and feeds. Every failure restores what was shown and says why. */
export function useActions(): Actions {
  const client = useQueryClient();

  return useMemo(() => {
    const say = (cause: unknown) => {
      const error = toApiError(cause);
      const { says, remedy } = errorWords(error);
      const sentence = [i18n._(says), remedy ? i18n._(remedy) : ""].filter(Boolean).join(" ");
      const next = error.problem.nextAt;
      const at = typeof next === "string" ? clockTime(next, Date.now(), i18n.locale) : "";
      showToast(at ? `${sentence} ${t`From ${at} on.`}` : sentence);
    };
    const set = (item: Markable, patch: Partial<Flags>) => {
      setItemState(client, item, patch).catch(say);
    };
    return {
      setRead: (item, isRead) => set(item, { isRead }),
      toggleRead: (item) => set(item, { isRead: !flags.read(item).isRead }),
      toggleStar: (item) => set(item, { isStarred: !flags.read(item).isStarred }),

      markFeed(feed, shown, upTo) {
        markFeedRead(client, feed.id, feed.unreadCount, shown, upTo)
          .then(({ marked, undo }) => {
            if (!undo) showToast(t`There was nothing unread.`);
            else
              showUndo(
                t`${plural(marked, { one: "# item marked as read", other: "# items marked as read" })}`,
                t`Undo (z)`,
                () => undo().catch(say),
              );
          })
          .catch(say);
      },

      unsubscribe(feed) {
        const name = feedTitle(feed);
        removeFeed(client, feed.id)
          .then(() => {
            go("/all");
            showUndo(t`Unsubscribed from ${name}`, t`Undo (z)`, () => {
              addFeed(client, feed.url, { folder: feed.folder })
                .then((back) => go(readerPath({ kind: "feed", id: back.id })))
                .catch(say);
            });
          })
          .catch(say);
      },

      async refresh(feed) {
        try {
          if (feed) {
            const before = feed.itemCount;
            const after = await refreshFeed(client, feed.id);
            const fresh = Math.max(0, after.itemCount - before);
            showToast(
              fresh > 0
                ? t`${plural(fresh, { one: "# new item", other: "# new items" })}`
                : t`Nothing new.`,
            );
          } else {
            await Promise.all([
              client.invalidateQueries({ queryKey: feedsKey }),
              client.invalidateQueries({ queryKey: streamsKey }),
            ]);
            showToast(t`The list is up to date.`);
          }
        } catch (cause) {
          say(cause);
        }
      },

      async resume(feed) {
        try {
          await resumeFeed(client, feed.id);
          showToast(t`The feed is fetched again from now on.`);
        } catch (cause) {
          say(cause);
        }
      },
    };
  }, [client]);
}
