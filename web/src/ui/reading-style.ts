import { useSetting } from "@/data/settings";

/** The text settings as attributes for article.css; also for the skeleton, so that the heading does not move. */
export function useReadingStyle() {
  return {
    "data-font": useSetting("readingFont"),
    "data-step": useSetting("textStep"),
    "data-leading": useSetting("lineHeight"),
    "data-measure": useSetting("measure"),
  };
}
