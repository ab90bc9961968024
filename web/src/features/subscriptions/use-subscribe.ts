import { useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type ApiError, toApiError } from "@/data/api-error";
import { inward } from "@/data/base";
import { feedTitle, useFeeds } from "@/data/feeds";
import { addFeed } from "@/data/mutations/feed-add";
import { removeFeed } from "@/data/mutations/feed-remove";
import type { FeedId } from "@/data/types";
import { go } from "@/data/use-route";
import { showToast, showUndo } from "@/ui/toasts";

interface Wanted {
  url: string;
  folder: string;
  intervalMinutes: number;
}

/** Subscribes to a feed and offers to undo it. `onAdded` comes before the toast. */
export function useSubscribe(onAdded: (id: FeedId) => void, onRefused: () => void) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { data } = useFeeds();
  const [isSending, setSending] = useState(false);
  const [refused, setRefused] = useState<ApiError | null>(null);

  const subscribe = async ({ url, folder, intervalMinutes }: Wanted) => {
    setSending(true);
    setRefused(null);
    try {
      const known = new Set(data?.feeds.map((feed) => feed.id));
      const feed = await addFeed(client, url, { folder: folder.trim(), intervalMinutes });
      const name = feedTitle(feed);
      onAdded(feed.id);
      if (known.has(feed.id)) showToast(t`You are already subscribed to ${name}.`);
      else {
        showUndo(t`Subscribed to ${name}`, () => {
          void removeFeed(client, feed.id).then(
            () => inward(location.pathname).startsWith(`/feed/${feed.id}`) && go("/all"),
            () => showToast(t`Could not undo this.`),
          );
        });
      }
    } catch (cause) {
      setRefused(toApiError(cause));
      setSending(false);
      onRefused();
    }
  };
  return { isSending, refused, subscribe, forgetRefusal: () => setRefused(null) };
}
