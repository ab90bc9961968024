import { Trans, useLingui } from "@lingui/react/macro";
import { LoaderCircle } from "lucide-react";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import type { ApiError } from "@/data/api-error";
import { addressOf } from "@/data/feed-address";
import type { Feed } from "@/data/types";
import { problemText } from "@/i18n/problem-text";
import { AddressInput } from "@/ui/address-input";
import type { SubscriptionActions } from "./use-subscription-actions";

interface Props {
  feed: Feed;
  actions: SubscriptionActions;
  onDone: (feed: Feed) => void;
}

/** Changes the address of a subscription, after the server has read the feed there. */
export function AddressForm({ feed, actions, onDone }: Props) {
  const { t, i18n } = useLingui();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | "empty" | null>(null);
  const candidates = error && error !== "empty" ? (error.problem.candidates ?? []) : [];

  // Lists have the address of a private feed without its password; here it can be changed.
  useEffect(() => {
    const shown = feed.proposedUrl ?? feed.url;
    addressOf(feed).then(
      (full) => {
        if (field.current?.value === shown) field.current.value = full.proposedUrl ?? full.url;
      },
      () => undefined, // the server accepts the shown address too
    );
  }, [feed]);

  const submitUrl = async (url: string) => {
    if (busy) return;
    setBusy(true);
    setError(null);
    const { feed: there, error: failed } = await actions.changeAddress(feed, url);
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
    } else void submitUrl(url);
  };

  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-3">
      <div className="field">
        <label htmlFor={id}>
          <Trans>Feed or website address</Trans>
        </label>
        <AddressInput
          ref={field}
          id={id}
          data-first
          defaultValue={feed.proposedUrl ?? feed.url}
          aria-invalid={error !== null || undefined}
          aria-describedby={`${id}-wrong ${id}-hint`}
        />
        <p id={`${id}-wrong`} className="wrong empty:hidden" role="alert">
          {error === "empty" ? t`Enter an address.` : error && problemText(error, i18n)}
        </p>
        <p id={`${id}-hint`} className="hint mt-1">
          <Trans>Read articles, stars and settings are kept.</Trans>
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
              <button type="button" className="btn" onClick={() => void submitUrl(one.url)}>
                <Trans>Use this address</Trans>
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="flex items-center justify-end gap-3" aria-live="polite">
        {busy && (
          <span className="flex items-center gap-2 text-ink2">
            <LoaderCircle className="spin" size={18} />
            <Trans>Checking the feed…</Trans>
          </span>
        )}
        <button type="submit" className="btn btn-main" aria-disabled={busy}>
          <Trans>Change address</Trans>
        </button>
      </div>
    </form>
  );
}
