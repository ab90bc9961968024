import { useLayoutEffect, useRef } from "react";
import { sanitisedHtml } from "@/data/trusted";

interface Props {
  html: string;
  lang: string;
}

/**
 * The only place where text from feeds becomes markup. The server has sanitised it; the Trusted Types
 * policy `ruri-sanitised` is the only one the page makes, and this component its only user.
 */
export function ArticleBody({ html, lang }: Props) {
  const box = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    element.innerHTML = sanitisedHtml(html);
    furnish(element);
  }, [html]);

  return <div ref={box} className="prose" lang={lang} />;
}

/** What the page adds to a body: quiet images, code and tables that scroll sideways by themselves. */
function furnish(body: HTMLElement): void {
  for (const image of body.querySelectorAll("img")) {
    image.loading = "lazy";
    image.decoding = "async";
    image.referrerPolicy = "no-referrer";
    image.addEventListener("error", () => {
      image.dataset.broken = "true";
    });
  }
  for (const link of body.querySelectorAll<HTMLAnchorElement>("a[href]")) {
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
  for (const code of body.querySelectorAll("pre")) code.tabIndex = 0;
  for (const table of body.querySelectorAll("table")) {
    const frame = document.createElement("div");
    frame.className = "table-frame";
    frame.tabIndex = 0;
    table.replaceWith(frame);
    frame.append(table);
  }
}
