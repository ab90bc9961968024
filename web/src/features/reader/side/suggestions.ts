import { feedTitle } from "@/data/feeds";
import { folderPaths } from "@/data/folder-paths";
import { fold, search } from "@/data/name-match";
import { readerPath, type Search, type Stream } from "@/data/routes";
import type { Feed, Filter, Folder, SavedSearch } from "@/data/types";

export type Suggestion =
  | { kind: "recent"; name: string; href: string; q: string }
  | { kind: "saved" | "folder"; name: string; href: string }
  | { kind: "feed"; name: string; href: string; feed: Feed };

interface Known {
  recent: readonly string[];
  saved: readonly SavedSearch[];
  feeds: readonly Feed[];
  folders: readonly Folder[];
}

/** Entries of each kind at most, once something is typed. */
const most = 5;

/** Everywhere, the newest first. */
const anywhere: Omit<Search, "q"> = { in: "", from: "", to: "", sort: "date" };

/** A search for these words: where and how the open search does, otherwise everywhere. */
export function searchPath(q: string, stream: Stream, filter: Filter, isTyped = false): string {
  const isSame = stream.kind === "search";
  const rest = isSame ? stream : anywhere;
  return readerPath({ ...rest, kind: "search", q, isTyped }, isSame ? filter : "all");
}

/** What the box offers, from memory alone: nothing that is typed is sent before it is searched for. */
export function suggest(text: string, known: Known, stream: Stream, filter: Filter): Suggestion[] {
  const q = text.trim();
  const wanted = fold(q);
  const recent = known.recent
    .filter((one) => one !== q && fold(one).includes(wanted))
    .map(
      (one) =>
        ({ kind: "recent", name: one, q: one, href: searchPath(one, stream, filter) }) as const,
    );
  const saved = search(known.saved, q).map(
    ({ id, name }) => ({ kind: "saved", name, href: readerPath({ kind: "saved", id }) }) as const,
  );
  if (q === "") return [...saved, ...recent];
  const folders = folderPaths(known.folders).map(({ id, label }) => ({ id, name: label }));
  const feeds = known.feeds.map((feed) => ({ feed, name: feedTitle(feed) }));
  return [
    ...recent.slice(0, most),
    ...saved.slice(0, most),
    ...search(folders, q)
      .slice(0, most)
      .map(({ id, name }) => {
        const href = readerPath({ kind: "folder", id });
        return { kind: "folder", name, href } as const;
      }),
    ...search(feeds, q)
      .slice(0, most)
      .map(({ feed, name }) => {
        const href = readerPath({ kind: "feed", id: feed.id });
        return { kind: "feed", name, href, feed } as const;
      }),
  ];
}
