import { keptFilter } from "./kept-filters";
import type { FeedId, Filter, FolderId, ItemId, LabelId, Mode, Order, SearchId } from "./types";

/** The URL is state; this file alone parses and writes it. */
export type Stream =
  /** Without an open item it is a page of its own (features/reader/today). */
  | { kind: "today" }
  | { kind: "all" }
  | { kind: "starred" }
  /** What was opened on this device lately. */
  | { kind: "recent" }
  | { kind: "feed"; id: FeedId }
  | { kind: "folder"; id: FolderId }
  | { kind: "label"; id: LabelId }
  /** A saved search: the server knows its words. */
  | { kind: "saved"; id: SearchId }
  | ({ kind: "search" } & Search)
  /** What is popular among all feeds. */
  | ({ kind: "explore" } & Explore);

export const tabs = ["hot", "rising", "new", "tags"] as const;
export const thresholds = [1, 3, 10, 50, 100] as const;
export const periods = ["day", "week", "month", "all"] as const;
export const searchSorts = ["date", "best", "popular"] as const;

export interface Explore {
  /** By bookmarks, by bookmarks of the last day, or by date; or what tags there are. */
  tab: (typeof tabs)[number];
  /** Bookmarks that an article has at least; 0 only with a tag. */
  threshold: 0 | (typeof thresholds)[number];
  /** How old an article may be. */
  period: (typeof periods)[number];
  /** That each article has; empty: any. */
  tag: string;
}

/** What is searched for, and where. */
export interface Search {
  /** As typed; nothing is searched for while it is empty. */
  q: string;
  /** A feed ("f12") or a folder ("d3"); empty: all feeds that are not muted. */
  in: string;
  /** Days ("2026-05-03"), from the start of the first up to the start of the last; empty: no bound. */
  from: string;
  to: string;
  sort: (typeof searchSorts)[number];
  /** While it is typed: in titles, and the last word may go on. */
  isTyped?: boolean;
}

export type ReaderRoute = {
  screen: "reader";
  stream: Stream;
  filter: Filter;
  /** Null: as it was chosen for this list (modes.ts). */
  mode: Mode | null;
  /** Null: as the person prefers. */
  order: Order | null;
  item: ItemId | null;
};
export type Route =
  | ReaderRoute
  | { screen: "subscriptions"; feed: FeedId | null }
  | { screen: "rules" }
  /** The page of watches knows what its address says (features/watches/place.ts). */
  | { screen: "watches" }
  | { screen: "settings"; section: string | null }
  | { screen: "welcome" }
  | { screen: "add"; url: string }
  | { screen: "login"; next: string; reason: string | null }
  | { screen: "signup" }
  | { screen: "missing" };

const filters: readonly Filter[] = ["all", "unread", "starred"];
/** With the names in older addresses. */
const modes: Readonly<Record<string, Mode>> = {
  skim: "skim",
  read: "read",
  stream: "stream",
  gallery: "gallery",
  list: "skim",
  magazine: "read",
  card: "gallery",
};
const orders: readonly Order[] = ["new", "old", "popular"];
const id = /^[0-9]{1,16}$/;
const isId = (text: string | undefined): text is string => text !== undefined && id.test(text);

export function parseRoute(path: string, search: string): Route {
  const params = new URLSearchParams(search);
  const parts = current(path)
    .split("/")
    .filter((part) => part !== "");
  const [first, second] = parts;
  const screen = first === undefined ? null : parseScreen(first, second, parts.length, params);
  return screen ?? parseReader(parts, params);
}

/** A path as it is written now: what is popular was at /explore, and /popular is the public page. */
export function current(path: string): string {
  return path.replace(/^\/explore(?=\/|$)/, popularPath);
}

const popularPath = "/my/popular";

/** The screens besides the reader; undefined when it is none of them. */
function parseScreen(
  first: string,
  second: string | undefined,
  length: number,
  params: URLSearchParams,
): Route | undefined {
  if (length === 1) {
    switch (first) {
      case "login":
        return { screen: "login", next: safeNext(params.get("next")), reason: params.get("e") };
      // As it was before; now the owner's.
      case "stats":
        return { screen: "settings", section: "server" };
      case "signup":
      case "rules":
      case "welcome":
        return { screen: first };
      case "add":
        return { screen: "add", url: sharedUrl(params) };
    }
  }
  if (first === "watches") return { screen: first };
  if (first === "subscriptions" && (length === 1 || (length === 2 && isId(second)))) {
    return { screen: "subscriptions", feed: second ?? null };
  }
  if (first === "settings" && (length === 1 || (length === 2 && /^[a-z]+$/.test(second ?? "")))) {
    return { screen: "settings", section: second ?? null };
  }
  return undefined;
}

function parseReader(parts: readonly string[], params: URLSearchParams): Route {
  const [first, second] = parts;
  const stream: Stream | null =
    first === undefined || first === "today"
      ? { kind: "today" }
      : first === "all" || first === "starred" || first === "recent"
        ? { kind: first }
        : first === "search"
          ? parseSearch(params)
          : first === "my" && second === "popular"
            ? parseExplore(parts[2], params)
            : /^(feed|folder|label|saved)$/.test(first ?? "") && isId(second)
              ? { kind: first as "feed", id: second }
              : null;
  if (!stream) return { screen: "missing" };
  const rest = parts.slice(stream.kind === "explore" ? 3 : "id" in stream ? 2 : 1);
  const item = rest[0] === "i" && isId(rest[1]) ? rest[1] : null;
  if (rest.length > 0 && (item === null || rest.length > 2)) return { screen: "missing" };
  const one = <T extends string>(name: string, allowed: readonly T[]): T | null =>
    allowed.find((value) => value === params.get(name)) ?? null;
  return {
    screen: "reader",
    stream,
    filter: (hasFilter(stream) && (one("f", filters) ?? ownFilter(stream))) || "all",
    mode: (Object.hasOwn(modes, params.get("v") ?? "") && modes[params.get("v") ?? ""]) || null,
    // Searches have a sort of their own.
    order: isSearch(stream) || stream.kind === "explore" ? "new" : one("o", orders),
    item,
  };
}

