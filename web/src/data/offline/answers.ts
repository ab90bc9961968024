import type { paths } from "../api.gen";
import { sortTime } from "../sort-time";
import type { FeedId, FolderId, Item, ItemSummary, Tree } from "../types";
import { withinFolder } from "../within-folder";
import { itemPath, kindOf, listPath, savedSearchPath } from "./kinds";
import { store } from "./store";

type AnswerTo<P extends "/api/me" | "/api/feeds" | "/api/items"> =
  paths[P]["get"]["responses"][200]["content"]["application/json"];
type Me = AnswerTo<"/api/me">;
type Bar = AnswerTo<"/api/feeds">;
type Page = AnswerTo<"/api/items">;

/** The server's answer as far as this device knows it; undefined when it does not. */
export async function keptAnswer(url: string): Promise<unknown> {
  try {
    const owner = await store.owner();
    if (!owner?.isSure) return undefined;
    const id = itemPath.exec(url)?.[1];
    if (id !== undefined) {
      const item = await store.item(id);
      return item && { item };
    }
    // Changes to the list of feeds are only kept in the list.
    if (url.startsWith("/api/feeds?since=")) return keptAnswer("/api/feeds");
    switch (kindOf(url)) {
      case "bar":
        return url === "/api/me" ? keptMe() : ((await bodyOf(url)) ?? partOfMe(url));
      case "list":
        return keptList(url);
      default:
        return undefined;
    }
  } catch {
    return undefined; // storage is forbidden, or broken
  }
}

async function bodyOf<T>(url: string): Promise<T | undefined> {
  return (await store.answer(url))?.body as T | undefined;
}

/** The answer of /api/me with newer answers for its parts. */
async function keptMe(): Promise<Me | undefined> {
  const me = await store.answer("/api/me");
  if (!me) return undefined;
  const newer = async <T>(url: string): Promise<Partial<T>> => {
    const kept = await store.answer(url);
    return kept && kept.at > me.at ? (kept.body as T) : {};
  };
  const body = me.body as Me;
  const tree = { ...body.tree, ...(await newer<Tree>("/api/folders")) };
  return {
    ...body,
    ...(await newer<Bar>("/api/feeds")),
    ...(await newer<Pick<Me, "searches">>("/api/searches")),
    tree: { ...tree, ...(await newer<Tree>("/api/labels")) },
  };
}

async function partOfMe(url: string): Promise<unknown> {
  const me = await bodyOf<Me>("/api/me");
  if (!me || url === "/api/today") return undefined;
  const { feeds, totals, limits, since, tree, searches } = me;
  if (url === "/api/feeds") return { feeds, totals, limits, since };
  if (url === "/api/searches") return { searches };
  return url === "/api/folders" ? { folders: tree.folders } : { labels: tree.labels };
}

/**
 * A list as it was loaded, with other known items that belong to it; one that was never loaded consists of those alone.
 * Only the server knows the order of stars and labels: there others come last.
 */
async function keptList(url: string): Promise<Page | undefined> {
  const kept = (await bodyOf<Page>(url)) ?? (await keptInOtherSize(url));
  const me = await keptMe();
  const query = new URL(url, location.origin).searchParams;
  if (!me || query.has("cursor")) return kept;
  const isContinued = kept !== undefined && (await hasNext(url, kept));
  // What else it would find, only the server knows.
  if (savedSearchPath.test(url))
    return kept && { ...kept, nextCursor: isContinued ? kept.nextCursor : null };
  const isOrdered = hasOwnOrder(url, query);
  if (isContinued && isOrdered) return kept;
  const belongs = chooser(url, query, me);
  const sign = query.get("order") === "oldest" ? 1 : -1;
  const shown = new Set(kept?.items.map(({ id }) => id));
  const end = isContinued ? kept.items.at(-1) : undefined;
  const others = (await knownItems())
    .filter(
      (item) =>
        !shown.has(item.id) && belongs(item) && (end === undefined || sign * byAge(item, end) < 0),
    )
    .sort((a, b) => sign * byAge(a, b));
  if (!kept && others.length === 0) return undefined;
  const items = [...(kept?.items ?? []), ...others];
  if (!isOrdered) items.sort((a, b) => sign * byAge(a, b));
  const first = { asOf: "", unreadCount: 0, totals: me.totals };
  return { ...first, ...kept, items, nextCursor: isContinued ? kept.nextCursor : null };
}

