import type { QueryClient } from "@tanstack/react-query";
import type { paths } from "./api.gen";
import { api } from "./client";
import { feedsKey, feedsQuery } from "./feeds";
import { folderPaths } from "./folder-paths";
import { forgetLists } from "./stream";
import { inTreeTurn } from "./turns";
import type { Feed, FeedId, Folder } from "./types";

type Bulk = paths["/api/subscriptions/bulk"]["post"]["requestBody"]["content"]["application/json"];
export type Change = Bulk["changes"][number];
export type Settings = Omit<Change, "id" | "unsubscribe">;

/** What one of many changes was refused for. */
export interface Refusal {
  id: FeedId;
  code: string;
  message: string;
}

/** The server takes so many changes in one request. */
const atOnce = 1000;

/**
 * Shows changes at once and sends them together. What is refused is shown as it was and told; when nothing
 * arrives, all of it.
 */
export async function changeSubscriptions(
  client: QueryClient,
  changes: readonly Change[],
  folders: readonly Folder[],
): Promise<Refusal[]> {
  // An older answer must not come over what is shown now.
  void client.cancelQueries({ queryKey: feedsKey });
  const before = new Map(
    client.getQueryData(feedsQuery.queryKey)?.feeds.map((feed) => [feed.id, feed]),
  );
  const wanted = new Map(changes.map((change) => [change.id, change]));
  setFeeds(client, (feeds) =>
    feeds.flatMap((feed) => {
      const change = wanted.get(feed.id);
      if (!change) return [feed];
      return change.unsubscribe ? [] : [withSettings(feed, change, folders)];
    }),
  );
  const refused: Refusal[] = [];
  let sent = 0;
  try {
    for (; sent < changes.length; sent += atOnce) {
      const body = { changes: changes.slice(sent, sent + atOnce) };
      const { results } = await inTreeTurn(() => api.post("/api/subscriptions/bulk", { body }));
      for (const { id, ok, code, message } of results) {
        if (!ok) refused.push({ id, code: code ?? "internal", message: message ?? "" });
      }
    }
  } catch (cause) {
    restore(
      client,
      changes.slice(sent).map(({ id }) => id),
      before,
    );
    throw cause;
  } finally {
    restore(
      client,
      refused.map(({ id }) => id),
      before,
    );
    // Another interval is another time of the next check, and who is muted does not count.
    void client.invalidateQueries({ queryKey: feedsKey });
    if (changes.some((one) => one.unsubscribe || one.isMuted !== undefined)) {
      void forgetLists(client);
    }
  }
  return refused;
}

/** The settings that a change touches, as they are now: what undoes it. */
export function settingsBefore(feed: Feed, change: Settings): Settings {
  const all = settingsOf(feed);
  return Object.fromEntries(
    Object.keys(change).map((name) => [name, all[name as keyof Settings]]),
  ) as Settings;
}

export function settingsOf(feed: Feed): Required<Settings> {
  return {
    title: feed.customTitle ?? "",
    folders: feed.folders,
    position: feed.position,
    fetchIntervalMinutes: feed.ownIntervalMinutes,
    isMuted: feed.isMuted,
    fullText: feed.fullText,
    notify: feed.notify,
  };
}

export function withSettings(feed: Feed, change: Settings, folders: readonly Folder[]): Feed {
  const set: Required<Settings> = { ...settingsOf(feed), ...change };
  const first = change.folders && folderPaths(folders).find(({ id }) => id === change.folders?.[0]);
  return {
    ...feed,
    customTitle: set.title || null,
    folders: set.folders,
    folder: change.folders ? (first?.path.replaceAll(" / ", "/") ?? "") : feed.folder,
    position: set.position,
    ownIntervalMinutes: set.fetchIntervalMinutes,
    isMuted: set.isMuted,
    fullText: set.fullText,
    notify: set.notify,
  };
}

function restore(client: QueryClient, ids: readonly FeedId[], before: ReadonlyMap<FeedId, Feed>) {
  if (ids.length === 0) return;
  setFeeds(client, (feeds) => {
    const now = new Map(feeds.map((feed) => [feed.id, feed]));
    for (const id of ids) {
      const feed = before.get(id);
      if (feed) now.set(id, feed);
    }
    return [...now.values()];
  });
}

function setFeeds(client: QueryClient, change: (feeds: Feed[]) => Feed[]): void {
  client.setQueryData(feedsQuery.queryKey, (old) =>
    old ? { ...old, feeds: change(old.feeds) } : old,
  );
}
