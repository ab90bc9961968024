import type { QueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { flags } from "./flags";
import { closeOutbox } from "./item-state";
import { forget } from "./offline/keeper";
import { setPins } from "./pins";
import { forgetSettings } from "./settings";

export async function logout(client: QueryClient): Promise<void> {
  await closeOutbox(false);
  await api.post("/api/auth/logout");
  await closeOutbox(true);
  client.clear();
  flags.clear();
  forgetSettings();
  await forget();
  setPins([]);
  try {
    localStorage.removeItem("ruri.user");
  } catch {
    // nothing was kept
  }
}