/** The next page of a list is here too. */
async function hasNext(url: string, { nextCursor }: Page): Promise<boolean> {
  if (nextCursor === null) return false;
  const cursor = new URLSearchParams({ cursor: nextCursor });
  return (await store.answer(`${url}${url.includes("?") ? "&" : "?"}${cursor}`)) !== undefined;
}

/** The newest answer of the same list that had pages of another size, as the copy is filled with. */
async function keptInOtherSize(url: string): Promise<Page | undefined> {
  const name = nameOf(url);
  const same = ((await store.answers()) ?? []).filter((kept) => nameOf(kept.url) === name);
  return same.sort((a, b) => b.at - a.at)[0]?.body as Page | undefined;
}

/** A list's address without the size of its pages. */
function nameOf(url: string): string {
  const { pathname, searchParams } = new URL(url, location.origin);
  searchParams.delete("limit");
  searchParams.sort();
  return `${pathname}?${searchParams}`;
}

/** All known items, with a text or from any list; the newest list wins. */
async function knownItems(): Promise<ItemSummary[]> {
  const known = new Map((await store.items()).map((item) => [item.id, summary(item)]));
  const lists = ((await store.answers()) ?? []).filter((kept) => kindOf(kept.url) === "list");
  for (const { body } of lists.sort((a, b) => a.at - b.at))
    for (const item of (body as Page).items) known.set(item.id, item);
  return [...known.values()];
}

function hasOwnOrder(url: string, query: URLSearchParams): boolean {
  const isFeed = listPath.exec(url)?.[1] !== undefined;
  return (
    query.has("label") ||
    query.get("order") === "popular" ||
    (query.get("filter") === "starred" && !isFeed && !query.has("folder"))
  );
}

/** The order of the server, oldest first: by time, then by id (numbers without leading zeros). */
function byAge(a: ItemSummary, b: ItemSummary): number {
  const age = Date.parse(sortTime(a)) - Date.parse(sortTime(b));
  return age || a.id.length - b.id.length || (a.id < b.id ? -1 : 1);
}

function chooser(url: string, query: URLSearchParams, me: Me): (item: ItemSummary) => boolean {
  const feed = listPath.exec(url)?.[1];
  const folder = query.get("folder");
  const label = query.get("label");
  const filter = query.get("filter");
  const inFolder = folder === null ? null : feedIdsIn(folder, me);
  // Muted feeds are not in All, but their starred items are starred.
  const isAll = feed === undefined && folder === null && label === null && filter !== "starred";
  const muted = new Set(me.feeds.filter(({ isMuted }) => isAll && isMuted).map(({ id }) => id));
  return (item) =>
    (feed === undefined || item.feedId === feed) &&
    (inFolder === null || inFolder.has(item.feedId)) &&
    (label === null || item.labels.includes(label)) &&
    !muted.has(item.feedId) &&
    item.isHidden === (filter === "hidden") &&
    (filter !== "unread" || !item.isRead) &&
    (filter !== "starred" || item.isStarred);
}

/** Ids of the feeds in a folder and in all folders in it. */
function feedIdsIn(folder: FolderId, { feeds, tree }: Me): ReadonlySet<FeedId> {
  const folders = new Set(withinFolder(tree.folders, folder).map(({ id }) => id));
  return new Set(
    feeds.filter((feed) => feed.folders.some((id) => folders.has(id))).map(({ id }) => id),
  );
}

function summary({ contentHtml: _, ...rest }: Item): ItemSummary {
  return rest;
}
