import { useSetting } from "@/data/settings";

/** How the person reads, for article.css; the skeleton has it too, so that the heading stays where it is. */
export function useReadingStyle() {
  return {
    "data-font": useSetting("readingFont"),
    "data-step": useSetting("textStep"),
    "data-leading": useSetting("lineHeight"),
    "data-measure": useSetting("measure"),
  };
}
