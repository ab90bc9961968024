import type {
  Candidate,
  Offer,
  Preview,
  PreviewRow,
  Result,
  TrendDay,
  Watch,
} from "@/data/watches";

export function aWatch(over: Partial<Watch> = {}): Watch {
  return {
    id: "7",
    feedId: "7",
    name: "Leica M6",
    url: "https://shop.example/search?q=m6",
    host: "shop.example",
    settings: { name: "Leica M6", url: "https://shop.example/search?q=m6", layout: { rows: "li" } },
    interval: 60,
    isPaused: false,
    lowest: { price: 289_000, isFrom: false, currency: "JPY", resultId: "a1" },
    change7d: -9_000,
    onSale: 12,
    sold: 5,
    gone: 1,
    sparkline: Array.from({ length: 30 }, (_, at) => (at < 4 ? null : 300_000 - 400 * at)),
    lastCheckedAt: "2026-11-21T11:00:00Z",
    nextCheckAt: "2026-11-21T12:00:00Z",
    nextCheckWhy: { code: "asked", message: "As you set it." },
    problem: null,
    terms: "2026-11-01T00:00:00Z",
    createdAt: "2026-11-01T00:00:00Z",
    ...over,
  };
}

export function aPreviewRow(over: Partial<PreviewRow> = {}): PreviewRow {
  return {
    externalId: "1",
    name: "Leica M6",
    url: "https://shop.example/item/1",
    imageUrl: null,
    price: 289_000,
    isFrom: false,
    currency: "JPY",
    priceText: "¥289,000",
    date: null,
    status: null,
    seller: "",
    sellerType: null,
    isFitting: true,
    warnings: [],
    ...over,
  };
}

export function aCandidate(over: Partial<Candidate> = {}): Candidate {
  return {
    source: "rows",
    adapter: null,
    score: 0.9,
    layout: { rows: "li.item", fields: { title: "h3", price: ".price" } },
    rows: [aPreviewRow()],
    rowsFound: 1,
    rowsFitting: 1,
    nextUrl: null,
    choices: {},
    ...over,
  };
}

export function aPreview(over: Partial<Preview> = {}): Preview {
  return {
    previewId: "p1",
    url: "https://shop.example/search?q=m6",
    title: "Leica M6 – Shop",
    problem: null,
    candidates: [aCandidate()],
    robots: { allowed: true, crawlDelay: 0 },
    terms: "https://shop.example/terms",
    warnings: [],
    host: {
      host: "shop.example",
      hour: { used: 2, needed: 2, limit: 60 },
      day: { used: 20, needed: 26, limit: 300 },
    },
    canReadDetails: null,
    ...over,
  };
}

export function aResult(over: Partial<Result> = {}): Result {
  return {
    id: "a1",
    watchId: "7",
    externalId: "1",
    name: "Leica M6",
    price: 289_000,
    isFrom: false,
    currency: "JPY",
    priceText: "¥289,000",
    url: "https://shop.example/item/1",
    imageUrl: null,
    status: "onSale",
    statusSince: "2026-11-20T09:00:00Z",
    isEstimated: false,
    sellerType: null,
    sellerId: null,
    soldAt: null,
    firstSeenAt: "2026-11-20T09:00:00Z",
    lastChangeAt: "2026-11-20T09:00:00Z",
    prices: [[1_795_165_200, 289_000]],
    itemId: null,
    ...over,
  };
}

export function aDay(over: Partial<TrendDay> = {}): TrendDay {
  return {
    day: "2026-11-20",
    lowest: 289_000,
    p25: 300_000,
    median: 310_000,
    p75: 330_000,
    onSale: 12,
    sold: 0,
    soldMedian: null,
    ...over,
  };
}

export function anOfferOfItem(over: Partial<Offer> = {}): Offer {
  return {
    event: "dropped",
    watchId: "7",
    resultId: "a1",
    price: 289_000,
    before: 320_000,
    currency: "JPY",
    status: "onSale",
    ...over,
  };
}
