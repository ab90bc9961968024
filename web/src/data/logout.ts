import type { QueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { flags } from "./flags";
import { forget } from "./offline/keeper";
import { forgetSettings } from "./settings";

export async function logout(client: QueryClient): Promise<void> {
  await api.post("/api/auth/logout");
  client.clear();
  flags.clear();
  forgetSettings();
  await forget();
}
