/** Blocks whose first letter tells their direction. */
const blocks = "p, li, dt, dd, th, td, caption, h1, h2, h3, h4, h5, h6, figcaption, summary";
/** What holds blocks: most of its letters tell its direction, and with it the side of markers, columns and bars. */
const holders = "ul, ol, dl, table, blockquote, details, figure, div";

/** Gives each block the direction of its own text. What has the publisher's direction keeps it, with all in it. */
export function setDirections(body: DocumentFragment): "ltr" | "rtl" {
  const open = (list: string) =>
    [...body.querySelectorAll<HTMLElement>(list)].filter((element) => !element.closest("[dir]"));
  // Found before any is set.
  const found = { blocks: open(blocks), holders: open(holders) };
  for (const block of found.blocks) block.dir = "auto";
  for (const holder of found.holders) holder.dir = directionOf(holder.textContent);
  for (const code of body.querySelectorAll<HTMLElement>("pre, code, kbd, samp")) code.dir = "ltr";
  return directionOf(body.textContent);
}

const rightToLeft =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/gu;

/** The direction of most letters of a text; only its beginning is looked at. */
export function directionOf(text: string | null): "ltr" | "rtl" {
  const start = (text ?? "").slice(0, 4000);
  const all = start.match(/\p{L}/gu)?.length ?? 0;
  const right = start.match(rightToLeft)?.length ?? 0;
  return right * 2 > all ? "rtl" : "ltr";
}
