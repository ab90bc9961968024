import { useLingui } from "@lingui/react/macro";
import { usePathname, useSearch } from "@/data/use-route";
import { lazyNamed } from "@/ui/lazy-named";
import { Page } from "@/ui/page";
import { NoWatch } from "./no-watch";
import { OverviewPage } from "./overview-page";
import { parsePlace } from "./place";
import "./watches.css";

const WatchPage = lazyNamed("WatchPage", () => import("./watch-page"));
const EditPage = lazyNamed("EditPage", () => import("./edit/edit-page"));

/** The watches: all of them, one with what it found, and the editor. */
export function WatchesScreen() {
  const place = parsePlace(usePathname(), useSearch());
  switch (place.page) {
    case "list":
      return <OverviewPage />;
    case "new":
      return <EditPage key={`new ${JSON.stringify(place.from)}`} id={null} from={place.from} />;
    case "edit":
      return <EditPage key={place.id} id={place.id} from={{ url: "" }} />;
    case "results":
      return <WatchPage id={place.id} range={null} />;
    case "trend":
      return <WatchPage id={place.id} range={place.range} />;
    case "missing":
      return <Missing />;
  }
}

function Missing() {
  const { t } = useLingui();
  return (
    <Page title={t`Watches`} place="missing" back={{ href: "/watches", label: t`Back to watches` }}>
      <NoWatch />
    </Page>
  );
}
