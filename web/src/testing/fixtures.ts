import type { Offer } from "@/data/discover";
import { defaults } from "@/data/settings";
import type { Feed, Imported, Item, ItemSummary, User } from "@/data/types";

export function aFeed(over: Partial<Feed> = {}): Feed {
  return {
    id: "1",
    url: "https://example.jp/feed",
    title: "Example",
    customTitle: null,
    description: "",
    siteUrl: "https://example.jp/",
    language: "ja",
    iconUrl: null,
    proposedUrl: null,
    proposedReason: null,
    folder: "",
    folders: [],
    position: 0,
    unreadCount: 0,
    hasUnread: false,
    starredCount: 0,
    itemCount: 10,
    lastItemAt: "2026-11-20T00:00:00Z",
    itemsPerWeek: null,
    status: "active",
    isActive: true,
    error: null,
    lastCheckedAt: "2026-11-21T00:00:00Z",
    lastChangedAt: "2026-11-20T00:00:00Z",
    feedLastUpdated: "2026-11-20T00:00:00Z",
    nextCheckAt: "2026-11-21T01:00:00Z",
    nextCheckReason: { code: "default", message: "The usual interval." },
    intervalMinutes: 60,
    intervalReason: { code: "default", message: "The usual interval." },
    ownIntervalMinutes: 0,
    isMuted: false,
    fullText: false,
    notify: false,
    neverCount: false,
    itemsLeftOut: 0,
    lastReadAt: null,
    subscribedAt: "2026-01-01T00:00:00Z",
    isSample: false,
    isWatch: false,
    ...over,
  };
}

export function anItem(over: Partial<ItemSummary> = {}): ItemSummary {
  return {
    id: "100",
    feedId: "1",
    feedTitle: "Feed",
    title: "「読む」ための組版",
    link: "https://example.jp/1",
    author: "Author",
    publishedAt: "2026-11-20T00:00:00Z",
    sortedAt: null,
    isDateEstimated: false,
    updatedAt: null,
    snippet: "",
    imageUrl: null,
    imageWidth: null,
    imageHeight: null,
    categories: [],
    lang: "ja",
    readingMinutes: null,
    isRead: false,
    isStarred: false,
    isHidden: false,
    labels: [],
    alsoIn: [],
    bookmarkCount: null,
    offer: null,
    enclosures: [],
    ...over,
  };
}

export function aFullItem(over: Partial<Item> = {}): Item {
  return { ...anItem(), contentHtml: "<p>本文</p>", contentState: "full", characters: 2, ...over };
}

/** The answer of GET /api/me. */
export function aBeginning(user: Partial<User> = {}) {
  return {
    user: { id: "u1", email: "reader@example.jp", isOwner: false, hasPassword: true, ...user },
    needsPassword: false,
    version: "test",
    preferences: defaults,
    tree: { folders: [], labels: [] },
    search: "bodies" as const,
    bookmarkCounts: false,
    assist: { provider: "extract", model: null, host: null },
    searches: [],
    feeds: [aFeed()],
    totals: { feeds: 1, unread: 0, starred: 0 },
    limits: { feeds: 100 },
  };
}

export function anOffer(over: Partial<Offer> = {}): Offer {
  return {
    url: "https://example.jp/feed",
    title: "Example",
    type: "application/atom+xml",
    itemsPerWeek: null,
    itemCount: 10,
    lastItemAt: null,
    isChecked: true,
    isSubscribed: false,
    feedId: null,
    language: "ja",
    monthlyUSD: null,
    newest: [],
    ...over,
  };
}

export function aReport(over: Partial<Imported> = {}): Imported {
  return {
    success: true,
    id: "i1",
    state: "completed",
    name: "",
    total: 60,
    done: 60,
    imported: 60,
    alreadySubscribed: 0,
    kind: "list",
    archive: null,
    failed: 0,
    createdAt: "2026-11-21T00:00:00Z",
    endedAt: null,
    feedIds: [],
    errors: [],
    ...over,
  };
}
