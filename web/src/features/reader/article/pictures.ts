const isPicture = /\.(avif|gif|jpe?g|png|webp)$/i;

/** The address of the picture that an image stands for: that of its link, if it leads to a picture. */
export function pictureSource(image: HTMLImageElement): string {
  return linkedPicture(image) ?? (image.currentSrc || image.src);
}

function linkedPicture(image: HTMLImageElement): string | null {
  const link = image.closest("a");
  if (link?.protocol !== "https:" || !isPicture.test(link.pathname)) return null;
  return link.href;
}

/** The images of a text that can be shown whole: no signs within a line, and none that link to something else. */
export function picturesOf(text: ParentNode): HTMLImageElement[] {
  return [...text.querySelectorAll("img")].filter(
    (image) => !image.dataset.sign && (!image.closest("a[href]") || linkedPicture(image) !== null),
  );
}

/** Makes images reachable by the keyboard; a link around one is reachable itself. */
export function offerPictures(text: ParentNode, name: string): void {
  for (const image of picturesOf(text)) {
    image.dataset.picture = "";
    if (image.closest("a[href]")) continue;
    image.tabIndex = 0;
    image.role = "button";
    // One without words is named here.
    if (image.ariaHidden) {
      image.ariaHidden = null;
      image.ariaLabel = name;
      image.alt = name;
    }
  }
}

/** The image that an event is about: pressed, or with Enter or Space on it or on its link. */
export function pictureOf(event: MouseEvent | KeyboardEvent): HTMLImageElement | null {
  const { target } = event;
  if (!(target instanceof Element)) return null;
  if (event instanceof KeyboardEvent && event.key !== "Enter" && event.key !== " ") return null;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return null;
  if (event instanceof MouseEvent && event.button !== 0) return null;
  const image = target.matches("a") ? target.querySelector("img") : target;
  return image?.matches("[data-picture]") ? (image as HTMLImageElement) : null;
}
