/**
 * Pictures of a body, before it is put into the page. Their boxes are reserved, so that nothing moves when they
 * come: with the size that the publisher gives, else 16:9 (article.css). The sanitiser's test forbids `style` in
 * bodies, hence sizes are attributes.
 */

/** Sizes learnt of pictures that came without: the second time their boxes are right from the beginning. */
const learnt = new Map<string, readonly [width: number, height: number]>();
const keptSizes = 500;
/** Up to this size a picture is a sign in the line, not a figure. */
const signSize = 48;

export function prepareImages(body: ParentNode, isShown: boolean, brokenText: string): void {
  for (const image of body.querySelectorAll("img")) {
    if (isShown) prepare(image, brokenText);
    else image.replaceWith(standIn(image));
  }
  // The server leaves these where a picture can only come by http, which this page does not load.
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
  // Without any text a browser takes the box away when the picture does not come.
  if (!image.alt) {
    image.alt = "\u00a0";
    image.ariaHidden = "true";
  }
  image.addEventListener("load", () => learnSize(image), { once: true });
  image.addEventListener("error", () => noteBroken(image, brokenText), { once: true });
}

/** One line in the place of the picture: what it would have shown, and where it is. */
function noteBroken(image: HTMLImageElement, brokenText: string): void {
  if (image.dataset.sign) return;
  const isLinked = image.closest("a") !== null;
  const note = document.createElement(isLinked || !/^https?:/.test(image.src) ? "span" : "a");
  note.className = "broken-image";
  if (note instanceof HTMLAnchorElement) {
    note.href = image.src;
    note.target = "_blank";
    note.rel = "noopener noreferrer";
  }
  const words = image.ariaHidden ? "" : image.alt.trim();
  note.textContent = words ? `${brokenText}: ${words}` : brokenText;
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
 * A picture that came while it was still well below the view gets the box it wants; in view it keeps what it has, and
 * near it, too: a flick may bring it there before the box is drawn.
 */
function learnSize(image: HTMLImageElement): void {
  const { naturalWidth: width, naturalHeight: height, src } = image;
  if (sizeOf(image) || !width || !height) return;
  learnt.delete(src);
  learnt.set(src, [width, height]);
  for (const old of [...learnt.keys()].slice(0, -keptSizes)) learnt.delete(old);
  const view = image.closest(".scroll")?.getBoundingClientRect();
  if (view && image.getBoundingClientRect().top > view.bottom + view.height / 2)
    setSize(image, [width, height]);
}

/** What is read where pictures are not wanted: their own words. */
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
