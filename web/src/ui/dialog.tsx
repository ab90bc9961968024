import { useLingui } from "@lingui/react/macro";
import { X } from "lucide-react";
import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { IconButton } from "./icon-button";

interface Props {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** A native modal dialog: the browser traps and restores the focus, and handles Escape. */
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
    // Closed while still in the document, so that the browser can restore the focus.
    return () => {
      dialog?.close();
      // Not opened by a control (a dropped file, a shared address), or its opener is removed.
      const { activeElement } = document;
      if (activeElement === document.body || dialog?.contains(activeElement)) {
        const headings = [...document.querySelectorAll<HTMLElement>("h1[tabindex]")];
        headings.find((one) => one.checkVisibility?.())?.focus({ preventScroll: true });
      }
    };
  }, []);

  // In a layout effect: an earlier Escape would close it without `onClose`.
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
