import { useLingui } from "@lingui/react/macro";
import { useLayoutEffect, useRef } from "react";
import { sanitisedHtml } from "@/ui/trusted-types";
import { setDirections } from "./direction";
import { prepareImages } from "./images";
import { followPlace } from "./places";
import { followPlayback } from "./playback";

interface Props {
  html: string;
  lang: string;
  showImages: boolean;
}

/**
 * The only place where text from feeds becomes markup. The server has sanitised it; this component alone uses the Trusted
 * Types policy `ruri-sanitised`, the only policy of the page.
 */
export function ArticleBody({ html, lang, showImages }: Props) {
  const { t } = useLingui();
  const box = useRef<HTMLDivElement>(null);
  const brokenText = t`Image unavailable`;

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    // In a template nothing is loaded, so that images can be removed before.
    const template = document.createElement("template");
    template.innerHTML = sanitisedHtml(html);
    prepareImages(template.content, showImages, brokenText);
    enhance(template.content);
    element.dir = setDirections(template.content);
    element.replaceChildren(template.content);
    const onClick = (event: MouseEvent) => followPlace(event, element);
    element.addEventListener("click", onClick);
    const ends = [...element.querySelectorAll<HTMLMediaElement>("audio, video")].map((media) =>
      followPlayback(media),
    );
    return () => {
      element.removeEventListener("click", onClick);
      for (const end of ends) end();
    };
  }, [html, showImages, brokenText]);

  return <div ref={box} className="prose" lang={lang} />;
}

/** Opens links in new tabs, except for those to places of the article, and lets code and tables scroll horizontally. */
function enhance(body: DocumentFragment): void {
  for (const link of body.querySelectorAll<HTMLAnchorElement>('a[href]:not([href^="#"])')) {
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
