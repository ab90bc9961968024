import { useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { ApiError } from "@/data/api-error";
import { refreshFeed } from "@/data/feed-refresh";
import { feedsQuery, feedTitle } from "@/data/feeds";
import { deleteFolder, knownFolders, makeFolder, moveFolder, renameFolder } from "@/data/folders";
import { deleteLabel, orderLabels, renameLabel } from "@/data/labels";
import { markPlaceRead } from "@/data/mark-place";
import { type Change, changeSubscriptions, settingsBefore } from "@/data/subscriptions";
import { treeQuery } from "@/data/tree";
import type { Feed, FeedId, Folder, FolderId, Label, LabelId } from "@/data/types";
import { problemText } from "@/i18n/problem-text";
import { showToast, showUndo } from "@/ui/toasts";
import { useActions } from "../actions";

/** What the side bar can do to feeds, folders and labels: at once, with undo, and with a reason when it is refused. */
export function useSideDeeds() {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const { unsubscribe } = useActions();

  return useMemo(() => {
    const say = (cause: unknown) => showToast(problemText(cause, i18n));
    const allFeeds = () => client.getQueryData(feedsQuery.queryKey)?.feeds ?? [];
    /** Does something that shows at once, and as soon offers to take it back: z never means an older deed. */
    const deed = async (run: () => Promise<() => Promise<unknown>>, said: string) => {
      const done = run();
      const forget = showUndo(said, t`Undo`, () => {
        done.then((undo) => undo()).catch(say);
      });
      try {
        await done;
      } catch (cause) {
        forget();
        say(cause);
      }
    };
    const set = async (changes: readonly Change[]): Promise<void> => {
      const [refusal] = await changeSubscriptions(client, changes, knownFolders(client));
      if (refusal) throw new ApiError(409, refusal);
    };
    const change = (changes: readonly Change[], said: string) => {
      const feeds = new Map(allFeeds().map((feed) => [feed.id, feed]));
      const back = changes.flatMap(({ id, ...settings }) => {
        const feed = feeds.get(id);
        return feed ? [{ id, ...settingsBefore(feed, settings) }] : [];
      });
      return deed(async () => {
        await set(changes);
        return () => set(back);
      }, said);
    };

    return {
      renameFeed: ({ id }: Feed, title: string) => change([{ id, title }], t`Renamed.`),

      putFeed(feed: Feed, folders: FolderId[]) {
        const name = feedTitle(feed);
        return change([{ id: feed.id, folders }], t`${name} was moved.`);
      },

      muteFeed(feed: Feed) {
        const name = feedTitle(feed);
        const said = feed.isMuted ? t`${name} is heard again.` : t`${name} is muted.`;
        return change([{ id: feed.id, isMuted: !feed.isMuted }], said);
      },

      /** The feeds of one place in the order they shall have; one may have come from another place. */
      orderFeeds(ids: readonly FeedId[], moved?: { feed: Feed; folders: FolderId[] }) {
        const feeds = new Map(allFeeds().map((feed) => [feed.id, feed]));
        const changes = ids.flatMap((id, position) => {
          const isMoved = moved?.feed.id === id;
          if (!isMoved && feeds.get(id)?.position === position) return [];
          return [{ id, position, ...(isMoved ? { folders: moved.folders } : {}) }];
        });
        const name = moved ? feedTitle(moved.feed) : "";
        const said = moved ? t`${name} was moved.` : t`The order is saved.`;
        return changes.length > 0 ? change(changes, said) : Promise.resolve();
      },

      unsubscribe,

      async fetchNow(feed: Feed) {
        try {
          await refreshFeed(client, feed.id);
          showToast(t`The feed was fetched.`);
        } catch (cause) {
          say(cause);
        }
      },

      async fetchFolder(id: FolderId) {
        const { refresh } = await import("../deeds");
        await refresh(client, { stream: { kind: "folder", id }, filter: "all", order: "new" });
      },

      async markRead(place: { feed: FeedId } | { folder: FolderId }, name: string) {
        try {
          const marked = await markPlaceRead(client, place);
          if (!marked) {
            showToast(t`There was nothing unread.`);
            return;
          }
          showUndo(t`${name} is marked as read`, t`Undo`, () => {
            marked.undo().catch(say);
          });
        } catch (cause) {
          say(cause);
        }
      },

      /** The id of the new folder; a refusal is thrown, for the form to tell. */
      makeFolder: (name: string, parentId: FolderId | null) => makeFolder(client, name, parentId),

      async renameFolder({ id, name: old }: Folder, name: string) {
        await renameFolder(client, id, name);
        showUndo(t`Renamed.`, t`Undo`, () => {
          renameFolder(client, id, old).catch(say);
        });
      },

      putFolder({ id, name, parentId, position }: Folder, parent: FolderId | null, at: number) {
        return deed(async () => {
          await moveFolder(client, id, parent, at);
          return () => moveFolder(client, id, parentId, position);
        }, t`${name} was moved.`);
      },

      deleteFolder({ id, name }: Folder) {
        return deed(
          () => deleteFolder(client, id, allFeeds()),
          t`The folder ${name} is deleted. Its feeds stay.`,
        );
      },

      async renameLabel({ id, name: old }: Label, name: string) {
        await renameLabel(client, id, name);
        showUndo(t`Renamed.`, t`Undo`, () => {
          renameLabel(client, id, old).catch(say);
        });
      },

      deleteLabel(label: Label) {
        const { name } = label;
        return deed(
          () => deleteLabel(client, label),
          t`The label ${name} is deleted. Its items stay.`,
        );
      },

      orderLabels(ids: readonly LabelId[]) {
        const before = (client.getQueryData(treeQuery.queryKey)?.labels ?? []).map(({ id }) => id);
        return deed(async () => {
          await orderLabels(client, ids);
          return () => orderLabels(client, before);
        }, t`The order is saved.`);
      },
    };
  }, [client, unsubscribe, t, i18n]);
}

export type SideDeeds = ReturnType<typeof useSideDeeds>;
