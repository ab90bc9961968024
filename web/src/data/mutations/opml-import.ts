import type { QueryClient } from "@tanstack/react-query";
import { api } from "../client";
import { isRunning } from "../imports";
import { pause } from "../pause";
import type { Imported } from "../types";
import { refetchContent } from "./lists";

/** Milliseconds between two checks of a long import. */
const interval = 1000;

/** Imports a list and waits for its end. Feeds are shown as they are added. */
export async function importOpml(
  client: QueryClient,
  file: File,
  wait: (ms: number) => Promise<unknown> = pause,
): Promise<Imported> {
  const form = new FormData();
  form.set("file", file);
  let report: Imported = await api.post("/api/import/opml", { body: form });
  for (let done = 0; isRunning(report); ) {
    await wait(interval);
    report = await api.get("/api/imports/{id}", { path: { id: report.id } });
    if (report.done > done) refetchContent(client);
    done = report.done;
  }
  refetchContent(client);
  return report;
}
