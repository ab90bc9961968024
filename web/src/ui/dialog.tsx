import { useLingui } from "@lingui/react/macro";
import { X } from "lucide-react";
import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { IconButton } from "./icon-button";

interface Props {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** A native modal dialog: focus trap, Escape and the return of the focus are the browser's. */
export function Dialog({ title, onClose, children }: Props) {
  const { t } = useLingui();
  const ref = useRef<HTMLDialogElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  const id = useId();

  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // The field comes before the close button; the browser would take the first control.
    dialog?.querySelector<HTMLElement>("[data-first]")?.focus();
    // Closed while still in the document, else the browser cannot give the focus back.
    return () => {
      dialog?.close();
      // Nobody opened it (a file was dropped, an address shared), or the opener is gone.
      const { activeElement } = document;
      if (activeElement === document.body || dialog?.contains(activeElement)) {
        const headings = [...document.querySelectorAll<HTMLElement>("h1[tabindex]")];
        headings.find((one) => one.checkVisibility?.())?.focus({ preventScroll: true });
      }
    };
  }, []);

  // Before it is seen: an Escape that nobody hears would close it without whoever opened it.
  useLayoutEffect(() => {
    const dialog = ref.current;
    const onCancel = (event: Event) => {
      event.preventDefault();
      close.current();
    };
    const onPointer = (event: PointerEvent) => {
      if (event.target === dialog) close.current();
    };
    dialog?.addEventListener("cancel", onCancel);
    dialog?.addEventListener("pointerdown", onPointer);
    return () => {
      dialog?.removeEventListener("cancel", onCancel);
      dialog?.removeEventListener("pointerdown", onPointer);
    };
  }, []);

  return (
    <dialog ref={ref} className="sheet" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        <IconButton label={t`Close`} icon={<X />} onClick={onClose} />
      </header>
      <div className="body">{children}</div>
    </dialog>
  );
}
