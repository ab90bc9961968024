import type { components } from "./api.gen";

type Schemas = components["schemas"];

declare const brand: unique symbol;
/** Ids are opaque: compared, never computed with. */
export type FeedId = string & { readonly [brand]?: "feed" };
export type ItemId = string & { readonly [brand]?: "item" };

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
