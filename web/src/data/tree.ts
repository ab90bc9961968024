import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "./client";
import type { Stream } from "./routes";
import type { Feed, Tree } from "./types";

/** The person's folders and labels, in order. The first ones come with GET /api/me (me.ts). */
export const treeQuery = queryOptions({
  queryKey: ["tree"] as const,
  queryFn: async ({ signal }): Promise<Tree> => {
    const [{ folders }, { labels }] = await Promise.all([
      api.get("/api/folders", { signal }),
      api.get("/api/labels", { signal }),
    ]);
    return { folders, labels };
  },
  staleTime: Number.POSITIVE_INFINITY,
});

export function useTree() {
  return useQuery({
    ...treeQuery,
    // It is on its way with the rest; who changes it invalidates it.
    refetchOnMount: false,
  });
}

const nothing: Tree = { folders: [], labels: [] };

/** The folders and labels, none while they are on their way. */
export function useKnownTree(): Tree {
  return useTree().data ?? nothing;
}

export function applyTree(client: QueryClient, part: Partial<Tree>): void {
  client.setQueryData(treeQuery.queryKey, (old) => ({ ...(old ?? nothing), ...part }));
}

/** The feeds of which a stream shows items; null where feeds do not decide it. Muted ones are seen by themselves only. */
export function feedsOf(
  stream: Stream,
  feeds: readonly Feed[] | undefined,
  tree: Tree | undefined,
): Feed[] | null {
  if (!feeds) return null;
  if (stream.kind === "feed") return feeds.filter(({ id }) => id === stream.id);
  const heard = feeds.filter(({ isMuted }) => !isMuted);
  if (stream.kind === "all") return heard;
  if (stream.kind !== "folder" || !tree) return null;
  const inside = new Set([stream.id]);
  // Folders stand in folders, in any order; a set that is added to while it is walked is walked to its end.
  for (const outer of inside)
    for (const { id, parentId } of tree.folders) if (parentId === outer) inside.add(id);
  return heard.filter(({ folders }) => folders.some((id) => inside.has(id)));
}
