import {
  type ComponentProps,
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { IconButton } from "./icon-button";

interface MenuProps {
  label: string;
  icon: ReactNode;
  /** Utility classes that position the menu. */
  place: string;
  children: (close: (giveBack?: boolean) => void) => ReactNode;
  className?: string;
}

/** A menu button (ARIA pattern); our own, because it must run under Trusted Types. */
export function Menu({ label, icon, place, children, className }: MenuProps) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();

  const close = (giveBack = true) => {
    setOpen(false);
    if (giveBack) button.current?.focus();
  };

  return (
    <>
      <IconButton
        ref={button}
        label={label}
        icon={icon}
        className={className}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => (open ? close() : setOpen(true))}
      />
      {open && (
        <MenuList id={id} label={label} className={place} opener={button.current} onClose={close}>
          {children(close)}
        </MenuList>
      )}
    </>
  );
}

interface ListProps {
  id?: string;
  label: string;
  className?: string;
  style?: CSSProperties;
  /** A click on it closes the menu by its own handler. */
  opener: Element | null;
  onClose: (giveBack?: boolean) => void;
  children: ReactNode;
}

/** An open menu: focuses the first entry; arrows move, Escape and a click elsewhere close. */
export function MenuList({
  id,
  label,
  className = "",
  style,
  opener,
  onClose,
  children,
}: ListProps) {
  const menu = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;

  // In a layout effect: its keys are handled where the focus is.
  useLayoutEffect(() => {
    itemsOf(menu.current)[0]?.focus({ preventScroll: true });
    const onPointer = (event: PointerEvent) => {
      const target = event.target as Node;
      if (!menu.current?.contains(target) && !opener?.contains(target)) close.current(false);
    };
    document.addEventListener("pointerdown", onPointer);
    return () => document.removeEventListener("pointerdown", onPointer);
  }, [opener]);

  const onKeyDown = (event: KeyboardEvent) => {
    const items = itemsOf(menu.current);
    const at = items.indexOf(document.activeElement as HTMLElement);
    const go = (to: number) => {
      event.preventDefault();
      items[(to + items.length) % items.length]?.focus();
    };
    if (event.key === "ArrowDown") go(at + 1);
    else if (event.key === "ArrowUp") go(at - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(items.length - 1);
    else if (event.key === "Tab") onClose(false);
    else if (event.key === "Escape") {
      event.preventDefault();
      onClose();
    }
  };

  return (
    <div
      ref={menu}
      id={id}
      role="menu"
      tabIndex={-1}
      aria-label={label}
      className={`menu ${className}`}
      style={style}
      onKeyDown={onKeyDown}
    >
      {children}
    </div>
  );
}

/** The items that the arrow keys reach: some are shown on phones alone. */
function itemsOf(menu: HTMLElement | null): HTMLElement[] {
  const all = menu?.querySelectorAll<HTMLElement>("[role^=menuitem]:not([aria-disabled=true])");
  return [...(all ?? [])].filter((item) => item.checkVisibility?.() !== false);
}

export function MenuItem({
  icon,
  children,
  ...rest
}: ComponentProps<"button"> & { icon?: ReactNode }) {
  return (
    <button type="button" role="menuitem" tabIndex={-1} {...rest}>
      {icon}
      {children}
    </button>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  options: readonly { value: T; label: string; icon?: ReactNode; lang?: string }[];
  onChoose: (value: T) => void;
}

export function MenuChoice<T extends string>({ label, value, options, onChoose }: ChoiceProps<T>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is not allowed inside a menu
    <div role="group" aria-label={label}>
      <span aria-hidden="true">{label}</span>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="menuitemradio"
          aria-checked={option.value === value}
          tabIndex={-1}
          lang={option.lang}
          onClick={() => onChoose(option.value)}
        >
          {option.icon}
          {option.label}
          {option.value === value && (
            <span className="ms-auto text-ink" aria-hidden="true">
              ✓
            </span>
          )}
        </button>
      ))}
    </div>
  );
}
