import { useSearch } from "wouter/use-browser-location";
import { EditPage } from "./edit-page";
import { OverviewPage } from "./overview-page";
import "./rules.css";

/** Rules, what they hid, and labels; the address says which rule is open (`?edit=`), and for which feed a new one is. */
export function RulesScreen() {
  const params = new URLSearchParams(useSearch());
  const id = params.get("edit");
  if (id === null) return <OverviewPage />;
  return <EditPage key={id} id={id === "new" ? null : id} feed={params.get("feed")} />;
}
