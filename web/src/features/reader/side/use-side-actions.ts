import { useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { ApiError } from "@/data/api-error";
import { inward } from "@/data/base";
import { feedTitle } from "@/data/feeds";
import { refreshFeed } from "@/data/mutations/feed-refresh";
import {
  createFolder,
  deleteFolder,
  knownFolders,
  moveFolder,
  renameFolder,
} from "@/data/mutations/folders";
import { deleteLabel, orderLabels, renameLabel } from "@/data/mutations/labels";
import { loadedFeeds } from "@/data/mutations/loaded-feeds";
import { markSourceRead, type Source } from "@/data/mutations/mark-source-read";
import {
  deleteSearch,
  orderSearches,
  renameSearch,
  savedSearches,
} from "@/data/mutations/searches";
import { type Change, changeSubscriptions, settingsBefore } from "@/data/mutations/subscriptions";
import { parseRoute } from "@/data/routes";
import { treeQuery } from "@/data/tree";
import type {
  Feed,
  FeedId,
  Folder,
  FolderId,
  Label,
  LabelId,
  SavedSearch,
  SearchId,
} from "@/data/types";
import { go } from "@/data/use-route";
import { showError } from "@/ui/show-error";
import { showToast } from "@/ui/toasts";
import { offerUndo, withUndo } from "@/ui/undo";
import { useActions } from "../actions";

/** What the side bar can do to feeds, folders, labels and saved searches: shown at once, with undo. */
export function useSideActions() {
  const { t } = useLingui();
  const client = useQueryClient();
  const { unsubscribe, refresh } = useActions();

  return useMemo(() => {
    const send = async (changes: readonly Change[]): Promise<void> => {
      const [refusal] = await changeSubscriptions(client, changes, knownFolders(client));
      if (refusal) throw new ApiError(409, refusal);
    };
    const change = (changes: readonly Change[], text: string) => {
      const feeds = new Map(loadedFeeds(client).map((feed) => [feed.id, feed]));
      const back = changes.flatMap(({ id, ...settings }) => {
        const feed = feeds.get(id);
        return feed ? [{ id, ...settingsBefore(feed, settings) }] : [];
      });
      return withUndo(text, send(changes), () => send(back));
    };

    return {
      renameFeed: ({ id }: Feed, title: string) => change([{ id, title }], t`Renamed`),

      putFeed(feed: Feed, folders: FolderId[]) {
        const name = feedTitle(feed);
        return change([{ id: feed.id, folders }], t`${name} moved`);
      },

      muteFeed(feed: Feed) {
        const name = feedTitle(feed);
        const text = feed.isMuted ? t`${name} unmuted` : t`${name} muted`;
        return change([{ id: feed.id, isMuted: !feed.isMuted }], text);
      },

      /** Orders the feeds of a folder; one of them may have been moved there. */
      orderFeeds(ids: readonly FeedId[], moved?: { feed: Feed; folders: FolderId[] }) {
        const feeds = new Map(loadedFeeds(client).map((feed) => [feed.id, feed]));
        const changes = ids.flatMap((id, position) => {
          const isMoved = moved?.feed.id === id;
          if (!isMoved && feeds.get(id)?.position === position) return [];
          return [{ id, position, ...(isMoved ? { folders: moved.folders } : {}) }];
        });
        const name = moved ? feedTitle(moved.feed) : "";
        const text = moved ? t`${name} moved` : t`Order saved`;
        return changes.length > 0 ? change(changes, text) : Promise.resolve();
      },

      unsubscribe,

      async fetchNow(feed: Feed) {
        try {
          await refreshFeed(client, feed.id);
          showToast(t`Feed refreshed`);
        } catch (cause) {
          showError(cause);
        }
      },

      fetchFolder: (id: FolderId) =>
        refresh({ stream: { kind: "folder", id }, filter: "all", order: "new" }),

      async markRead(source: Source, name: string) {
        try {
          const undo = await markSourceRead(client, source);
          if (undo) offerUndo(t`${name} marked as read`, undo);
          else showToast(t`Nothing to mark as read`);
        } catch (cause) {
          showError(cause);
        }
      },

      /** Returns the id of the new folder; throws a refusal, which the form shows. */
      createFolder: (name: string, parentId: FolderId | null) =>
        createFolder(client, name, parentId),

      /** Throws a refusal, which the form shows. */
      async renameFolder({ id, name: old }: Folder, name: string) {
        await renameFolder(client, id, name);
        offerUndo(t`Renamed`, () => renameFolder(client, id, old));
      },

      moveFolder: ({ id, name, parentId, position }: Folder, parent: FolderId | null, at: number) =>
        withUndo(t`${name} moved`, moveFolder(client, id, parent, at), () =>
          moveFolder(client, id, parentId, position),
        ),

      deleteFolder: (folder: Folder) => {
        const { name } = folder;
        return withUndo(
          t`Folder ${name} deleted. What was in it has moved up.`,
          deleteFolder(client, folder, loadedFeeds(client)),
          (restore) => restore(),
        );
      },

      /** Throws a refusal, which the form shows. */
      async renameLabel({ id, name: old }: Label, name: string) {
        await renameLabel(client, id, name);
        offerUndo(t`Renamed`, () => renameLabel(client, id, old));
      },

      deleteLabel: (label: Label) => {
        const { name } = label;
        return withUndo(
          t`Label ${name} deleted. Its articles are kept.`,
          deleteLabel(client, label),
          (restore) => restore(),
        );
      },

      orderLabels(ids: readonly LabelId[]) {
        const before = (client.getQueryData(treeQuery.queryKey)?.labels ?? []).map(({ id }) => id);
        return withUndo(t`Order saved`, orderLabels(client, ids), () =>
          orderLabels(client, before),
        );
      },

      /** Throws a refusal, which the form shows. */
      async renameSearch({ id, name: old }: SavedSearch, name: string) {
        await renameSearch(client, id, name);
        offerUndo(t`Renamed`, () => renameSearch(client, id, old));
      },

      /** Goes to all items where it is open. */
      deleteSearch({ id, name }: SavedSearch) {
        const route = parseRoute(inward(location.pathname), location.search);
        const stream = route.screen === "reader" ? route.stream : null;
        if (stream?.kind === "saved" && stream.id === id) go("/all");
        return withUndo(t`${name} deleted`, deleteSearch(client, id), (restore) => restore());
      },

      orderSearches(ids: readonly SearchId[]) {
        const before = savedSearches(client).map(({ id }) => id);
        return withUndo(t`Order saved`, orderSearches(client, ids), () =>
          orderSearches(client, before),
        );
      },
    };
  }, [client, unsubscribe, refresh, t]);
}

export type SideActions = ReturnType<typeof useSideActions>;
