import { useSearch } from "@/data/use-route";
import { draftFromSearch, newDraft } from "./draft";
import { EditPage } from "./edit-page";
import { OverviewPage } from "./overview-page";
import "./rules.css";

/**
 * Rules, hidden items and labels. The address has the rule being edited (`?edit=`), and for a new one its feed, or the words
 * and the place of a search.
 */
export function RulesScreen() {
  const params = new URLSearchParams(useSearch());
  const id = params.get("edit");
  if (id === null) return <OverviewPage />;
  const q = params.get("q");
  const place = params.get("in") ?? "";
  const begun = q === null ? newDraft(params.get("feed")) : draftFromSearch(q, place);
  return <EditPage key={id} id={id === "new" ? null : id} begun={begun} />;
}
