import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { LoaderCircle } from "lucide-react";
import { type FormEvent, useId, useRef, useState } from "react";
import { type ApiError, toApiError } from "@/data/api-error";
import { addFeed } from "@/data/feed-add";
import { feedTitle, useFeeds } from "@/data/feeds";
import { readerPath } from "@/data/routes";
import { go } from "@/data/use-route";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { showToast } from "@/ui/toasts";
import { candidatesOf, normalUrl, triedOf } from "./discovery";

interface Props {
  onClose: () => void;
  onImport: () => void;
}

export function AddFeedDialog({ onClose, onImport }: Props) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { data } = useFeeds();
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const [folder, setFolder] = useState("");
  const [busy, setBusy] = useState<string | null>(null);
  const [missing, setMissing] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const folders = [...new Set(data?.feeds.map((feed) => feed.folder).filter(Boolean))].sort();

  const subscribe = async (url: string) => {
    if (busy) return;
    setBusy(url);
    setError(null);
    const known = new Set(data?.feeds.map((feed) => feed.id));
    try {
      const feed = await addFeed(client, url, folder.trim());
      const name = feedTitle(feed);
      showToast(
        known.has(feed.id) ? t`You are already subscribed to ${name}.` : t`Subscribed to ${name}.`,
      );
      onClose();
      go(readerPath({ kind: "feed", id: feed.id }));
    } catch (cause) {
      setError(toApiError(cause));
      setBusy(null);
      field.current?.focus();
    }
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const url = normalUrl(field.current?.value ?? "");
    setMissing(url === "");
    if (url === "") field.current?.focus();
    else void subscribe(url);
  };

  const candidates = candidatesOf(error);
  const tried = triedOf(error);

  return (
    <Dialog title={t`Add a feed`} onClose={onClose}>
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
        <div className="field">
          <label htmlFor={id}>
            <Trans>Address of a feed or of a site</Trans>
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
            placeholder="https://example.jp/"
            aria-invalid={missing || error?.category === "validation" || undefined}
            aria-describedby={missing ? `${id}-missing` : undefined}
          />
          {missing && (
            <p id={`${id}-missing`} className="mt-1 text-err">
              <Trans>Enter an address.</Trans>
            </p>
          )}
        </div>
        <div className="field">
          <label htmlFor={`${id}-folder`}>
            <Trans>Folder (optional)</Trans>
          </label>
          <input
            id={`${id}-folder`}
            list={`${id}-folders`}
            maxLength={200}
            autoComplete="off"
            value={folder}
            onChange={(event) => setFolder(event.target.value)}
          />
          <datalist id={`${id}-folders`}>
            {folders.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </div>
        <div aria-live="polite" className="empty:hidden">
          {busy && (
            <p className="flex items-center gap-2 text-ink2">
              <LoaderCircle className="spin" size={18} aria-hidden="true" />
              <span className="min-w-0 break-all">
                <Trans>Looking for a feed at {busy}</Trans>
              </span>
            </p>
          )}
        </div>
        {error && <ErrorNote error={error} />}
        {candidates.length > 0 && (
          <fieldset>
            <legend className="mb-2 font-semibold">
              <Trans>These feeds were named there</Trans>
            </legend>
            <ul className="flex flex-col gap-2">
              {candidates.map((one) => (
                <li key={one.url} className="flex items-center gap-3">
                  <span className="min-w-0 flex-1">
                    <span className="block truncate">{one.title || one.url}</span>
                    <span className="block truncate text-xs text-ink3">{one.url}</span>
                  </span>
                  <button type="button" className="btn" onClick={() => void subscribe(one.url)}>
                    <Trans>Subscribe</Trans>
                  </button>
                </li>
              ))}
            </ul>
          </fieldset>
        )}
        {tried.length > 0 && (
          <details className="text-ink2">
            <summary>
              <Trans>What was tried</Trans>
            </summary>
            <ul className="mt-1 list-disc ps-5 text-xs break-all">
              {tried.map((url) => (
                <li key={url}>{url}</li>
              ))}
            </ul>
          </details>
        )}
        <div className="flex flex-wrap items-center justify-end gap-2">
          <button type="button" className="btn me-auto" onClick={onImport}>
            <Trans>Import OPML</Trans>
          </button>
          <button type="button" className="btn" onClick={onClose}>
            <Trans>Cancel</Trans>
          </button>
          <button type="submit" className="btn btn-main" aria-disabled={busy !== null}>
            <Trans>Subscribe</Trans>
          </button>
        </div>
      </form>
    </Dialog>
  );
}
