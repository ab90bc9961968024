import { store } from "./store";

/** How much is stored on this device for reading offline. */
interface Usage {
  articles: number;
  bytes: number;
}

/** The size of the texts; browsers report only that of the whole site, and late. */
export async function offlineUsage(): Promise<Usage> {
  try {
    const items = await store.items();
    const bytes = [...items, ...((await store.answers()) ?? [])]
      .map((one) => sizeOf(JSON.stringify(one)))
      .reduce((sum, size) => sum + size, 0);
    return { articles: items.length, bytes };
  } catch {
    return { articles: 0, bytes: 0 }; // storage is forbidden: there is nothing
  }
}

/** Browsers store a text with one byte for each letter while all are Latin-1, else with two. */
function sizeOf(text: string): number {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) > 0xff) return text.length * 2;
  return text.length;
}
