/**
 * Images of a text, before it is inserted into the page. Their boxes are reserved, so that nothing moves when they load:
 * with the size from the publisher, else 16:9 (article.css). The sanitiser's test forbids `style`, hence attributes.
 */

/** Sizes of images without one, as loaded: their boxes are right the second time. */
const learnt = new Map<string, readonly [width: number, height: number]>();
const maxSizes = 500;
/** Up to this size an image is inline, not a figure. */
const signSize = 48;

export function prepareImages(body: ParentNode, isShown: boolean, brokenText: string): void {
  for (const image of body.querySelectorAll("img")) {
    if (isShown) prepare(image, brokenText);
    else image.replaceWith(standIn(image));
  }
  // The server leaves these for images over http, which this page does not load.
  for (const link of body.querySelectorAll("a.broken-image")) {
    link.textContent = `${brokenText}: ${link.textContent}`;
  }
  if (isShown) return;
  for (const video of body.querySelectorAll("video")) video.removeAttribute("poster");
}

function prepare(image: HTMLImageElement, brokenText: string): void {
  image.loading = "lazy";
  image.decoding = "async";
  image.referrerPolicy = "no-referrer";
  const size = sizeOf(image) ?? learnt.get(image.src);
  if (size) setSize(image, size);
  // Without text browsers remove the box of an image that cannot be loaded.
  if (!image.alt) {
    image.alt = "\u00a0";
    image.ariaHidden = "true";
  }
  image.addEventListener("load", () => learnSize(image), { once: true });
  image.addEventListener("error", () => showBroken(image, brokenText), { once: true });
}

/** Replaces the image by its text and a link. */
function showBroken(image: HTMLImageElement, brokenText: string): void {
  if (image.dataset.sign) return;
  const isLinked = image.closest("a") !== null;
  const note = document.createElement(isLinked || !/^https?:/.test(image.src) ? "span" : "a");
  note.className = "broken-image";
  if (note instanceof HTMLAnchorElement) {
    note.href = image.src;
    note.target = "_blank";
    note.rel = "noopener noreferrer";
  }
  const text = altText(image);
  note.textContent = text ? `${brokenText}: ${text}` : brokenText;
  image.replaceWith(note);
}

function sizeOf(image: HTMLImageElement): readonly [number, number] | null {
  const width = Number(image.getAttribute("width"));
  const height = Number(image.getAttribute("height"));
  return width > 0 && height > 0 ? [width, height] : null;
}

function setSize(image: HTMLImageElement, [width, height]: readonly [number, number]): void {
  image.width = width;
  image.height = height;
  if (width <= signSize && height <= signSize) image.dataset.sign = "true";
}

/**
 * Gives a loaded image its own box while it is well below the view; near or in view it keeps the reserved one, so that
 * nothing moves.
 */
function learnSize(image: HTMLImageElement): void {
  const { naturalWidth: width, naturalHeight: height, src } = image;
  if (sizeOf(image) || !width || !height) return;
  learnt.delete(src);
  learnt.set(src, [width, height]);
  for (const old of [...learnt.keys()].slice(0, -maxSizes)) learnt.delete(old);
  const view = image.closest(".scroll")?.getBoundingClientRect();
  if (view && image.getBoundingClientRect().top > view.bottom + view.height / 2)
    setSize(image, [width, height]);
}

/** The alternative text of its author; the page may have given it a name (pictures.ts). */
export function altText(image: HTMLImageElement): string {
  return image.ariaHidden || image.ariaLabel ? "" : image.alt.trim();
}

/** The text of an image, where images are hidden. */
function standIn(image: HTMLImageElement): HTMLElement {
  const text = document.createElement("span");
  text.className = "no-image";
  text.textContent = image.alt.trim();
  text.hidden = text.textContent === "";
  return text;
}

export function hasImages(html: string): boolean {
  return /<img\b/i.test(html);
}
