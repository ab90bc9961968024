import { getPreference } from "../data/preferences";

/** Touch gestures, as preferences of the device. */
export const rowSwipes = {
  name: "row-swipes",
  values: ["both", "star", "read", "off"],
} as const;
export const articleGestures = "article-gestures";
export const onOff = ["on", "off"] as const;

export function isSwipeOn(side: "star" | "read"): boolean {
  const chosen = getPreference(rowSwipes.name, rowSwipes.values, "both");
  return chosen === "both" || chosen === side;
}

export function hasArticleGestures(): boolean {
  return getPreference(articleGestures, onOff, "on") === "on";
}
