import type { Page } from "playwright-core";
import { serverText } from "./catalog.ts";

const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
const ahead = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

const settings = {
  name: "Leica M6",
  url: "https://camera.example.jp/search?q=leica+m6",
  layout: {
    rows: "ul.results > li",
    fields: { title: "h3", price: ".price", link: { at: "a", attr: "href" }, date: "time" },
  },
};

function watch(id: string, over: Record<string, unknown> = {}) {
  return {
    id,
    feedId: id,
    name: settings.name,
    url: settings.url,
    host: "camera.example.jp",
    settings,
    interval: 60,
    isPaused: false,
    lowest: { price: 289_000, isFrom: false, currency: "JPY", resultId: "a0" },
    change7d: -9_000,
    onSale: 42,
    sold: 17,
    gone: 3,
    sparkline: Array.from({ length: 30 }, (_, at) =>
      at < 3 ? null : 320_000 - 4_000 * Math.floor(at / 4) + (at % 7 === 0 ? 6_000 : 0),
    ),
    lastCheckedAt: ago(0.02),
    nextCheckAt: ahead(35),
    nextCheckWhy: { code: "asked", message: "As you have set it." },
    problem: null,
    terms: ago(40),
    createdAt: ago(40),
    ...over,
  };
}

const watches = [
  watch("904", {
    name: "町のお知らせ",
    host: "town.example.jp",
    lowest: null,
    change7d: null,
    sparkline: Array(30).fill(null),
    onSale: 20,
    sold: 0,
    problem: {
      code: "listing_changed",
      message: "The page lists far less than before, so it may have changed.",
      help: "Check the page and the rows in the settings of the watch.",
      since: ago(2),
    },
  }),
  watch("901"),
  watch("902", {
    name: "A rather long name of a watch for sewing machines in the whole of the country",
    host: "a-shop-with-a-long-name.example.com",
    lowest: { price: 12_450, isFrom: false, currency: "EUR", resultId: "a0" },
    change7d: 1_250,
  }),
  watch("903", { name: "Sold out", isPaused: true, change7d: 0, nextCheckAt: null }),
];

const names = [
  "Leica M6 0.72 ブラック 元箱付き",
  "Leica M6 TTL silver, viewfinder cleaned last year",
  "ライカ M6 クラシック ボディのみ、シャッター速度の点検済みで状態のよいもの",
  "Leica M6 body",
];

function result(at: number) {
  const price = 289_000 + 6_500 * at;
  const day = Math.floor(Date.now() / 1000) - 86_400;
  return {
    id: `a${at}`,
    watchId: "901",
    externalId: `m${at}`,
    name: names[at % names.length] ?? "",
    price: at === 11 ? null : price,
    currency: "JPY",
    priceText: "",
    url: `https://camera.example.jp/item/m${at}`,
    imageUrl: null,
    status: at === 9 ? "sold" : at === 10 ? "gone" : "onSale",
    statusSince: ago(at + 0.2),
    isEstimated: at === 9,
    sellerType: at % 3 === 0 ? "shop" : "person",
    sellerId: at % 3 === 0 ? "カメラの中村" : "film_fan_1984",
    soldAt: at === 9 ? ago(9) : null,
    firstSeenAt: ago(30),
    lastChangeAt: ago(at),
    prices:
      at % 2 === 0
        ? [
            [day - 25 * 86_400, price + 31_000],
            [day - 14 * 86_400, price + 12_000],
            [day - 3 * 86_400, price],
          ]
        : [[day - 20 * 86_400, price]],
    itemId: null,
  };
}

const offers = [
  { event: "dropped", price: 289_000, before: 320_000 },
  { event: "new", price: 12_450, before: null, currency: "EUR" },
  { event: "sold", price: 48_000, before: null, status: "sold" },
  { event: "back", price: null, before: null },
].map((one) => ({ currency: "JPY", watchId: "901", resultId: "a0", status: "onSale", ...one }));

/** The first items of lists announce changes of results. */
export async function stubOffers(page: Page): Promise<void> {
  await page.route(/\/api\/items(\?|\/)/, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    const items: { offer: unknown }[] = json.items ?? [];
    for (const [at, item] of items.entries()) item.offer = offers[at] ?? null;
    if (json.item) json.item.offer = offers[0];
    await route.fulfill({ response, json });
  });
}

function row(at: number) {
  return {
    externalId: `m${at}`,
    name: names[at % names.length] ?? "",
    url: `https://camera.example.jp/item/m${at}`,
    imageUrl: null,
    price: at === 5 ? null : 289_000 + 6_500 * at,
    currency: "JPY",
    priceText: at === 5 ? "ASK" : `¥${289_000 + 6_500 * at}`,
    date: ago(at + 1),
    status: at === 3 ? "sold" : null,
    seller: "",
    sellerType: null,
    isFitting: at !== 7,
    warnings: at === 5 ? ["no_price"] : [],
  };
}

