/** An item to be shared; addresses are built here, without foreign scripts. */
interface Shared {
  title: string;
  link: string;
}

export function hatenaUrl({ title, link }: Shared): string {
  return `https://b.hatena.ne.jp/add?mode=confirm&url=${encodeURIComponent(link)}&title=${encodeURIComponent(title)}`;
}

export function mailUrl({ title, link }: Shared): string {
  return `mailto:?subject=${encodeURIComponent(title)}&body=${encodeURIComponent(`${title}\n${link}\n`)}`;
}

const scripts = /^(javascript|data|vbscript|blob|file|about):/i;

/** What is wrong with the address of a share target: not an address, a script, or without {url}. */
export function templateFault(template: string): "address" | "script" | "place" | null {
  if (scripts.test(template)) return "script";
  if (!URL.canParse(template.replace(/\{(url|title)\}/g, "x"))) return "address";
  return template.includes("{url}") ? null : "place";
}

/** Fills an item into "https://example.org/add?u={url}&t={title}". */
export function fillTemplate(template: string, { title, link }: Shared): string {
  return template.replace(/\{(url|title)\}/g, (_, name) =>
    encodeURIComponent(name === "url" ? link : title),
  );
}

/** Only web addresses can be shared. */
export function isSharable(link: string): boolean {
  return /^https?:/i.test(link);
}
