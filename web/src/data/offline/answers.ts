import type { paths } from "../api.gen";
import { placeOf } from "../place";
import type { Feed, FolderId, Item, ItemSummary, Tree } from "../types";
import { itemPath, kindOf, listPath } from "./kinds";
import { store } from "./store";

type AnswerTo<P extends "/api/me" | "/api/feeds" | "/api/items"> =
  paths[P]["get"]["responses"][200]["content"]["application/json"];
type Me = AnswerTo<"/api/me">;
type Bar = AnswerTo<"/api/feeds">;
type Page = AnswerTo<"/api/items">;

/** What the server would have answered, as far as this device knows; undefined when it does not. */
export async function keptAnswer(url: string): Promise<unknown> {
  try {
    const owner = await store.owner();
    if (!owner?.isSure) return undefined;
    const id = itemPath.exec(url)?.[1];
    if (id !== undefined) {
      const item = await store.item(id);
      return item && { item };
    }
    switch (kindOf(url)) {
      case "bar":
        return url === "/api/me" ? keptMe() : ((await bodyOf(url)) ?? partOfMe(url));
      case "list":
        return (await bodyOf(url)) ?? madeList(url);
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

/** The page's first answer with what was answered since of its parts. */
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
    tree: { ...tree, ...(await newer<Tree>("/api/labels")) },
  };
}

async function partOfMe(url: string): Promise<unknown> {
  const me = await bodyOf<Me>("/api/me");
  if (!me) return undefined;
  const { feeds, totals, limits, tree } = me;
  if (url === "/api/feeds") return { feeds, totals, limits };
  return url === "/api/folders" ? { folders: tree.folders } : { labels: tree.labels };
}

/** A list that was never asked for, made of the items that are here; none when there are none. */
async function madeList(url: string): Promise<Page | undefined> {
  const me = await keptMe();
  const query = new URL(url, location.origin).searchParams;
  if (!me || query.has("cursor")) return undefined;
  const wanted = chooser(url, query, me);
  const sign = query.get("order") === "oldest" ? 1 : -1;
  const items = (await store.items()).filter(wanted).sort((a, b) => sign * byAge(a, b));
  if (items.length === 0) return undefined;
  return {
    items: items.map(summary),
    nextCursor: null,
    asOf: "",
    unreadCount: 0,
    totals: me.totals,
  };
}

/** As the server has them, the oldest first: by time, then by id, which are numbers without leading noughts. */
function byAge(a: Item, b: Item): number {
  const age = Date.parse(placeOf(a)) - Date.parse(placeOf(b));
  return age || a.id.length - b.id.length || (a.id < b.id ? -1 : 1);
}

function chooser(url: string, query: URLSearchParams, me: Me): (item: Item) => boolean {
  const feed = listPath.exec(url)?.[1];
  const folder = query.get("folder");
  const label = query.get("label");
  const filter = query.get("filter");
  const inFolder = folder === null ? null : feedsIn(folder, me.feeds, me.tree.folders);
  return (item) =>
    (feed === undefined || item.feedId === feed) &&
    (inFolder === null || inFolder.has(item.feedId)) &&
    (label === null || item.labels.includes(label)) &&
    (filter !== "unread" || !item.isRead) &&
    (filter !== "starred" || item.isStarred);
}

/** The feeds of a folder and of all folders in it. */
function feedsIn(folder: FolderId, feeds: readonly Feed[], folders: Tree["folders"]): Set<string> {
  const within = new Set([folder]);
  for (let before = 0; before < within.size; ) {
    before = within.size;
    for (const one of folders) if (one.parentId && within.has(one.parentId)) within.add(one.id);
  }
  return new Set(
    feeds.filter((feed) => feed.folders.some((id) => within.has(id))).map(({ id }) => id),
  );
}

function summary({ contentHtml: _, ...rest }: Item): ItemSummary {
  return rest;
}
