import type { QueryClient } from "@tanstack/react-query";
import { api } from "../client";
import type { Feed, Folder } from "../types";
import { importOpml } from "./opml-import";
import { changeSubscriptions, settingsOf } from "./subscriptions";

/**
 * Undoes unsubscribing. Imports a list, because single feeds may be added only a few times a minute, and then restores
 * their settings. The server still has what was read.
 */
export async function resubscribe(
  client: QueryClient,
  feeds: readonly Feed[],
  folders: readonly Folder[],
): Promise<void> {
  const outlines = feeds.map(
    (feed) => `<outline type="rss" text="" xmlUrl="${escapeXml(feed.url)}"/>`,
  );
  const list = `<?xml version="1.0" encoding="UTF-8"?><opml version="2.0"><body>${outlines.join("")}</body></opml>`;
  const { id } = await importOpml(client, new File([list], "undo.opml", { type: "text/x-opml" }));
  // This import was not made by the person: not listed.
  void api.delete("/api/imports/{id}", { path: { id } }).catch(() => undefined);
  // A feed keeps its id for a week without subscribers.
  await changeSubscriptions(
    client,
    feeds.map((feed) => ({ id: feed.id, ...settingsOf(feed) })),
    folders,
  );
}

function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
