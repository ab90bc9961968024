import { useLingui } from "@lingui/react/macro";
import { Suspense, useLayoutEffect, useRef, useState } from "react";
import { lazyNamed } from "@/ui/lazy-named";
import { sanitisedHtml } from "@/ui/trusted-types";
import { addPictures } from "./attached-pictures";
import { linkTimes, timeOf } from "./chapters";
import { setDirections } from "./direction";
import { prepareImages } from "./images";
import { offerPictures, pictureOf, picturesOf } from "./pictures";
import { followPlace } from "./places";
import { followPlayback } from "./playback";
import { noteOnPaper } from "./print-notes";

const PictureViewer = lazyNamed("PictureViewer", () => import("./picture-viewer"));

interface Props {
  html: string;
  /** Attached to the item. */
  pictures: readonly string[];
  lang: string;
  showImages: boolean;
  /** Goes to a time of the episode that the text is about. */
  onTime?: ((seconds: number) => void) | undefined;
}

/**
 * The only place where text from feeds becomes markup. The server has sanitised it; this component alone uses the Trusted
 * Types policy `ruri-sanitised`, the only policy of the page.
 */
export function ArticleBody({ html, pictures, lang, showImages, onTime }: Props) {
  const { t } = useLingui();
  const box = useRef<HTMLDivElement>(null);
  const brokenText = t`Image unavailable`;
  const pictureName = t`Picture`;
  const [shown, setShown] = useState<{ pictures: HTMLImageElement[]; first: number } | null>(null);
  const goTo = useRef(onTime);
  goTo.current = onTime;
  const hasTimes = onTime !== undefined;

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    // In a template nothing is loaded, so that images can be removed before.
    const template = document.createElement("template");
    template.innerHTML = sanitisedHtml(html);
    addPictures(template.content, pictures);
    prepareImages(template.content, showImages, brokenText);
    enhance(template.content);
    if (showImages) offerPictures(template.content, pictureName);
    if (hasTimes) linkTimes(template.content);
    element.dir = setDirections(template.content);
    element.replaceChildren(template.content);
    const open = (event: MouseEvent | KeyboardEvent): boolean => {
      const picture = pictureOf(event);
      if (!picture) return false;
      event.preventDefault();
      const pictures = picturesOf(element);
      setShown({ pictures, first: pictures.indexOf(picture) });
      return true;
    };
    const onClick = (event: MouseEvent) => {
      if (open(event)) return;
      const seconds = timeOf(event);
      if (seconds === null) followPlace(event, element);
      else {
        event.preventDefault();
        goTo.current?.(seconds);
      }
    };
    // Before the keys of the page, for which Enter is something else.
    const onKeyDown = (event: KeyboardEvent) => {
      if (open(event)) event.stopPropagation();
    };
    element.addEventListener("click", onClick);
    element.addEventListener("keydown", onKeyDown);
    const offPaper = noteOnPaper(element);
    const ends = [...element.querySelectorAll<HTMLMediaElement>("audio, video")].map((media) =>
      followPlayback(media),
    );
    return () => {
      element.removeEventListener("click", onClick);
      element.removeEventListener("keydown", onKeyDown);
      offPaper();
      for (const end of ends) end();
    };
  }, [html, pictures, showImages, brokenText, pictureName, hasTimes]);

  return (
    <>
      <div ref={box} className="prose" lang={lang} />
      {shown && (
        <Suspense fallback={null}>
          <PictureViewer {...shown} lang={lang} onClose={() => setShown(null)} />
        </Suspense>
      )}
    </>
  );
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
