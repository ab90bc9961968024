import type { MessageDescriptor } from "@lingui/core";

export interface PackFeed {
  title: string;
  url: string;
}

/** Feeds to start with, chosen because their addresses have been stable for years. */
export interface Pack {
  id: string;
  /** Also the name of the folder for its feeds. */
  title: MessageDescriptor;
  lang: "ja" | "en";
  feeds: readonly PackFeed[];
}
