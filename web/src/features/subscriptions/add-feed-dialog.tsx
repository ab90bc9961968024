import { Trans, useLingui } from "@lingui/react/macro";
import { LoaderCircle } from "lucide-react";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { useFeeds } from "@/data/feeds";
import { readerPath } from "@/data/routes";
import { useTree } from "@/data/tree";
import type { FeedId } from "@/data/types";
import { go } from "@/data/use-route";
import { Dialog } from "@/ui/dialog";
import { AddressField } from "./address-field";
import { addressIn, bestOffer, useDiscovery, webAddress } from "./discovery";
import { defaultOptions, FeedOptions } from "./feed-options";
import { Offers } from "./offers";
import { OtherWays } from "./other-ways";
import { Full, Refusal } from "./refusal";
import { SavePage } from "./save-page";
import { useSubscribe } from "./use-subscribe";
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
  const { data } = useFeeds();
  const tree = useTree();
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const { search, look, stop } = useDiscovery();
  const [typed, setTyped] = useState(given);
  const [isMissing, setMissing] = useState(false);
  const [options, setOptions] = useState(() => defaultOptions(tree.data?.folders ?? []));
  const [picked, setPicked] = useState<string | null>(null);
  const finish = (feed: FeedId) => {
    onClose();
    onAdded(feed);
  };
  const { isSending, refused, subscribe, forgetRefusal } = useSubscribe(finish, () =>
    field.current?.focus(),
  );

  const address = addressIn(typed);
  const found = search.state === "found" && search.url === address ? search.offers : [];
  const chosen = found.find((one) => one.url === picked) ?? bestOffer(found);
  const cap = data?.limits.feeds;
  const isFull = cap !== undefined && (data?.feeds.length ?? 0) >= cap;
  const isBusy = isSending || search.state === "looking";

  const begin = (text: string) => {
    const url = addressIn(text);
    setTyped(text);
    forgetRefusal();
    setPicked(null);
    setMissing(url === "");
    if (url === "") field.current?.focus();
    else void look(url);
  };

  const take = () => {
    if (!chosen) return;
    if (chosen.isSubscribed && chosen.feedId !== null) finish(chosen.feedId);
    else void subscribe({ url: chosen.url, ...options });
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    if (chosen) take();
    else begin(typed);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: a shared address is searched once
  useEffect(() => {
    if (given.trim() !== "") begin(given);
  }, []);
  useEffect(() => {
    if (search.state === "failed") field.current?.focus();
  }, [search.state]);

  // Not only feeds are of interest: any page can be kept.
  const page = webAddress(address);
  const failure = refused ?? (search.state === "failed" ? search.error : null);
  return (
    <Dialog title={t`Add a feed`} onClose={onClose}>
      <form onSubmit={submit} noValidate className="adding">
        <AddressField
          ref={field}
          id={id}
          value={typed}
          isMissing={isMissing}
          isWrong={isMissing || failure?.category === "validation"}
          stateId={`${id}-state`}
          onType={(text) => {
            setTyped(text);
            setMissing(false);
            forgetRefusal();
            if (search.state !== "idle") stop();
          }}
          onPasted={begin}
        />
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
            onRetry={() => (refused ? take() : begin(typed))}
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
          {page && <SavePage key={page} url={page} isBusy={isSending} onSaved={onClose} />}
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
