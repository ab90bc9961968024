// What an article keeps while one reads on: the place, the sound, its pictures; and how it looks on paper.

import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { assertAccessible } from "./harness/axe.ts";
import { eventually, eventuallyEquals } from "./harness/eventually.ts";
import { stubPictures } from "./harness/pictures.ts";
import type { Reader } from "./harness/reader.ts";
import { stubSound } from "./harness/sound.ts";

let app: App;
let site: Server;

const paragraph =
  "Most remarks are what one would think: fog until four, lens cleaned, boat did not come. ".repeat(
    5,
  );
const essay = `${Array.from({ length: 60 }, (_, i) => `<p>${i + 1}. ${paragraph}</p>`).join("")}
  <p>A <a href="https://harbour.example/log">log</a> and <a href="https://harbour.example/oil">oil</a>.</p>`;
const drawing = (colour: string) =>
  `https://pictures.example/${colour}.svg" width="640" height="360" alt="A ${colour} coast" title="Drawn at noon`;
const items = [
  ["The essay", essay, ""],
  [
    "Two pictures",
    `<p>Before.</p><img src="${drawing("green")}"><p>Between.</p><img src="${drawing("blue")}"><p>After.</p>`,
    "",
  ],
  [
    "An episode",
    "<p>00:00 Intro<br>1:15 Soup</p>",
    '<enclosure url="https://sounds.example/1.wav" type="audio/wav" length="960044"/>',
  ],
  ["A note", "<p>Short.</p>", ""],
];

before(async () => {
  app = await startApp();
  site = createServer((_, response) => {
    response.setHeader("Content-Type", "application/rss+xml");
    response.end(
      `<rss version="2.0"><channel><title>Harbour notes</title><link>https://harbour.example/</link>${items
        .map(
          ([title, text, more], i) =>
            `<item><guid isPermaLink="false">${i}</guid><title>${title}</title>
          <link>https://harbour.example/${i}</link><pubDate>Sat, 21 Nov 2026 0${9 - i}:00:00 GMT</pubDate>
          <description><![CDATA[${text}]]></description>${more}</item>`,
        )
        .join("")}</channel></rss>`,
    );
  }).listen(0, "127.0.0.1");
  await new Promise((done) => site.once("listening", done));
});
after(async () => {
  site?.close();
  await app?.close();
});

async function open(reader: Reader, title: string): Promise<string> {
  await stubPictures(reader.page);
  const { port } = site.address() as AddressInfo;
  const { id } = await reader.api.addFeed(`http://127.0.0.1:${port}/feed`);
  await reader.open(`/feed/${id}?v=read`);
  await reader.openRow(title);
  return id;
}

const box = (reader: Reader) => reader.page.locator(".article-pane > .scroll");
const top = (reader: Reader) => box(reader).evaluate((element) => Math.round(element.scrollTop));

test("the place in an article outlives other articles, a reload, and is there on another device", async () => {
  const as = await app.user("place");
  let feed = "";
  let where = 0;
  await app.visit({ as }, async (reader) => {
    feed = await open(reader, "The essay");
    await box(reader).evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
    where = await top(reader);
    const isThere = (what: string) =>
      eventually(
        what,
        () => top(reader),
        (now) => Math.abs(now - where) < 40,
      );
    await reader.page.locator(".row .part-ring").waitFor();
    await reader.page.keyboard.press("j");
    await reader.articleShows("Two pictures");
    await reader.page.keyboard.press("k");
    await reader.articleShows("The essay");
    await isThere("the place after j and k");
    await reader.page.reload();
    await reader.articleShows("The essay");
    await isThere("the place after a reload");
    // It went to the server when the page was left.
    await eventually(
      "the place for the account",
      async () => (await reader.api.get<{ places: { part: number }[] }>("/api/me")).places,
      (places) => places.length === 1 && Math.abs((places[0]?.part ?? 0) - 0.5) < 0.1,
    );
  });
  await app.visit({ as }, async (reader) => {
    await stubPictures(reader.page);
    await reader.open("/");
    const begun = reader.page.getByRole("region", { name: "Continue reading" });
    await begun.getByRole("link", { name: /The essay/ }).waitFor();
    await reader.open(`/feed/${feed}?v=read`);
    await reader.openRow("The essay");
    await eventually(
      "the place on another device",
      () => top(reader),
      (now) => Math.abs(now - where) < 60,
    );
    await reader.page.getByRole("button", { name: "Back to the top" }).click();
    await eventuallyEquals("the top", () => top(reader), 0);
  });
});

