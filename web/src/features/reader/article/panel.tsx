import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { IconButton } from "@/ui/icon-button";

interface Props {
  label: string;
  icon: ReactNode;
  children: ReactNode;
}

/** A button that opens a panel of controls over the page. */
export function Panel({ label, icon, children }: Props) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const id = useId();

  useEffect(() => {
    if (!open) return;
    panel.current?.querySelector("button")?.focus();
    const onPointer = (event: PointerEvent) => {
      const target = event.target as Node;
      if (!panel.current?.contains(target) && !button.current?.contains(target)) setOpen(false);
    };
    document.addEventListener("pointerdown", onPointer);
    return () => document.removeEventListener("pointerdown", onPointer);
  }, [open]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    setOpen(false);
    button.current?.focus();
  };

  return (
    <>
      <IconButton
        ref={button}
        label={label}
        icon={icon}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      />
      {open && (
        <div
          ref={panel}
          id={id}
          role="dialog"
          tabIndex={-1}
          aria-label={label}
          className="menu panel"
          onKeyDown={onKeyDown}
          onBlur={(event) => {
            // Tab leaves the panel after the last control, which closes it.
            const to = event.relatedTarget;
            if (to && !event.currentTarget.contains(to) && to !== button.current) setOpen(false);
          }}
        >
          {children}
        </div>
      )}
    </>
  );
}