const tests = { in: /^[fd][0-9]{1,16}$/, from: /^\d{4}-\d\d-\d\d$/, to: /^\d{4}-\d\d-\d\d$/ };

function parseSearch(params: URLSearchParams): Stream {
  const part = (name: keyof typeof tests) => {
    const value = params.get(name) ?? "";
    return tests[name].test(value) ? value : "";
  };
  return {
    kind: "search",
    q: (params.get("q") ?? "").trim(),
    in: part("in"),
    from: part("from"),
    to: part("to"),
    sort: searchSorts.find((one) => one === params.get("s")) ?? "date",
    ...(params.has("typed") ? { isTyped: true } : {}),
  };
}

function parseExplore(tab: string | undefined, params: URLSearchParams): Stream | null {
  const known = tabs.find((one) => one === (tab ?? "hot"));
  const tag = params.get("t") ?? "";
  const usual = usualOf(known, tag);
  const number = Number(params.get("n") ?? usual.threshold);
  return known === undefined
    ? null
    : {
        kind: "explore",
        tab: known,
        threshold:
          number === 0 && tag !== ""
            ? number
            : (thresholds.find((one) => one === number) ?? usual.threshold),
        period: periods.find((one) => one === params.get("p")) ?? usual.period,
        tag,
      };
}

/** What an address need not say: tags are of interest for all articles. */
export function usualOf(tab: string | undefined, tag: string) {
  return {
    threshold: tag === "" ? 3 : 0,
    period: tag === "" && tab !== "tags" ? "week" : "month",
  } as const;
}

export function isSearch({ kind }: Stream): boolean {
  return kind === "search" || kind === "saved";
}

/** Starred and recent items have one content; a saved search brings its own filter. */
function hasFilter({ kind }: Stream): boolean {
  return !["today", "starred", "recent", "saved", "explore"].includes(kind);
}

/** As it was chosen for a feed, a folder or a label; other lists are all articles where the address says nothing else. */
function ownFilter(stream: Stream): Filter {
  return "id" in stream ? keptFilter(streamName(stream)) : "all";
}

/** Optional parts of an address of the reader; null is left out. */
interface ReaderOptions {
  mode?: Mode | null;
  order?: Order | null;
}

export function readerPath(
  stream: Stream,
  /** Undefined: as it was chosen for the list. */
  filter?: Filter,
  item: ItemId | null = null,
  { mode = null, order = null }: ReaderOptions = {},
): string {
  const name = "id" in stream ? stream.id : stream.kind === "explore" ? stream.tab : null;
  if (stream.kind === "today") return item === null ? "/" : `/today/i/${item}`;
  const base = `${stream.kind === "explore" ? popularPath : `/${stream.kind}`}${name === null ? "" : `/${name}`}`;
  const explored = stream.kind === "explore" ? stream : null;
  const usual = explored && usualOf(explored.tab, explored.tag);
  const found = stream.kind === "search" ? stream : null;
  const query = [
    ...(["q", "in", "from", "to"] as const).map((name) =>
      found?.[name] ? `${name}=${encodeURIComponent(found[name])}` : "",
    ),
    found && found.sort !== "date" ? `s=${found.sort}` : "",
    found?.isTyped ? "typed=1" : "",
    explored?.tag ? `t=${encodeURIComponent(explored.tag)}` : "",
    explored && explored.threshold !== usual?.threshold ? `n=${explored.threshold}` : "",
    explored && explored.period !== usual?.period ? `p=${explored.period}` : "",
    filter === undefined || !hasFilter(stream) || (filter === "all" && ownFilter(stream) === "all")
      ? ""
      : `f=${filter}`,
    mode === null ? "" : `v=${mode}`,
    order === null || isSearch(stream) || explored ? "" : `o=${order}`,
  ].filter((part) => part !== "");
  const search = query.length === 0 ? "" : `?${query.join("&")}`;
  return `${base}${item === null ? "" : `/i/${item}`}${search}`;
}

export function loginPath(next: string, reason: string | null = null): string {
  const query = new URLSearchParams();
  if (next !== "/" && !next.startsWith("/login")) query.set("next", next);
  if (reason !== null) query.set("e", reason);
  return query.size > 0 ? `/login?${query}` : "/login";
}

/** Identifies a stream in cache keys and in storage. */
export function streamName(stream: Stream): string {
  if (stream.kind === "search" || stream.kind === "explore") {
    return `${stream.kind}:${readerPath(stream)}`;
  }
  return "id" in stream ? `${stream.kind}:${stream.id}` : stream.kind;
}

/** The address that another program shares; some put it into a text. */
function sharedUrl(params: URLSearchParams): string {
  const text = params.get("text") ?? "";
  return params.get("url") || (/https?:\/\/\S+/.exec(text)?.[0] ?? text);
}

/** Only paths of our own: "//host" and "/\host" lead elsewhere. */
function safeNext(next: string | null): string {
  return next !== null && /^\/(?![/\\])/.test(next) && !next.startsWith("/login") ? next : "/";
}
