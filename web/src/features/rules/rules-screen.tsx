import { useSearch } from "wouter/use-browser-location";
import { EditPage } from "./edit-page";
import { OverviewPage } from "./overview-page";
import "./rules.css";

/** Rules, hidden items and labels. The address has the rule being edited (`?edit=`) and the feed of a new one. */
export function RulesScreen() {
  const params = new URLSearchParams(useSearch());
  const id = params.get("edit");
  if (id === null) return <OverviewPage />;
  return <EditPage key={id} id={id === "new" ? null : id} feed={params.get("feed")} />;
}
