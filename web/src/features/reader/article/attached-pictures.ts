import type { Enclosure } from "@/data/types";

/** Whether a file is a picture that this page may load: it is shown, not listed. */
export function isPicture({ url, type }: Enclosure): boolean {
  return /^https:/i.test(url) && /^image\//i.test(type);
}

/** Puts attached pictures before the text; one that is in the text already, in whatever size, is not shown again. */
export function addPictures(text: DocumentFragment, urls: readonly string[]): void {
  const there = new Set([...text.querySelectorAll("img")].map(({ src }) => nameOf(src)));
  const added = urls.filter((url) => there.size < there.add(nameOf(url)).size);
  text.prepend(
    ...added.map((url) => {
      const figure = document.createElement("figure");
      const image = document.createElement("img");
      image.src = url;
      figure.append(image);
      return figure;
    }),
  );
}

/** The address without what says the size: "?w=300" and "-1024x768". */
function nameOf(url: string): string {
  return url.replace(/[?#].*/, "").replace(/-\d+x\d+(?=\.\w+$)/, "");
}
