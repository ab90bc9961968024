import type { components } from "./api.gen";

type Schemas = components["schemas"];

declare const brand: unique symbol;
/** Ids are opaque: compared, never computed with. */
export type FeedId = string & { readonly [brand]?: "feed" };
export type ItemId = string & { readonly [brand]?: "item" };
export type FolderId = string & { readonly [brand]?: "folder" };
export type LabelId = string & { readonly [brand]?: "label" };

export type Feed = Schemas["Feed"];
export type FeedFault = Schemas["FeedFault"];
export type ItemSummary = Schemas["ItemSummary"];
export type Item = Schemas["Item"];
export type Enclosure = Schemas["Enclosure"];
export type Totals = Schemas["Totals"];
export type Counts = Schemas["Counts"];
export type Imported = Schemas["Import"];
export type Problem = Schemas["Problem"];
export type Filter = "all" | "unread" | "starred";
export type View = "list" | "card" | "magazine";
export type Order = "new" | "old";
export type User = Schemas["User"];
export type Settings = Schemas["Preferences"];
export type Tree = Schemas["Folders"] & Schemas["Labels"];
export type Folder = Tree["folders"][number];
export type Label = Tree["labels"][number];
