import { startTransition } from "react";
import { createRoot } from "react-dom/client";
import { App } from "@/app/app";
import { makeQueryClient, warmUp } from "@/app/query-client";
import { activateLocale, followLocale, wantedLocale } from "@/i18n/locale";
import { followTheme } from "@/ui/theme";
import "@/ui/main.css";

const client = makeQueryClient();
// Asked for at once, beside the catalog: nothing waits for what it does not need.
warmUp(client);
followTheme();

activateLocale(wantedLocale()).then(() => {
  followLocale();
  const root = document.getElementById("root");
  // In slices: a tap or a key that comes meanwhile does not wait for the whole of it.
  if (root) startTransition(() => createRoot(root).render(<App client={client} />));
});
