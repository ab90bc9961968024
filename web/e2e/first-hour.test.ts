// A walk through a first hour, in both languages: the link, a password, a list of feeds, reading, an episode, a watch, a
// search that is saved, the phone. `make screenshots` keeps its pictures for people to look at (RURI_ARTIFACTS, folder walk).

import { after, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { type Locale, message } from "./harness/catalog.ts";
import { eventually } from "./harness/eventually.ts";
import { keepsScreenshots } from "./harness/paths.ts";
import { stubPictures } from "./harness/pictures.ts";
import type { Reader } from "./harness/reader.ts";
import { takeScreenshot } from "./harness/screenshot.ts";
import { stubSound } from "./harness/sound.ts";

const apps: App[] = [];
after(() => Promise.all(apps.map((app) => app.close())));

for (const [locale, scheme] of [
  ["en", "light"],
  ["ja", "dark"],
] as const) {
  test(`a first hour, ${locale}`, { skip: !keepsScreenshots }, async () => {
    const app = await startApp({ samples: true });
    apps.push(app);
    const link = await app.backend.ownerLink();
    let session: Awaited<ReturnType<App["owner"]>> | null = null;
    await app.visit({ as: null, locale, scheme }, async (reader) => {
      await stubPictures(reader.page);
      const walk = new Walk(app, reader, locale, "");
      await walk.arrive(link);
      await walk.importList();
      await walk.read();
      await walk.listen();
      await walk.watch();
      await walk.search();
      session = await reader.page.context().storageState();
    });
    await app.visit({ as: session, locale, scheme, width: 390, height: 844 }, async (reader) => {
      await stubPictures(reader.page);
      await new Walk(app, reader, locale, "phone-").onPhone();
    });
  });
}

class Walk {
  private n = 0;
  private readonly app: App;
  private readonly reader: Reader;
  private readonly locale: Locale;
  private readonly prefix: string;

  constructor(app: App, reader: Reader, locale: Locale, prefix: string) {
    this.app = app;
    this.reader = reader;
    this.locale = locale;
    this.prefix = prefix;
    reader.page.setDefaultTimeout(20_000);
  }

  private async shot(name: string): Promise<void> {
    const { page } = this.reader;
    await this.reader.frames(2);
    this.n += 1;
    const at = `${this.prefix}${String(this.n).padStart(2, "0")}`;
    await takeScreenshot(page, `walk/${this.locale}/${at}-${name}.png`);
  }

  private text(id: string, values?: Record<string, string>): string {
    return message(this.locale, id, values);
  }

  async arrive(link: string): Promise<void> {
    const { page } = this.reader;
    await page.goto(link);
    await this.shot("link");
    await page.locator("button").click();
    await eventually(
      "the samples",
      () => this.reader.api.feeds(),
      ({ feeds }) => feeds.length === 6 && feeds.every((feed) => feed.itemCount > 0),
    );
    await page.goto(this.reader.base);
    await page.locator(".first-steps").waitFor();
    await page.locator(".first-steps button[aria-expanded]").click();
    await page.locator(".first-steps svg").last().waitFor();
    await this.shot("today");
    await page.locator("#first-password").fill("correct horse battery staple");
    await page.locator(".first-password button[type=submit]").click();
    await page.locator("#first-password").waitFor({ state: "detached" });
    await this.shot("password");
    await page.goto(`${this.reader.base}/welcome`);
    await page.locator(".packs").waitFor();
    await this.shot("welcome");
  }

  async importList(): Promise<void> {
    const { page } = this.reader;
    const feeds = [
      "plain.xml",
      "nihongo.atom",
      "rich.xml",
      "gallery.xml",
      "podcast.xml",
      "long.xml",
    ];
    const outlines = feeds.map(
      (feed) => `<outline type="rss" xmlUrl="${this.app.publisher.url(`/feeds/${feed}`)}"/>`,
    );
    await page.goto(this.reader.base);
    await page.locator(".first-steps .steps .btn").first().click();
    await this.reader.dialog().waitFor();
    await this.shot("import");
    await this.reader
      .dialog()
      .locator("input[type=file]")
      .setInputFiles({
        name: "list.opml",
        mimeType: "text/x-opml",
        buffer: Buffer.from(`<opml version="2.0"><body>${outlines.join("")}</body></opml>`),
      });
    await eventually(
      "the import",
      () => this.reader.api.feeds(),
      ({ feeds }) => feeds.length === 12 && feeds.every((feed) => feed.itemCount > 0),
    );
    await this.shot("imported");
    await page.keyboard.press("Escape");
    await page.goto(this.reader.base);
    await page.locator(".hero").waitFor();
    await this.shot("today");
  }

  async read(): Promise<void> {
    const { page } = this.reader;
    await this.reader.open("/all");
    await this.reader.settled();
    await this.shot("skim");
    await page.keyboard.press("j");
    await page.locator(".opened .prose").waitFor();
    await this.shot("open");
    await this.reader.open("/all?v=stream");
    await page.locator(".opened .prose").first().waitFor();
    await this.shot("stream");
    await this.reader.goTo("Rich Texts");
    await page.keyboard.press("j");
    await page.locator(".article-pane .prose").waitFor();
    await this.shot("article");
  }

  async listen(): Promise<void> {
    const { page } = this.reader;
    await stubSound(page.context(), 1_200);
    await this.reader.goTo("Spoken Words");
    await page.keyboard.press("j");
    const audio = page.locator(".player audio");
    await audio.evaluate(async (media: HTMLAudioElement) => {
      media.muted = true;
      await media.play();
    });
    await this.shot("episode");
    await this.reader.goTo("Plain Notes");
    await page.keyboard.press("j");
    await page.locator(".article-pane .prose").waitFor();
    await page.locator(".mini-player").waitFor();
    await this.shot("player");
  }

  async watch(): Promise<void> {
    const { page } = this.reader;
    await page.goto(`${this.reader.base}/watches`);
    await page.getByRole("link", { name: this.text("Try the demo shop") }).waitFor();
    await this.shot("watches");
    await page.getByRole("link", { name: this.text("Try the demo shop") }).click();
    await page.locator(".editor .results tbody tr").first().waitFor();
    await this.shot("watch-preview");
    await page
      .getByRole("checkbox", { name: this.text("I've read the terms, and they allow this") })
      .check();
    await page.getByRole("button", { name: this.text("Watch this page") }).click();
    await page.locator(".toast").first().waitFor();
    await this.shot("watching");
  }

  async search(): Promise<void> {
    const { page } = this.reader;
    await this.reader.open("/all");
    await this.reader.settled();
    await page.keyboard.press("/");
    await page.locator(".search-box input:focus").waitFor();
    await page.keyboard.type(this.locale === "ja" ? "雨の" : "the");
    await page.locator(".list-pane mark").first().waitFor();
    await this.shot("typed");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: this.text("Save search") }).waitFor();
    await this.shot("found");
    await page.getByRole("button", { name: this.text("Save search") }).click();
    await this.reader.dialog().getByRole("textbox").waitFor();
    await this.shot("save");
    await page.keyboard.press("Enter");
    await eventually(
      "the dialog",
      () => this.reader.dialog().count(),
      (n) => n === 0,
    );
    await this.shot("saved");
  }

  async onPhone(): Promise<void> {
    const { page } = this.reader;
    await page.goto(this.reader.base);
    await page.locator(".hero").waitFor();
    await this.reader.settled();
    await this.shot("today");
    await page.locator(".tabbar button").click();
    await this.shot("side");
    for (const [path, sign] of [
      ["/all", ".row"],
      ["/starred", ".state"],
      ["/search", ".search-box input"],
      ["/watches", "main a[href*='/watches/']"],
    ] as const) {
      await page.goto(this.reader.base + path);
      await page.locator(sign).and(page.locator(":visible")).first().waitFor();
      await this.reader.settled().catch(() => undefined);
      await this.shot(path.slice(1));
    }
    await this.reader.open("/all");
    await this.reader.rows().first().locator(".title a").click();
    await page.locator(".article-pane .prose").waitFor();
    await page.locator("nav.tabbar .next-ring").first().waitFor();
    await this.shot("article");
  }
}
