import type { QueryClient } from "@tanstack/react-query";
import type { paths } from "../api.gen";
import { api } from "../client";
import { feedsKey, updateFeeds } from "../feeds";
import { folderPaths } from "../folder-paths";
import { queueTreeChange } from "../request-queue";
import type { Feed, FeedId, Folder } from "../types";
import { forgetLists } from "./lists";
import { loadedFeeds } from "./loaded-feeds";

type Bulk = paths["/api/subscriptions/bulk"]["post"]["requestBody"]["content"]["application/json"];
export type Change = Bulk["changes"][number];
export type Settings = Omit<Change, "id" | "unsubscribe">;

/** Why one of several changes was refused. */
export interface Refusal {
  id: FeedId;
  code: string;
  message: string;
}

/** Changes that the server takes in one request. */
const batchSize = 1000;

/**
 * Shows changes at once and sends them together. Restores and returns those that are refused; restores all that were not
 * answered when a request fails.
 */
export async function changeSubscriptions(
  client: QueryClient,
  changes: readonly Change[],
  folders: readonly Folder[],
): Promise<Refusal[]> {
  // An older answer must not come over what is shown now.
  void client.cancelQueries({ queryKey: feedsKey });
  const before = new Map(loadedFeeds(client).map((feed) => [feed.id, feed]));
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
    for (; sent < changes.length; sent += batchSize) {
      const body = { changes: changes.slice(sent, sent + batchSize) };
      const { results } = await queueTreeChange(() =>
        api.post("/api/subscriptions/bulk", { body }),
      );
      for (const { id, ok, code, message } of results) {
        if (!ok) refused.push({ id, code: code ?? "internal", message: message ?? "" });
      }
    }
  } catch (cause) {
    restore(client, changes.slice(sent), before);
    throw cause;
  } finally {
    restore(client, refused, before);
    // The next check follows from the interval, and muted feeds do not count.
    void client.invalidateQueries({ queryKey: feedsKey });
    if (changes.some((one) => one.unsubscribe || one.isMuted !== undefined)) {
      void forgetLists(client);
    }
  }
  return refused;
}

/** The current values of what a change sets: the change that undoes it. */
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
    neverCount: feed.neverCount,
  };
}

export function withSettings(feed: Feed, change: Settings, folders: readonly Folder[]): Feed {
  const set: Required<Settings> = { ...settingsOf(feed), ...change };
  const first = change.folders && folderPaths(folders).find(({ id }) => id === change.folders?.[0]);
  return {
    ...feed,
    customTitle: set.title || null,
    folders: set.folders,
    folder: change.folders ? (first?.path ?? "") : feed.folder,
    position: set.position,
    ownIntervalMinutes: set.fetchIntervalMinutes,
    isMuted: set.isMuted,
    fullText: set.fullText,
    notify: set.notify,
    neverCount: set.neverCount,
  };
}

function restore(
  client: QueryClient,
  changes: readonly { id: FeedId }[],
  before: ReadonlyMap<FeedId, Feed>,
): void {
  if (changes.length === 0) return;
  setFeeds(client, (feeds) => {
    const now = new Map(feeds.map((feed) => [feed.id, feed]));
    for (const { id } of changes) {
      const feed = before.get(id);
      if (feed) now.set(id, feed);
    }
    return [...now.values()];
  });
}

function setFeeds(client: QueryClient, change: (feeds: Feed[]) => Feed[]): void {
  updateFeeds(client, (list) => ({ ...list, feeds: change(list.feeds) }));
}
