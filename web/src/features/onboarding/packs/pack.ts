import type { MessageDescriptor } from "@lingui/core";

export interface PackFeed {
  title: string;
  url: string;
}

/** Feeds to begin with. Chosen for having been at the same address for years. */
export interface Pack {
  id: string;
  /** Also the folder that its feeds come into. */
  title: MessageDescriptor;
  lang: "ja" | "en";
  feeds: readonly PackFeed[];
}
