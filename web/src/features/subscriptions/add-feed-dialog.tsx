import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { LoaderCircle } from "lucide-react";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { type ApiError, toApiError } from "@/data/api-error";
import { feedTitle, useFeeds } from "@/data/feeds";
import { addFeed } from "@/data/mutations/feed-add";
import { removeFeed } from "@/data/mutations/feed-remove";
import { readerPath } from "@/data/routes";
import { useTree } from "@/data/tree";
import type { FeedId } from "@/data/types";
import { go } from "@/data/use-route";
import { Dialog } from "@/ui/dialog";
import { showToast, showUndo } from "@/ui/toasts";
import { addressIn, bestOffer, useDiscovery } from "./discovery";
import { defaultOptions, FeedOptions } from "./feed-options";
import { Offers } from "./offers";
import { OtherWays } from "./other-ways";
import { Full, Refusal } from "./refusal";
import "./adding.css";

interface Props {
  /** From a share or a bookmarklet: searched as soon as the dialog opens. */
  url?: string;
  onClose: () => void;
  onImport: () => void;
  /** Called with the new feed; by default opens its list. */
  onAdded?: (id: FeedId) => void;
}

const openFeed = (id: FeedId) => go(readerPath({ kind: "feed", id }));

/** Finds the feeds of an address and subscribes to the chosen one. */
export function AddFeedDialog({ url: given = "", onClose, onImport, onAdded = openFeed }: Props) {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const { data } = useFeeds();
  const tree = useTree();
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const { search, look, stop } = useDiscovery();
  const [typed, setTyped] = useState(given);
  const [isMissing, setMissing] = useState(false);
  const [options, setOptions] = useState(() => defaultOptions(tree.data?.folders ?? []));
  const [picked, setPicked] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const [refused, setRefused] = useState<ApiError | null>(null);

  const address = addressIn(typed);
  const found = search.state === "found" && search.url === address ? search.offers : [];
  const chosen = found.find((one) => one.url === picked) ?? bestOffer(found);
  const cap = data?.limits.feeds;
  const isFull = cap !== undefined && (data?.feeds.length ?? 0) >= cap;
  const isBusy = isSending || search.state === "looking";

  const begin = (text: string) => {
    const url = addressIn(text);
    setTyped(text);
    setRefused(null);
    setPicked(null);
    setMissing(url === "");
    if (url === "") field.current?.focus();
    else void look(url);
  };

  const subscribe = async () => {
    if (!chosen) return;
    if (chosen.isSubscribed && chosen.feedId !== null) {
      onClose();
      onAdded(chosen.feedId);
      return;
    }
    setSending(true);
    setRefused(null);
    try {
      const known = new Set(data?.feeds.map((feed) => feed.id));
      const feed = await addFeed(client, chosen.url, {
        folder: options.folder.trim(),
        intervalMinutes: options.intervalMinutes,
      });
      const name = feedTitle(feed);
      onClose();
      onAdded(feed.id);
      if (known.has(feed.id)) showToast(t`You are already subscribed to ${name}.`);
      else {
        showUndo(t`Subscribed to ${name}`, () => {
          void removeFeed(client, feed.id).then(
            () => location.pathname.startsWith(`/feed/${feed.id}`) && go("/all"),
            () => showToast(t`Could not undo this.`),
          );
        });
      }
    } catch (cause) {
      setRefused(toApiError(cause));
      setSending(false);
      field.current?.focus();
    }
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    if (chosen) void subscribe();
    else begin(typed);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: a shared address is searched once
  useEffect(() => {
    if (given.trim() !== "") begin(given);
  }, []);
  useEffect(() => {
    if (search.state === "failed") field.current?.focus();
  }, [search.state]);

  const failure = refused ?? (search.state === "failed" ? search.error : null);
  const isWrong = isMissing || failure?.category === "validation";
  return (
    <Dialog title={t`Add a feed`} onClose={onClose}>
      <form onSubmit={submit} noValidate className="adding">
        <div className="field">
          <label htmlFor={id}>
            <Trans>Feed or website address</Trans>
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
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value);
              setMissing(false);
              setRefused(null);
              if (search.state !== "idle") stop();
            }}
            onPaste={(event) => {
              // Searches at once, unless the address was pasted into other text.
              const text = event.clipboardData.getData("text");
              const { selectionStart, selectionEnd, value } = event.currentTarget;
              const isAll = selectionStart === 0 && selectionEnd === value.length;
              if (!isAll || addressIn(text) === "") return;
              event.preventDefault();
              begin(text.trim());
            }}
            aria-invalid={isWrong || undefined}
            aria-describedby={isMissing ? `${id}-missing` : `${id}-state`}
          />
          {isMissing && (
            <p id={`${id}-missing`} className="mt-1 text-err">
              <Trans>Enter an address.</Trans>
            </p>
          )}
        </div>
        <div
          id={`${id}-state`}
          role="status"
          className={search.state === "looking" ? "" : "sr-only"}
        >
          {search.state === "looking" && (
            <p className="flex items-center gap-2 text-ink2">
              <LoaderCircle className="spin" size={18} />
              <span className="min-w-0 break-all">
                <Trans>Looking for a feed at {search.url}</Trans>
              </span>
            </p>
          )}
          {found.length > 0 && (
            <Trans>
              Found:{" "}
              {new Intl.ListFormat(i18n.locale).format(found.map((one) => one.title || one.url))}
            </Trans>
          )}
        </div>
        {failure && (
          <Refusal
            error={failure}
            url={address}
            cap={cap}
            onRetry={() => (refused ? void subscribe() : begin(typed))}
            onLook={begin}
            onLeave={onClose}
          />
        )}
        {search.state === "idle" && !isFull && <OtherWays onClose={onClose} onImport={onImport} />}
        {isFull && !failure && <Full cap={cap} onLeave={onClose} />}
        {chosen && <Offers offers={found} chosen={chosen.url} onChoose={setPicked} />}
        {chosen && !chosen.isSubscribed && (
          <FeedOptions folders={tree.data?.folders ?? []} options={options} onChange={setOptions} />
        )}
        <div className="buttons">
          <button type="button" className="btn" onClick={onClose}>
            <Trans>Cancel</Trans>
          </button>
          <button type="submit" className="btn btn-main" aria-disabled={isBusy}>
            {isBusy && <LoaderCircle className="spin" size={16} />}
            {!chosen ? (
              <Trans>Find feeds</Trans>
            ) : chosen.isSubscribed ? (
              <Trans>Open feed</Trans>
            ) : (
              <Trans>Subscribe</Trans>
            )}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
