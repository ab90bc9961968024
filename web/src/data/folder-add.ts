import type { QueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { applyTree } from "./tree";

/** Makes a folder at the top, and gives its id. */
export async function addFolder(client: QueryClient, name: string): Promise<string> {
  const { id, folders } = await api.post("/api/folders", { body: { name } });
  applyTree(client, { folders });
  return id;
}
