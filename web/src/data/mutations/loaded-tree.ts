import type { QueryClient } from "@tanstack/react-query";
import { emptyTree, treeQuery } from "../tree";
import type { Tree } from "../types";

/** Changes parts of the loaded folders and labels. */
export function applyTree(client: QueryClient, part: Partial<Tree>): void {
  client.setQueryData(treeQuery.queryKey, (old) => ({ ...(old ?? emptyTree), ...part }));
}
