/** Where an item can be sent; all of it is made here, no stranger's script is asked. */
export interface Shared {
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

/** Why an address cannot be a place to send items to: not an address, one that runs here, or one without {url}. */
export function templateFault(template: string): "address" | "script" | "place" | null {
  if (scripts.test(template)) return "script";
  if (!URL.canParse(template.replace(/\{(url|title)\}/g, "x"))) return "address";
  return template.includes("{url}") ? null : "place";
}

/** "https://example.org/add?u={url}&t={title}" with an item in it. */
export function fillTemplate(template: string, { title, link }: Shared): string {
  return template.replace(/\{(url|title)\}/g, (_, name) =>
    encodeURIComponent(name === "url" ? link : title),
  );
}

/** Only what has an address can be sent, and only as what it says it is. */
export function isSharable(link: string): boolean {
  return /^https?:/i.test(link);
}