test("an episode plays on while one reads something else; times in its text lead to their places", async () => {
  const as = await app.user("episode");
  await app.visit({ as }, async (reader) => {
    // Longer than a busy machine takes for what follows.
    await stubSound(reader.page.context(), 1_200);
    await open(reader, "An episode");
    await reader.page.locator(".player audio").evaluate((audio: HTMLAudioElement) => {
      audio.muted = true;
    });
    await reader.page.locator(".prose").getByRole("link", { name: "1:15" }).click();
    const audio = () =>
      reader.page.evaluate(() => {
        const media = document.querySelector("audio");
        return media && { at: Math.floor(media.currentTime), paused: media.paused };
      });
    await eventually("the chapter", audio, (now) => now !== null && now.at >= 75 && !now.paused);
    await reader.openRow("A note");
    const player = reader.page.getByRole("region", { name: "Player" });
    await player.getByRole("link", { name: "An episode" }).waitFor();
    await eventually("it plays on", audio, (now) => now !== null && !now.paused && now.at >= 75);
    await assertAccessible(reader.page, "the player that stays");
    await player.getByRole("button", { name: "Pause" }).click();
    await eventually("the pause", audio, (now) => now?.paused === true);
    await player.getByRole("button", { name: "Play", exact: true }).click();
    await reader.page.evaluate(() =>
      document.querySelector("audio")?.setAttribute("data-same", ""),
    );
    await player.getByRole("link", { name: "An episode" }).click();
    await reader.articleShows("An episode");
    await reader.page.locator(".player audio[data-same]").waitFor();
    await eventuallyEquals("the player that stayed", () => player.count(), 0);
    await eventually("it goes on in its article", audio, (now) => now?.paused === false);
  });
});

test("a picture is shown whole, with its words, and Escape leads back", async () => {
  const as = await app.user("picture");
  await app.visit({ as }, async (reader) => {
    await open(reader, "Two pictures");
    const picture = reader.page.locator(".prose").getByRole("button", { name: "A green coast" });
    await picture.click();
    const viewer = reader.page.getByRole("dialog", { name: "Picture 1 of 2" });
    await viewer.waitFor();
    await viewer.getByText("Drawn at noon").waitFor();
    await assertAccessible(reader.page, "a picture");
    await reader.page.keyboard.press("ArrowRight");
    await reader.page.getByRole("dialog", { name: "Picture 2 of 2" }).waitFor();
    await reader.page.keyboard.press("Escape");
    await eventuallyEquals("the viewer", () => reader.page.getByRole("dialog").count(), 0);
    await reader.articleShows("Two pictures");
    assert.equal(await picture.evaluate((image) => image === document.activeElement), true);
    await reader.page.keyboard.press("Enter");
    await viewer.waitFor();
    await reader.page.keyboard.press("Escape");
  });
});

test("on paper there is the article alone, with the addresses of its links", async () => {
  const as = await app.user("paper");
  await app.visit({ as }, async (reader) => {
    const id = await open(reader, "The essay");
    for (const mode of ["read", "skim"]) {
      await reader.open(`/feed/${id}?v=${mode}`);
      await reader.openRow("The essay");
      const pdf = (await reader.page.pdf({ format: "A4" })).toString("latin1");
      const pages = pdf.match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;
      assert.ok(pages >= 3, `${mode}: ${pages} pages`);
      await reader.page.emulateMedia({ media: "print" });
      await reader.page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      // biome-ignore lint/performance/useDomNodeTextContent: what is on the paper, not what is in the page
      const text = await reader.page.locator("body").innerText();
      assert.match(text, /Harbour notes[\s\S]*https:\/\/harbour\.example\/0/);
      assert.match(text, /60\. Most remarks/);
      assert.match(text, /https:\/\/harbour\.example\/log\s+https:\/\/harbour\.example\/oil/);
      const others = /.*(Two pictures|A note|Unread|Add a feed|Starred).*/;
      assert.equal(others.exec(text)?.[0], undefined);
      await reader.page.evaluate(() => dispatchEvent(new Event("afterprint")));
      await reader.page.emulateMedia({ media: null });
    }
  });
});
