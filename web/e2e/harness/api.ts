import assert from "node:assert/strict";
import type { APIRequestContext } from "playwright-core";

interface Feed {
  id: string;
  url: string;
  title: string;
  folder: string;
  unreadCount: number;
  itemCount: number;
  isSample: boolean;
  status: string;
}

export interface Item {
  id: string;
  feedId: string;
  title: string;
  link: string;
  isRead: boolean;
  isStarred: boolean;
}

interface FeedList {
  feeds: Feed[];
  totals: { feeds: number; unread: number; starred: number };
}

/** The API with the session of the page, to compare with what the page shows. */
export class Api {
  private readonly request: APIRequestContext;
  private readonly base: string;

  constructor(request: APIRequestContext, base: string) {
    this.request = request;
    this.base = base;
  }

  async get<T>(path: string): Promise<T> {
    const response = await this.request.get(this.base + path);
    assert.equal(response.status(), 200, `GET ${path}`);
    return response.json();
  }

  async send<T>(method: string, path: string, data?: unknown): Promise<T> {
    const response = await this.request.fetch(this.base + path, { method, data });
    const text = await response.text();
    assert.ok(response.ok(), `${method} ${path}: ${response.status()} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }

  feeds(): Promise<FeedList> {
    return this.get("/api/feeds");
  }

  async feed(title: string): Promise<Feed> {
    const { feeds } = await this.feeds();
    const found = feeds.find((feed) => feed.title === title);
    assert.ok(found, `no feed "${title}" among ${feeds.map((feed) => feed.title).join(", ")}`);
    return found;
  }

  /** All items of a feed, or of all feeds, in the order of the list. */
  async items(feedId: string | null = null, filter = "all"): Promise<Item[]> {
    const all: Item[] = [];
    const path = feedId === null ? "/api/items" : `/api/feeds/${feedId}/items`;
    for (let cursor: string | null = ""; cursor !== null; ) {
      const query: string = `filter=${filter}&limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
      const page: { items: Item[]; nextCursor: string | null } = await this.get(`${path}?${query}`);
      all.push(...page.items);
      cursor = page.nextCursor;
    }
    return all;
  }

  async item(feedTitle: string, title: string): Promise<Item> {
    const items = await this.items((await this.feed(feedTitle)).id);
    const found = items.find((item) => item.title === title);
    assert.ok(found, `no item "${title}" in ${feedTitle}`);
    return found;
  }

  async addFeed(url: string, folder = ""): Promise<Feed> {
    const { feed } = await this.send<{ feed: Feed }>("POST", "/api/feeds", { url, folder });
    return feed;
  }

  async importOpml(urls: readonly string[]): Promise<void> {
    const outlines = urls.map((url) => `<outline type="rss" text="${url}" xmlUrl="${url}"/>`);
    const response = await this.request.post(`${this.base}/api/import/opml`, {
      headers: { "Content-Type": "text/x-opml" },
      data: `<opml version="2.0"><body>${outlines.join("")}</body></opml>`,
    });
    // 202 while feeds are still being fetched; the caller waits for what it needs.
    assert.ok([200, 202].includes(response.status()), `the import: ${response.status()}`);
  }

  setState(id: string, state: { isRead?: boolean; isStarred?: boolean }): Promise<unknown> {
    return this.send("PUT", `/api/items/${id}/state`, state);
  }
}
