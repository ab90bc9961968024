import { useLingui } from "@lingui/react/macro";
import { useLayoutEffect, useRef } from "react";
import { sanitisedHtml } from "@/data/trusted";
import { prepareImages } from "./images";
import { followPlayback } from "./playback";

interface Props {
  html: string;
  lang: string;
  showImages: boolean;
}

/**
 * The only place where text from feeds becomes markup. The server has sanitised it; the Trusted Types
 * policy `ruri-sanitised` is the only one the page makes, and this component its only user.
 */
export function ArticleBody({ html, lang, showImages }: Props) {
  const { t } = useLingui();
  const box = useRef<HTMLDivElement>(null);
  const brokenText = t`This image cannot be shown`;

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    // In a template nothing is loaded yet: what is not wanted never is.
    const template = document.createElement("template");
    template.innerHTML = sanitisedHtml(html);
    prepareImages(template.content, showImages, brokenText);
    furnish(template.content);
    element.replaceChildren(template.content);
    const ends = [...element.querySelectorAll<HTMLMediaElement>("audio, video")].map((media) =>
      followPlayback(media),
    );
    return () => {
      for (const end of ends) end();
    };
  }, [html, showImages, brokenText]);

  return <div ref={box} className="prose" dir="auto" lang={lang} />;
}

/** What the page adds to a body: links to new tabs, code and tables that scroll sideways by themselves. */
function furnish(body: DocumentFragment): void {
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
