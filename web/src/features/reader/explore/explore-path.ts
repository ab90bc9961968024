import { type Explore, readerPath, usualOf } from "@/data/routes";

/** The address of what is popular, as usual but for what is given. */
export function explorePath({ tab, tag = "" }: { tab: Explore["tab"]; tag?: string }): string {
  return readerPath({ kind: "explore", tab, tag, ...usualOf(tab, tag) });
}
