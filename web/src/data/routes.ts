import type { FeedId, Filter, FolderId, ItemId, LabelId, Order, View } from "./types";

/** The URL is state; this file alone parses and writes it. */
export type Stream =
  | { kind: "all" }
  | { kind: "starred" }
  | { kind: "feed"; id: FeedId }
  | { kind: "folder"; id: FolderId }
  | { kind: "label"; id: LabelId };

export type ReaderRoute = {
  screen: "reader";
  stream: Stream;
  filter: Filter;
  /** Null: as the person prefers. */
  view: View | null;
  order: Order | null;
  item: ItemId | null;
};
export type Route =
  | ReaderRoute
  | { screen: "stats" }
  | { screen: "subscriptions"; feed: FeedId | null }
  | { screen: "rules" }
  | { screen: "settings"; section: string | null }
  | { screen: "welcome" }
  | { screen: "add"; url: string }
  | { screen: "login"; next: string; reason: string | null }
  | { screen: "signup" }
  | { screen: "home" }
  | { screen: "missing" };

const filters: readonly Filter[] = ["all", "unread", "starred"];
const views: readonly View[] = ["list", "card", "magazine"];
const orders: readonly Order[] = ["new", "old"];
const id = /^[0-9]{1,16}$/;
const isId = (text: string | undefined): text is string => text !== undefined && id.test(text);

export function parseRoute(path: string, search: string): Route {
  const params = new URLSearchParams(search);
  const parts = path.split("/").filter((part) => part !== "");
  const [first, second] = parts;
  if (first === undefined) return { screen: "home" };
  return parseScreen(first, second, parts.length, params) ?? parseReader(parts, params);
}

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
      case "signup":
      case "stats":
      case "rules":
      case "welcome":
        return { screen: first };
      case "add":
        return { screen: "add", url: sharedUrl(params) };
    }
  }
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
    first === "all" || first === "starred"
      ? { kind: first }
      : (first === "feed" || first === "folder" || first === "label") && isId(second)
        ? { kind: first, id: second }
        : null;
  if (!stream) return { screen: "missing" };
  const rest = parts.slice("id" in stream ? 2 : 1);
  const item = rest[0] === "i" && isId(rest[1]) ? rest[1] : null;
  if (rest.length > 0 && (item === null || rest.length > 2)) return { screen: "missing" };
  const one = <T extends string>(name: string, allowed: readonly T[]): T | null =>
    allowed.find((value) => value === params.get(name)) ?? null;
  return {
    screen: "reader",
    stream,
    filter: (stream.kind !== "starred" && one("f", filters)) || "all",
    view: one("v", views),
    order: one("o", orders),
    item,
  };
}

/** Optional parts of an address of the reader; null is left out. */
export interface ReaderOptions {
  view?: View | null;
  order?: Order | null;
}

export function readerPath(
  stream: Stream,
  filter: Filter = "all",
  item: ItemId | null = null,
  { view = null, order = null }: ReaderOptions = {},
): string {
  const base = "id" in stream ? `/${stream.kind}/${stream.id}` : `/${stream.kind}`;
  const query = [
    filter === "all" || stream.kind === "starred" ? "" : `f=${filter}`,
    view === null ? "" : `v=${view}`,
    order === null ? "" : `o=${order}`,
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
