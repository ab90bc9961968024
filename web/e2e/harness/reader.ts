import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { Api } from "./api.ts";
import { eventually, hasFocus } from "./eventually.ts";
import type { Watch } from "./watch.ts";

/** Page object of the reader. Finds elements by role and by what does not depend on the language. */
export class Reader {
  readonly page: Page;
  readonly watch: Watch;
  readonly api: Api;
  readonly base: string;

  constructor(page: Page, watch: Watch, base: string) {
    this.page = page;
    this.watch = watch;
    this.base = base;
    this.api = new Api(page.context().request, base);
  }

  /** Opens an address and waits for the list or the message in its place. */
  async open(path: string): Promise<void> {
    await this.page.goto(this.base + path);
    await this.isListed();
    // It comes after the list.
    await this.page.locator("nav.side").waitFor({ state: "attached" });
  }

  /** Texts come only when an item is opened, none ahead. */
  async loadsNothingAhead(): Promise<void> {
    await this.page.addInitScript(() => {
      Object.defineProperty(navigator, "connection", { value: { saveData: true } });
    });
  }

  /** Waits for rows of items, not placeholders, or for the message in place of a list. */
  private async isListed(): Promise<void> {
    await this.page.locator(".list-pane :is(.row[data-item], .state, .hero)").first().waitFor();
  }

  /** Waits until the page has loaded everything that it requests without user action. */
  async settled(): Promise<void> {
    await this.page
      .locator(".side footer button[aria-haspopup=menu]")
      .last()
      .waitFor({ state: "attached" });
    // The background chunk is requested last. An idle network is not enough: a busy machine may still be running the
    // page's code.
    await this.page.waitForFunction(() =>
      performance.getEntriesByType("resource").some(({ name }) => /\/background-/.test(name)),
    );
    await this.quiet();
  }

  /** Waits until no request is in flight and two frames were drawn without a new one. */
  async quiet(): Promise<void> {
    await eventually(
      "the end of the requests",
      async () => {
        const before = this.watch.inFlight();
        await this.frames(2);
        return before + this.watch.inFlight();
      },
      (seen) => seen === 0,
    );
  }

  rows(): Locator {
    return this.page.locator(".list-pane .row");
  }

  row(title: string): Locator {
    return this.rows().filter({ has: this.page.getByRole("link", { name: title, exact: true }) });
  }

  titles(): Promise<string[]> {
    return this.rows().locator(".title a").allTextContents();
  }

  /** Clicks a row and waits for the body of its item. */
  async openRow(title: string): Promise<void> {
    await this.row(title).locator(".title a").click();
    await this.articleShows(title);
  }

  async articleShows(title: string): Promise<void> {
    await this.page
      .locator(".article-pane .article .title", { hasText: title })
      .and(this.page.locator(":visible"))
      .waitFor();
    await this.page.locator(".article-pane .prose").waitFor();
  }

  articleTitle(): Promise<string | null> {
    return this.page.locator(".article-pane .title").textContent();
  }

  /** A link of the side bar by its name. */
  side(name: string): Locator {
    return this.page
      .locator(".side-link")
      .filter({ has: this.page.locator(".name", { hasText: new RegExp(`^${literal(name)}$`) }) });
  }

  /** The count beside a link of the side bar, 0 when it shows none. */
  async sideCount(name: string): Promise<number> {
    const link = this.side(name);
    await link.waitFor();
    return link.evaluate((element) =>
      Number(element.querySelector(".count")?.firstChild?.textContent ?? 0),
    );
  }

  sideNames(): Promise<string[]> {
    return this.page.locator(".side section .side-link[data-kind=feed] .name").allTextContents();
  }

  /** Goes to a feed by its link. */
  async goTo(name: string): Promise<void> {
    await this.side(name).click();
    await this.page
      .locator(".list-pane h1", { hasText: new RegExp(`^${literal(name)}$`) })
      .waitFor();
    await this.isListed();
  }

  /** Scrolls the list, and waits until its rows take the pointer again. */
  async scrollList(top: number): Promise<void> {
    await this.page.locator(".list-pane > .scroll").evaluate((box, to) => box.scrollTo(0, to), top);
    await this.frames(2);
    await eventually(
      "the end of the scrolling",
      () =>
        this.rows()
          .first()
          .evaluate((row) => getComputedStyle(row).pointerEvents),
      (seen) => seen !== "none",
    );
  }

  async choose(menu: string, entry: string): Promise<void> {
    await this.page.getByRole("button", { name: menu, exact: true }).click();
    await this.page
      .getByRole("menu")
      .locator("[role^=menuitem]")
      .filter({ hasText: entry })
      .first()
      .click();
  }

  toast(text: string | RegExp): Locator {
    return this.page.locator(".toast", { hasText: text });
  }

  /** Whether an element at the end of what scrolls can be scrolled to where a toast does not cover it. */
  async isClear(last: Locator, toast: Locator): Promise<boolean> {
    await last.evaluate((element) => element.scrollIntoView({ block: "start" }));
    await this.frames(2);
    const [a, b] = await Promise.all([last.boundingBox(), toast.boundingBox()]);
    return !!a && !!b && (a.y + a.height <= b.y || b.x + b.width <= a.x || a.x + a.width <= b.x);
  }

  dialog(): Locator {
    return this.page.locator("dialog[open]");
  }

  path(): string {
    const { pathname, search } = new URL(this.page.url());
    return pathname + search;
  }

  /** A short name of the focused element. */
  focus(): Promise<string> {
    return this.page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return "body";
      if (element.matches(".article-pane .title")) return "the item's heading";
      if (element.matches(".list-pane h1")) return "the list's heading";
      if (element.matches(".row")) return "a row";
      return `${element.tagName.toLowerCase()}.${element.className}`;
    });
  }

  /** Presses a key; a focus that was on something must stay on something. */
  async press(key: string): Promise<void> {
    const before = await this.focus();
    await this.page.keyboard.press(key);
    if (before === "body") return; // as a page begins, before anybody went anywhere
    await hasFocus(this, `the focus after ${key}`);
  }

  /** Presses keys without waiting in between: the second key of a sequence must follow within a second. */
  async pressAll(keys: readonly string[]): Promise<void> {
    await Promise.all(keys.map((key) => this.page.keyboard.press(key)));
  }

  /** Layout shifts since the page was loaded, each with the elements that moved. */
  shifts(): Promise<string[]> {
    return this.page.evaluate(() => (window as unknown as { shifts: string[] }).shifts);
  }

  /** Ignores the layout shifts so far. */
  async forgetShifts(): Promise<void> {
    await this.frames(2);
    await this.page.evaluate(() => {
      (window as unknown as { shifts: string[] }).shifts.length = 0;
    });
  }

  async showsNoShift(where: string): Promise<void> {
    await this.frames(2);
    assert.deepEqual(await this.shifts(), [], `layout shifts in ${where}`);
  }

  /** The name and content of the file that an action downloads. */
  async download(action: () => Promise<void>): Promise<{ name: string; content: Buffer }> {
    const [download] = await Promise.all([this.page.waitForEvent("download"), action()]);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk);
    return { name: download.suggestedFilename(), content: Buffer.concat(chunks) };
  }

  /** Lets the browser draw. */
  frames(n: number): Promise<void> {
    return this.page.evaluate(async (count) => {
      for (let i = 0; i < count; i += 1) await new Promise(requestAnimationFrame);
    }, n);
  }
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
