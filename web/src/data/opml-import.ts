import type { QueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { feedsKey } from "./feeds";
import { streamsKey } from "./stream";
import type { Imported } from "./types";

export async function importOpml(client: QueryClient, file: File): Promise<Imported> {
  const form = new FormData();
  form.set("file", file);
  const report = await api.post("/api/import/opml", { body: form });
  void client.invalidateQueries({ queryKey: feedsKey });
  void client.invalidateQueries({ queryKey: streamsKey });
  return report;
}
