import { api } from "./client";
import type { Explore } from "./routes";

/** Pages that feeds list, each as the article that listed it first. */
export async function explore(
  { tab, threshold, period, tag }: Explore,
  limit: number,
  cursor: string | null,
  rest: { anew: boolean; background: boolean; signal?: AbortSignal },
) {
  // Tags are no articles (features/reader/explore/tag-list.tsx).
  if (tab === "tags") return { items: [], nextCursor: null, asOf: null };
  const query = {
    limit,
    threshold,
    period,
    ...(tag === "" ? {} : { tag }),
    ...(cursor === null ? {} : { cursor }),
  };
  const { entries, nextCursor, state, relatedTags, namesYahoo } =
    tab === "new"
      ? await api.get("/api/entries/new", { query, ...rest })
      : await api.get("/api/entries/hot", {
          query: { ...query, ...(tab === "rising" ? { order: "rising" as const } : {}) },
          ...rest,
        });
  const items = entries.map(({ item, bookmarkCount, growth, tags }) => ({
    ...item,
    bookmarkCount,
    growth,
    tags: tags.map(({ name }) => name),
  }));
  const related = relatedTags.map(({ name }) => name);
  return { items, nextCursor, asOf: null, counts: state, related, namesYahoo };
}
