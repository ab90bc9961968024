import { useLingui } from "@lingui/react/macro";
import { ChevronLeft, ChevronRight, ExternalLink, X } from "lucide-react";
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from "react";
import { IconButton } from "@/ui/icon-button";
import { altText } from "./images";
import { pictureSource } from "./pictures";
import "./picture-viewer.css";

interface Props {
  pictures: readonly HTMLImageElement[];
  /** The index of the first one that is shown. */
  first: number;
  lang: string;
  onClose: () => void;
}

/** The pictures of an article, one at a time and as large as the window. */
export function PictureViewer({ pictures, first, lang, onClose }: Props) {
  const { t } = useLingui();
  const dialog = useRef<HTMLDialogElement>(null);
  const [index, setIndex] = useState(first);
  const close = useRef(onClose);
  close.current = onClose;

  // The browser keeps the focus in it, and gives it back.
  useLayoutEffect(() => {
    const element = dialog.current;
    const opener = document.activeElement;
    const onCancel = (event: Event) => {
      event.preventDefault();
      close.current();
    };
    element?.addEventListener("cancel", onCancel);
    element?.showModal();
    return () => {
      element?.removeEventListener("cancel", onCancel);
      element?.close();
      if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
    };
  }, []);

  const count = pictures.length;
  const picture = pictures[index];
  if (!picture) return null;
  const place = index + 1;
  const text = altText(picture);
  const title = picture.title.trim();
  const caption = picture.closest("figure")?.querySelector("figcaption")?.textContent?.trim();
  const step = (by: number) => setIndex(Math.min(count - 1, Math.max(0, index + by)));
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -count, End: count }[event.key];
    // The keys of the page behind it rest.
    event.stopPropagation();
    if (by === undefined) return;
    event.preventDefault();
    step(by);
  };
  return (
    <dialog
      ref={dialog}
      className="picture-viewer"
      aria-label={t`Picture ${place} of ${count}`}
      onKeyDown={onKeyDown}
    >
      <header>
        <span className="flex-1 tabular-nums" role="status">
          {count > 1 && `${place} / ${count}`}
        </span>
        <a
          className="icon-btn"
          href={pictureSource(picture)}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={t`Open picture in a new tab`}
          title={t`Open picture in a new tab`}
        >
          <ExternalLink />
        </a>
        <IconButton label={t`Close`} icon={<X />} onClick={onClose} />
      </header>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a press beside the picture closes it */}
      <div className="stage" onClick={(event) => event.target === event.currentTarget && onClose()}>
        <img
          key={picture.src}
          src={pictureSource(picture)}
          alt={text}
          referrerPolicy="no-referrer"
        />
      </div>
      {count > 1 && (
        <>
          <IconButton
            className="step back"
            label={t`Previous picture`}
            icon={<ChevronLeft />}
            aria-disabled={index === 0}
            onClick={() => step(-1)}
          />
          <IconButton
            className="step next"
            label={t`Next picture`}
            icon={<ChevronRight />}
            aria-disabled={index === count - 1}
            onClick={() => step(1)}
          />
        </>
      )}
      {(text || title || caption) && (
        <footer lang={lang} dir="auto">
          {[...new Set([caption, text, title])].filter(Boolean).map((line) => (
            <p key={line}>{line}</p>
          ))}
        </footer>
      )}
    </dialog>
  );
}
