import { startTransition } from "react";
import { createRoot } from "react-dom/client";
import { App } from "@/app/app";
import { makeQueryClient, warmUp } from "@/app/query-client";
import { inward, outward } from "@/data/base";
import { current, parseRoute } from "@/data/routes";
import { preloadRows } from "@/features/reader/list-section";
import { activateLocale, followLocale, wantedLocale } from "@/i18n/locale";
import { followTheme } from "@/ui/theme";
import "@/ui/main.css";

// Old bookmarks.
const here = inward(location.pathname);
const path = current(here);
if (path !== here) history.replaceState(history.state, "", outward(path) + location.search);

const client = makeQueryClient();
// Asked for at once, beside the catalog: nothing waits for what it does not need.
warmUp(client);
followTheme();

// Where the address is a list, its rows are in the first render; a failure to load them is shown in their place.
const route = parseRoute(path, location.search);
const isList = route.screen === "reader" && (route.stream.kind !== "today" || route.item !== null);
const rows = isList ? preloadRows().catch(() => undefined) : null;

Promise.all([activateLocale(wantedLocale()), rows]).then(() => {
  followLocale();
  const root = document.getElementById("root");
  // In slices: a tap or a key that comes meanwhile does not wait for the whole of it.
  if (root) startTransition(() => createRoot(root).render(<App client={client} />));
});
