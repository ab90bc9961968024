import type { QueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { flags } from "./flags";
import { forgetSettings } from "./settings";

export async function logout(client: QueryClient): Promise<void> {
  await api.post("/api/auth/logout");
  client.clear();
  flags.clear();
  forgetSettings();
}
