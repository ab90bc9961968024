import type { components } from "./api.gen";

type Schemas = components["schemas"];

declare const brand: unique symbol;
/** Ids are opaque: compared, never computed with. */
export type FeedId = string & { readonly [brand]?: "feed" };
export type ItemId = string & { readonly [brand]?: "item" };
export type FolderId = string & { readonly [brand]?: "folder" };
export type LabelId = string & { readonly [brand]?: "label" };
export type SearchId = string & { readonly [brand]?: "search" };

export type Feed = Schemas["Feed"];
export type FeedFault = Schemas["FeedFault"];
/** Texts that are alternately outside and inside of a match, beginning outside. */
export type Highlight = readonly string[];
export type ItemSummary = Schemas["ItemSummary"] & {
  /** Of the results of a search; `text` is shown instead of the snippet. */
  highlight?: { title: Highlight; text: Highlight };
  /** Of popular articles: what they are about, and how many bookmarks they got in a day where lists are by that. */
  tags?: readonly string[];
  growth?: number | null;
};
/** How much a search finds; `isAtLeast`: or more. */
export type Total = NonNullable<Schemas["FoundPage"]["total"]>;
export type Item = Schemas["Item"];
export type Today = Schemas["Today"];
/** Where the person stopped in an item, as the server has it. */
export type Place = Schemas["Place"];
export type Enclosure = Schemas["Enclosure"];
export type Totals = Schemas["Totals"];
export type Counts = Schemas["Counts"];
export type Imported = Schemas["Import"];
export type Problem = Schemas["Problem"];
export type Filter = "all" | "unread" | "starred";
/** As the API names the modes; "list" is Skim, "magazine" Read and "card" the gallery. */
export type View = "list" | "card" | "magazine";
/** How a list is read. */
export type Mode = "skim" | "read" | "stream" | "gallery";
export type Order = "new" | "old" | "popular";
export type User = Schemas["User"];
export type Settings = Schemas["Preferences"];
export type Tree = Schemas["Folders"] & Schemas["Labels"];
export type SavedSearch = Schemas["SavedSearches"]["searches"][number];
export type Folder = Tree["folders"][number];
export type Label = Tree["labels"][number];
