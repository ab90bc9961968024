import { api } from "./client";

const most = 20;

export interface Opened {
  opened: number;
  /** What the browser did not let through: it asks the person whether a page may open windows. */
  blocked: number;
}

/** Opens what is starred in tabs, the newest first, as Livedoor Reader did with its pins. */
export async function openStarred(): Promise<Opened> {
  const { items } = await api.get("/api/items", { query: { filter: "starred", limit: most } });
  const links = items.map((item) => item.link).filter((link) => /^https?:/.test(link ?? ""));
  let opened = 0;
  for (const link of links) {
    // With "noopener" a browser does not tell whether it opened anything.
    const tab = window.open("about:blank");
    if (!tab) continue;
    tab.opener = null;
    tab.location.replace(String(link));
    opened += 1;
  }
  return { opened, blocked: links.length - opened };
}
