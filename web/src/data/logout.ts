import type { QueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { writeStored } from "./device-storage";
import { flags } from "./flags";
import { closeOutbox } from "./item-state";
import { setPins } from "./mutations/pins";
import { keepNotes } from "./notes";
import { forgetOfflineCopy } from "./offline/keeper";
import { pushDevice } from "./push-device";
import { forgetOpened } from "./recent";
import { forgetSearches } from "./recent-searches";
import { forgetScrollPositions } from "./scroll-positions";
import { forgetSettings } from "./settings";
import { forgetStopped } from "./stopped";
import { navigate } from "./use-route";

export async function logout(client: QueryClient): Promise<void> {
  await closeOutbox(false);
  if (pushDevice() !== null) await (await import("./push")).leavePush();
  await api.post("/api/auth/logout");
  await closeOutbox(true);
  await forgetOfflineCopy();
  // First, or the screens that are shown would ask for the person's data again.
  navigate("/login", { replace: true });
  client.clear();
  flags.clear();
  forgetSettings();
  setPins([]);
  keepNotes([]);
  forgetSearches();
  forgetOpened();
  forgetScrollPositions();
  forgetStopped();
  writeStored("ruri.user", null);
}
