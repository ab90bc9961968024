import { startTransition } from "react";
import { createRoot } from "react-dom/client";
import { App } from "@/app/app";
import { makeQueryClient, warmUp } from "@/app/query-client";
import { inward, outward } from "@/data/base";
import { current, parseRoute } from "@/data/routes";
import { preloadArticle } from "@/features/reader/article-slot";
import { preloadRows, preloadToday } from "@/features/reader/list-section";
import { activateLocale, followLocale, wantedLocale } from "@/i18n/locale";
import { followTheme } from "@/ui/theme";
import { phone } from "@/ui/use-media";
import "@/ui/main.css";

// Old bookmarks.
const here = inward(location.pathname);
const path = current(here);
if (path !== here) history.replaceState(history.state, "", outward(path) + location.search);

const client = makeQueryClient();
// Asked for at once, beside the catalog: nothing waits for what it does not need.
warmUp(client);
followTheme();

// What the address shows is in the first render, which takes the place of the first frame; a failure to load it is shown
// in its place.
const route = parseRoute(path, location.search);
const part =
  route.screen !== "reader"
    ? null
    : route.item === null
      ? route.stream.kind === "today"
        ? preloadToday()
        : preloadRows()
      : matchMedia(phone).matches
        ? preloadArticle()
        : Promise.all([preloadRows(), preloadArticle()]);

Promise.all([activateLocale(wantedLocale()), part?.catch(() => undefined)]).then(() => {
  followLocale();
  const root = document.getElementById("root");
  // In slices: a tap or a key that comes meanwhile does not wait for the whole of it.
  if (root) startTransition(() => createRoot(root).render(<App client={client} />));
});
