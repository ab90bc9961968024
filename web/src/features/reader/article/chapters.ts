/** A time within an episode, as texts write it: 4:05, 12:30, 1:02:03. */
const time = /(?<![\d:.])(?:(\d{1,2}):)?(\d{1,2}):([0-5]\d)(?![\d:]|\.\d)/g;
const most = 300;

/** Makes links of the times in a text, which lead to these places of its episode. Times within links and code stay. */
export function linkTimes(text: ParentNode): void {
  const walker = document.createTreeWalker(text as Node, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    if (!node.parentElement?.closest("a, code, pre, button") && node.data.includes(":"))
      found.push(node);
  }
  let count = 0;
  for (const node of found) {
    const parts: (string | Node)[] = [];
    let from = 0;
    for (const match of node.data.matchAll(time)) {
      const seconds = secondsOf(match);
      if (seconds === null || count >= most) continue;
      count += 1;
      const link = document.createElement("a");
      link.href = `#t=${seconds}`;
      link.textContent = match[0];
      parts.push(node.data.slice(from, match.index), link);
      from = match.index + match[0].length;
    }
    if (from > 0) node.replaceWith(...parts, node.data.slice(from));
  }
}

function secondsOf([, hours, minutes, seconds]: RegExpMatchArray): number | null {
  const [h, m, s] = [Number(hours ?? 0), Number(minutes), Number(seconds)];
  return hours !== undefined && m > 59 ? null : 3600 * h + 60 * m + s;
}

/** The seconds that a clicked link of linkTimes leads to; null for any other click. */
export function timeOf(event: MouseEvent): number | null {
  const link = event.target instanceof Element ? event.target.closest("a[href^='#t=']") : null;
  const seconds = Number(link?.getAttribute("href")?.slice(3) ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : null;
}