function preview(isTried: boolean) {
  const choices = {
    title: [{ field: ".caption", samples: ["美品 / A", "並品 / B", "美品 / A"] }],
    price: [{ field: "del", samples: ["¥320,000", "", ""] }],
    seller: [{ field: ".by", samples: ["カメラの中村", "film_fan_1984", "写真堂"] }],
    status: [{ field: ".badge", samples: ["", "", "SOLD"] }],
  };
  const list = {
    source: "rows",
    adapter: null,
    score: 0.9,
    layout: settings.layout,
    rows: Array.from({ length: isTried ? 24 : 10 }, (_, at) => row(at)),
    rowsFound: 24,
    rowsFitting: isTried ? 23 : 24,
    nextUrl: "https://camera.example.jp/search?q=leica+m6&page=2",
    choices,
  };
  const related = {
    ...list,
    layout: { rows: ".side li", fields: { title: "a" } },
    rows: ["レンズの特集", "Film of the month", "店舗からのお知らせ"].map((name, at) => ({
      ...row(at),
      name,
      price: null,
      priceText: "",
    })),
    rowsFound: 6,
    rowsFitting: 6,
    choices: {},
  };
  return {
    previewId: "p1",
    url: settings.url,
    title: "Leica M6 の検索結果 | カメラの店",
    problem: null,
    candidates: isTried ? [list] : [list, related],
    robots: { allowed: true, crawlDelay: 10 },
    terms: "https://camera.example.jp/terms",
    warnings: [],
    host: {
      host: "camera.example.jp",
      hour: { used: 4, needed: 3, limit: 60 },
      day: { used: 96, needed: 44, limit: 300 },
    },
  };
}

function trend(count: number) {
  return Array.from({ length: count }, (_, at) => {
    const back = count - 1 - at;
    const level = 310_000 - 700 * at + ((at * 37) % 11) * 1_500;
    const isKnown = back !== 12;
    return {
      day: ago(back).slice(0, 10),
      lowest: isKnown ? Math.round((level - (at % 9 === 0 ? 14_000 : 0)) / 500) * 500 : null,
      p25: isKnown ? level + 12_000 : null,
      median: isKnown ? level + 26_000 : null,
      p75: isKnown ? level + 44_000 : null,
      onSale: 36 + (at % 7),
      sold: at % 4 === 0 ? 1 + (at % 3) : 0,
      soldMedian: at % 4 === 0 ? level + 18_000 + (at % 5) * 4_000 : null,
    };
  });
}

/** Weeks of watches, which a server that has just begun does not have; and a page of somebody else. */
export async function stubWatches(page: Page, { isEmpty = false } = {}): Promise<void> {
  const path = (route: { request(): { url(): string } }) => new URL(route.request().url());
  await page.route(/\/api\/watches(\/|\?|$)/, async (route) => {
    const { pathname, searchParams } = path(route);
    const [, , , id = "", part, key] = pathname.split("/");
    if (id === "") {
      await route.fulfill({
        json: {
          watches: isEmpty ? [] : watches,
          limit: 20,
          demoUrl: "http://127.0.0.1:8080/samples/shop/",
        },
      });
    } else if (id === "preview") {
      const body = route.request().postDataJSON();
      if (/blocked/.test(body.url ?? "")) {
        const robots = { allowed: false, crawlDelay: 0 };
        const { message, action } = serverText("en", "robots");
        const problem = { code: "robots", message, help: action, since: null };
        await route.fulfill({
          json: { ...preview(false), previewId: null, candidates: [], robots, problem },
        });
      } else await route.fulfill({ json: preview(body.previewId !== undefined) });
    } else if (part === undefined) {
      await route.fulfill({ json: { watch: watches.find((one) => one.id === id) ?? watch(id) } });
    } else if (part === "trend") {
      const count = { "30d": 30, "90d": 90, "1y": 365 }[searchParams.get("range") ?? ""] ?? 500;
      await route.fulfill({ json: { currency: "JPY", days: isEmpty ? [] : trend(count) } });
    } else if (key !== undefined) {
      const { items } = await (
        await page.request.get(new URL("/api/items?limit=2", route.request().url()).href)
      ).json();
      const events = items.map((item: object, at: number) => ({ ...item, offer: offers[at] }));
      await route.fulfill({ json: { result: result(Number(key.slice(1))), events } });
    } else {
      const items = Array.from({ length: isEmpty ? 0 : 12 }, (_, at) => result(at));
      await route.fulfill({ json: { items, next: "c", asOf: ago(0.02), total: 42 } });
    }
  });
}
