import { Trans, useLingui } from "@lingui/react/macro";
import { LoaderCircle } from "lucide-react";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import type { ApiError } from "@/data/api-error";
import { addressOf } from "@/data/feed-address";
import type { Feed } from "@/data/types";
import { problemText } from "@/i18n/problem-text";
import type { Deeds } from "./use-deeds";

interface Props {
  feed: Feed;
  deeds: Deeds;
  onDone: (feed: Feed) => void;
}

/** Gives a subscription another address. What the feed there says of itself is asked for before anything changes. */
export function AddressForm({ feed, deeds, onDone }: Props) {
  const { t, i18n } = useLingui();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | "empty" | null>(null);
  const candidates = error && error !== "empty" ? (error.problem.candidates ?? []) : [];

  // Lists have a private feed's address without its password; here is where it is changed.
  useEffect(() => {
    const shown = feed.proposedUrl ?? feed.url;
    addressOf(feed).then(
      (whole) => {
        if (field.current?.value === shown) field.current.value = whole.proposedUrl ?? whole.url;
      },
      () => undefined, // what is shown means the same to the server
    );
  }, [feed]);

  const take = async (url: string) => {
    if (busy) return;
    setBusy(true);
    setError(null);
    const { feed: there, error: failed } = await deeds.repoint(feed, url);
    setBusy(false);
    if (there) {
      onDone(there);
      return;
    }
    setError(failed);
    field.current?.focus();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const url = field.current?.value.trim() ?? "";
    if (url === "") {
      setError("empty");
      field.current?.focus();
    } else void take(url);
  };

  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-3">
      <div className="field">
        <label htmlFor={id}>
          <Trans>Address of the feed, or of the site that names it</Trans>
        </label>
        <input
          ref={field}
          id={id}
          data-first
          type="url"
          inputMode="url"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={2000}
          defaultValue={feed.proposedUrl ?? feed.url}
          aria-invalid={error !== null || undefined}
          aria-describedby={`${id}-wrong ${id}-hint`}
        />
        <p id={`${id}-wrong`} className="wrong empty:hidden" role="alert">
          {error === "empty" ? t`Enter an address.` : error && problemText(error, i18n)}
        </p>
        <p id={`${id}-hint`} className="hint mt-1">
          <Trans>What you have read, starred and set goes along.</Trans>
        </p>
      </div>
      {candidates.length > 0 && (
        <ul className="flex flex-col gap-2">
          {candidates.map((one) => (
            <li key={one.url} className="flex items-center gap-3">
              <span className="min-w-0 flex-1">
                <span className="block truncate">{one.title || one.url}</span>
                <span className="hint block truncate">{one.url}</span>
              </span>
              <button type="button" className="btn" onClick={() => void take(one.url)}>
                <Trans>Use this address</Trans>
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="flex items-center justify-end gap-3" aria-live="polite">
        {busy && (
          <span className="flex items-center gap-2 text-ink2">
            <LoaderCircle className="spin" size={18} aria-hidden="true" />
            <Trans>Reading the feed there…</Trans>
          </span>
        )}
        <button type="submit" className="btn btn-main" aria-disabled={busy}>
          <Trans>Change the address</Trans>
        </button>
      </div>
    </form>
  );
}
