// Figures of the page: Lighthouse, feed switches, keys, a long list, bytes of each screen. Against the real binary with
// the sample feeds. Everything is printed, nothing is asserted: what must hold is counted by the tests.
// Names on the command line choose parts: run.ts lighthouse list
import { cpus, loadavg } from "node:os";
import { startBinary } from "../e2e/harness/binary.ts";
import { openBrowser } from "./browser.ts";
import { feedsAndKeys } from "./feeds.ts";
import { lighthouse } from "./lighthouse.ts";
import { longList } from "./long-list.ts";
import { firstList, routes } from "./routes.ts";

const wanted = process.argv.slice(2);
const isWanted = (part: string) => wanted.length === 0 || wanted.includes(part);

interface Item {
  id: string;
  feedId: string;
  title: string;
}

const ruri = await startBinary({ samples: true });
try {
  const browser = await openBrowser(await ruri.ownerLink());
  try {
    const item = await anItem(browser.context.request);
    const screens = {
      today: "/",
      list: "/all",
      article: `/feed/${item.feedId}/i/${item.id}`,
      starred: "/starred",
      subscriptions: "/subscriptions",
      subscription: `/subscriptions/${item.feedId}`,
      rules: "/rules",
      server: "/settings/server",
      settings: "/settings/display",
      welcome: "/welcome",
    };
    const { today, list, article, settings } = screens;
    console.log(
      `${browser.context.browser()?.version()}, ${cpus().length} processors, load ${loadavg()[0]?.toFixed(1)}`,
    );
    if (isWanted("routes")) {
      await firstList(browser, ruri.base);
      await routes(browser, ruri.base, screens);
    }
    if (isWanted("feeds")) await feedsAndKeys(browser, ruri.base);
    if (isWanted("list")) await longList(browser, ruri.base);
    if (isWanted("lighthouse"))
      await lighthouse(browser.port, ruri.base, { today, list, article, settings });
  } finally {
    await browser.close();
  }
} finally {
  await ruri.close();
}

/** The samples are subscribed to while the page opens. */
async function anItem(request: import("playwright-core").APIRequestContext): Promise<Item> {
  for (;;) {
    const answer = await request.get(`${ruri.base}/api/items?limit=50`);
    const { items }: { items: Item[] } = await answer.json();
    const found = items.find(({ title }) => title === "A small table of feed formats");
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
