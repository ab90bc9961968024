import { queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "./client";
import type { Stream } from "./routes";
import type { Feed, Label, Tree } from "./types";
import { withinFolder } from "./within-folder";

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
    // It comes with GET /api/me; changes invalidate it.
    refetchOnMount: false,
  });
}

export const emptyTree: Tree = { folders: [], labels: [] };

/** The folders and labels; none while they are loading. */
export function useKnownTree(): Tree {
  return useTree().data ?? emptyTree;
}

/** The label of what is to be read later; at most one. */
export const readLaterOf = (labels: readonly Label[]) => labels.find((one) => one.isReadLater);

/** The feeds whose items a stream shows; null where the content does not depend on feeds. Muted feeds appear only in their own stream. */
export function feedsOf(
  stream: Stream,
  feeds: readonly Feed[] | undefined,
  tree: Tree | undefined,
): Feed[] | null {
  if (!feeds) return null;
  if (stream.kind === "feed") return feeds.filter(({ id }) => id === stream.id);
  const unmuted = feeds.filter(({ isMuted }) => !isMuted);
  if (stream.kind === "all") return unmuted;
  if (stream.kind !== "folder" || !tree) return null;
  const inside = new Set(withinFolder(tree.folders, stream.id).map(({ id }) => id));
  return unmuted.filter(({ folders }) => folders.some((id) => inside.has(id)));
}
