import { designJa } from "./design-ja";
import { newsJa } from "./news-ja";
import type { Pack } from "./pack";
import { techEn } from "./tech-en";
import { techJa } from "./tech-ja";

const packs: readonly Pack[] = [techJa, newsJa, designJa, techEn];

/** Those in the person's language first. */
export function packsFor(locale: string): Pack[] {
  return packs.toSorted((a, b) => Number(b.lang === locale) - Number(a.lang === locale));
}
