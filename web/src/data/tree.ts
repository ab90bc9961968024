import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "./client";
import type { Tree } from "./types";

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
