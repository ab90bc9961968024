// Draws public/icons anew from public/icon.svg, with the system's Chromium: `node scripts/icons.mjs`. The pictures are
// kept in the repository: a build has no browser.
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const svg = readFileSync(new URL("../public/icon.svg", import.meta.url), "utf8");
const uri = `data:image/svg+xml,${encodeURIComponent(svg)}`;
// Systems cut maskable icons to shapes of their own: the drawing stays within the inner 80 % of a full square.
const full = uri.replace(encodeURIComponent('rx="8"'), "");
const pictures = [
  { name: "icon-192", size: 192, src: uri, scale: 1 },
  { name: "icon-512", size: 512, src: uri, scale: 1 },
  { name: "maskable-512", size: 512, src: full, scale: 0.8 },
  { name: "touch-180", size: 180, src: full, scale: 0.9 },
];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  chromiumSandbox: false,
});
for (const { name, size, src, scale } of pictures) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  const side = Math.round(size * scale);
  const back = scale === 1 ? "transparent" : "#1f4aa8";
  await page.setContent(
    `<body style="margin:0;height:100vh;display:grid;place-items:center;background:${back}"><img src="${src}" width="${side}" height="${side}">`,
  );
  await page.screenshot({
    path: new URL(`../public/icons/${name}.png`, import.meta.url).pathname,
    omitBackground: true,
  });
}
await browser.close();
