import type { QueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { feedsKey } from "./feeds";
import { streamsKey } from "./stream";
import type { Imported } from "./types";

/** How often a long import is asked how far it is, in milliseconds. */
const pace = 1000;

/** Imports a list. A short one is done when it is answered; a long one is waited for, and what is there already is shown. */
export async function importOpml(
  client: QueryClient,
  file: File,
  wait = (ms: number) => new Promise((done) => setTimeout(done, ms)),
): Promise<Imported> {
  const form = new FormData();
  form.set("file", file);
  let report: Imported = await api.post("/api/import/opml", { body: form });
  const show = () => {
    void client.invalidateQueries({ queryKey: feedsKey });
    void client.invalidateQueries({ queryKey: streamsKey });
  };
  for (let done = 0; report.state === "pending" || report.state === "processing"; ) {
    await wait(pace);
    report = await api.get("/api/imports/{id}", { path: { id: report.id } });
    if (report.done > done) show();
    done = report.done;
  }
  show();
  return report;
}
