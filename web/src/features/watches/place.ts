import { type Range, ranges, type WatchQuery } from "@/data/watches";

/** What an address of the watches shows; the server has the same grammar (internal/assets/webui). */
type WatchPlace =
  | { page: "list" }
  | { page: "new"; from: Source }
  | { page: "edit" | "results"; id: string }
  | { page: "trend"; id: string; range: Range }
  | { page: "missing" };

/** What a watch is made from: the address of a page, which is empty until it is entered, or the search of an adapter. */
export type Source = { url: string } | { adapter: string; query: WatchQuery };

export function parsePlace(path: string, search: string): WatchPlace {
  const params = new URLSearchParams(search);
  const [, id, part, ...rest] = path.split("/").filter((one) => one !== "");
  if (id === undefined) return { page: "list" };
  if (id === "new" && part === undefined) return { page: "new", from: sourceIn(params) };
  if (!/^[0-9]{1,16}$/.test(id) || rest.length > 0) return { page: "missing" };
  if (part === undefined) return { page: "results", id };
  if (part === "edit") return { page: "edit", id };
  if (part !== "trend") return { page: "missing" };
  const range = ranges.find((one) => one === params.get("range"));
  return { page: "trend", id, range: range ?? "30d" };
}

export function trendPath(id: string, range: Range): string {
  return range === "30d" ? `/watches/${id}/trend` : `/watches/${id}/trend?range=${range}`;
}

function sourceIn(params: URLSearchParams): Source {
  const adapter = params.get("adapter");
  if (adapter === null) return { url: params.get("url") ?? "" };
  const query: WatchQuery = {};
  for (const name of ["keyword", "category"] as const) {
    const text = params.get(name);
    if (text) query[name] = text;
  }
  for (const name of ["min", "max"] as const) {
    const amount = params.get(name);
    if (amount && /^[0-9]{1,15}$/.test(amount)) query[name] = Number(amount);
  }
  return { adapter, query };
}

/** Where a watch of an adapter's search is made; amounts in minor units. */
export function searchPath(adapter: string, query: WatchQuery): string {
  const params = new URLSearchParams({ adapter });
  for (const [name, value] of Object.entries(query)) params.set(name, String(value));
  return `/watches/new?${params}`;
}
