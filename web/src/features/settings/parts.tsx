import { Trans } from "@lingui/react/macro";
import type { UseQueryResult } from "@tanstack/react-query";
import { Copy } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { toApiError } from "@/data/api-error";
import { ErrorNote } from "@/ui/error-note";
import { Note } from "@/ui/note";
import { useDelayed } from "@/ui/use-delayed";
import { useCopy } from "./use-copy";

interface CardProps {
  title: string;
  hint?: ReactNode;
  children: ReactNode;
}

export function Card({ title, hint, children }: CardProps) {
  const id = useId();
  return (
    <section className="card" aria-labelledby={id}>
      <h2 id={id} tabIndex={-1}>
        {title}
      </h2>
      {hint && <p>{hint}</p>}
      {children}
    </section>
  );
}

interface AskedProps<T> {
  query: UseQueryResult<T>;
  children: (data: T) => ReactNode;
}

/** What the server has to say first: its place is kept, and a failure can be tried again. */
export function Asked<T>({ query, children }: AskedProps<T>) {
  const isSlow = useDelayed(query.isPending);
  if (query.data !== undefined) return children(query.data);
  if (query.isError && toApiError(query.error).status !== 401) {
    return <ErrorNote error={query.error} onRetry={() => void query.refetch()} />;
  }
  return (
    <>
      <span className="sr-only" role="status">
        {isSlow && <Trans>Loading…</Trans>}
      </span>
      <div className="skeleton my-3 h-10" aria-hidden="true" />
    </>
  );
}

interface ListedProps {
  name: ReactNode;
  /** What there is to say about it; what is empty is left out. */
  facts: readonly (string | null | undefined | false)[];
  /** Further lines. */
  more?: ReactNode;
  /** Its buttons. */
  children?: ReactNode;
}

/** A row of a list. */
export function Listed({ name, facts, more, children }: ListedProps) {
  return (
    <li className="setting">
      <div className="text">
        <span className="name">{name}</span>
        <p className="hint">{facts.filter(Boolean).join(" · ")}</p>
        {more}
      </div>
      {children}
    </li>
  );
}

/** The name of a device, marked if it is the one that shows it. */
export function DeviceName({ name, isThis }: { name: string; isThis: boolean }) {
  return (
    <>
      {name}{" "}
      {isThis && (
        <em>
          <Trans>this device</Trans>
        </em>
      )}
    </>
  );
}

interface RowButtonProps {
  label: string;
  /** The name of the row, for those who hear the button alone. */
  of: string;
  onPress: (button: Element) => void;
}

export function RowButton({ label, of, onPress }: RowButtonProps) {
  return (
    <button
      type="button"
      className="btn"
      aria-label={`${label}: ${of}`}
      onClick={(event) => onPress(event.currentTarget)}
    >
      {label}
    </button>
  );
}

/** Moves the focus from a row that is removed to the next one, else the previous one, else the heading. */
export function leaveRow(inside: Element): void {
  const row = inside.closest("li");
  const near = row?.nextElementSibling ?? row?.previousElementSibling;
  const next =
    near?.querySelector<HTMLElement>("button") ??
    row?.closest(".card")?.querySelector<HTMLElement>("h2");
  requestAnimationFrame(() => next?.focus());
}

interface SecretProps {
  label: string;
  value: string;
  onDone: () => void;
}

/** A secret that is shown once, to be copied. */
export function Secret({ label, value, onDone }: SecretProps) {
  const copy = useCopy();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  return (
    <div className="secret">
      <Note kind="warn" live>
        <Trans>Copy it now. It will not be shown again.</Trans>
      </Note>
      <div className="field">
        <label htmlFor={id}>{label}</label>
        <input ref={field} id={id} readOnly value={value} spellCheck={false} autoComplete="off" />
      </div>
      <div className="acts">
        <button
          type="button"
          className="btn btn-main"
          onClick={() => void copy(value, field.current)}
        >
          <Copy size={16} />
          <Trans>Copy</Trans>
        </button>
        <button type="button" className="btn" onClick={onDone}>
          <Trans>Done</Trans>
        </button>
      </div>
    </div>
  );
}
