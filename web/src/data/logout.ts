import type { QueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { writeStored } from "./device-storage";
import { flags } from "./flags";
import { closeOutbox } from "./item-state";
import { setPins } from "./mutations/pins";
import { forgetOfflineCopy } from "./offline/keeper";
import { forgetSearches } from "./recent-searches";
import { forgetScrollPositions } from "./scroll-positions";
import { forgetSettings } from "./settings";

export async function logout(client: QueryClient): Promise<void> {
  await closeOutbox(false);
  await api.post("/api/auth/logout");
  await closeOutbox(true);
  client.clear();
  flags.clear();
  forgetSettings();
  await forgetOfflineCopy();
  setPins([]);
  forgetSearches();
  forgetScrollPositions();
  writeStored("ruri.user", null);
}
