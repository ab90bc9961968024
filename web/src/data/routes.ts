import type { FeedId, Filter, ItemId } from "./types";

/** The URL is state: this table is its only grammar, for reading and for writing. */
export type Stream = { kind: "all" } | { kind: "starred" } | { kind: "feed"; id: FeedId };

export type ReaderRoute = { screen: "reader"; stream: Stream; filter: Filter; item: ItemId | null };
export type Route =
  | ReaderRoute
  | { screen: "stats" }
  | { screen: "login"; next: string; reason: string | null }
  | { screen: "signup" }
  | { screen: "home" }
  | { screen: "missing" };

const filters: readonly string[] = ["all", "unread", "starred"];
const id = /^[0-9]{1,16}$/;

export function parseRoute(path: string, search: string): Route {
  const params = new URLSearchParams(search);
  const parts = path.split("/").filter((part) => part !== "");
  if (parts.length === 0) return { screen: "home" };
  if (path === "/login") {
    return { screen: "login", next: safeNext(params.get("next")), reason: params.get("e") };
  }
  const [first, second] = parts;
  if (first === "signup" && parts.length === 1) return { screen: "signup" };
  if (first === "stats" && parts.length === 1) return { screen: "stats" };
  const stream: Stream | null =
    first === "all" || first === "starred"
      ? { kind: first }
      : first === "feed" && second !== undefined && id.test(second)
        ? { kind: "feed", id: second }
        : null;
  if (!stream) return { screen: "missing" };
  const rest = parts.slice(stream.kind === "feed" ? 2 : 1);
  const item = rest[0] === "i" && rest[1] !== undefined && id.test(rest[1]) ? rest[1] : null;
  if (rest.length > 0 && (item === null || rest.length > 2)) return { screen: "missing" };
  const f = params.get("f");
  const filter =
    f !== null && filters.includes(f) && stream.kind !== "starred" ? (f as Filter) : "all";
  return { screen: "reader", stream, filter, item };
}

/** Defaults are not written. */
export function readerPath(
  stream: Stream,
  filter: Filter = "all",
  item: ItemId | null = null,
): string {
  const base = stream.kind === "feed" ? `/feed/${stream.id}` : `/${stream.kind}`;
  const query = filter === "all" || stream.kind === "starred" ? "" : `?f=${filter}`;
  return `${base}${item === null ? "" : `/i/${item}`}${query}`;
}

export function loginPath(next: string): string {
  return next === "/" || next.startsWith("/login")
    ? "/login"
    : `/login?next=${encodeURIComponent(next)}`;
}

export function sameStream(a: Stream, b: Stream): boolean {
  return a.kind === b.kind && (a.kind !== "feed" || b.kind !== "feed" || a.id === b.id);
}

/** Only a path of our own: "//host" and "/\host" lead elsewhere. */
function safeNext(next: string | null): string {
  return next !== null && /^\/(?![/\\])/.test(next) && !next.startsWith("/login") ? next : "/";
}
