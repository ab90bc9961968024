import { Plural, Trans } from "@lingui/react/macro";
import { ExternalLink, Tags } from "lucide-react";
import { useEffect, useId, useState } from "react";
import type { ApiError } from "@/data/api-error";
import { newWatchPath } from "@/data/watch-path";
import { ErrorNote } from "@/ui/error-note";
import { Link } from "@/ui/link";
import { Note } from "@/ui/note";
import { webAddress } from "./discovery";

interface Props {
  error: ApiError;
  /** The address that was searched. */
  url: string;
  /** The limit of subscriptions. */
  cap: number | undefined;
  onRetry: () => void;
  onLook: (url: string) => void;
  /** Closes the dialog before a link is followed. */
  onLeave: () => void;
}

/** Why no feed was found, and what can be done. */
export function Refusal({ error, url, cap, onRetry, onLook, onLeave }: Props) {
  const id = useId();
  if (error.code === "subscription_limit") return <Full cap={cap} onLeave={onLeave} />;
  if (error.retryAfter !== null) {
    return <Wait key={url} seconds={error.retryAfter} onOver={onRetry} />;
  }
  const { candidates = [], tried = [], watchUrl } = error.problem;
  const site = error.category === "feed" && error.code !== "blocked_address" && webAddress(url);
  const mayPass = error.category === "feed" || error.category === "system" || error.status === 0;
  return (
    <div className="flex flex-col gap-3">
      <ErrorNote error={error} />
      {(mayPass || site) && (
        <div className="flex flex-wrap gap-2">
          {watchUrl && (
            <Link className="btn btn-main" href={newWatchPath(watchUrl)} onClick={onLeave}>
              <Tags size={16} />
              <Trans>Watch this page</Trans>
            </Link>
          )}
          {mayPass && (
            <button type="button" className="btn" onClick={onRetry}>
              <Trans>Try again</Trans>
            </button>
          )}
          {site && (
            <a className="btn" href={site} target="_blank" rel="noopener noreferrer">
              <ExternalLink size={16} />
              <Trans>Open address</Trans>
            </a>
          )}
        </div>
      )}
      {candidates.length > 0 && (
        <fieldset>
          <legend className="mb-2 font-semibold">
            <Trans>Feeds listed on the page</Trans>
          </legend>
          <ul className="flex flex-col gap-2">
            {candidates.map((one, index) => (
              <li key={one.url} className="flex items-center gap-3">
                <span id={`${id}-${index}`} className="min-w-0 flex-1">
                  <span className="block truncate">{one.title || one.url}</span>
                  <span className="block truncate text-xs text-ink3">{one.url}</span>
                </span>
                <button
                  type="button"
                  className="btn"
                  aria-describedby={`${id}-${index}`}
                  onClick={() => onLook(one.url)}
                >
                  <Trans>Search there</Trans>
                </button>
              </li>
            ))}
          </ul>
        </fieldset>
      )}
      {tried.length > 0 && (
        <details className="text-ink2">
          <summary>
            <Trans>Addresses tried</Trans>
          </summary>
          <ul className="mt-1 list-disc ps-5 text-xs break-all">
            {tried.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** The limit of subscriptions is reached. */
export function Full({ cap, onLeave }: { cap: number | undefined; onLeave: () => void }) {
  return (
    <Note kind="warn" live>
      <strong>
        {cap === undefined ? (
          <Trans>You have as many subscriptions as your account allows.</Trans>
        ) : (
          <Plural
            value={cap}
            one="You have reached your limit of # subscription."
            other="You have reached your limit of # subscriptions."
          />
        )}
      </strong>
      <Trans>Unsubscribe from a feed to make room.</Trans>
      <Link href="/subscriptions" className="btn mt-2" onClick={onLeave}>
        <Trans>View subscriptions</Trans>
      </Link>
    </Note>
  );
}

/** Too many requests: retries when the server allows it. */
function Wait({ seconds, onOver }: { seconds: number; onOver: () => void }) {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    if (left <= 0) {
      onOver();
      return;
    }
    const timer = setTimeout(() => setLeft(left - 1), 1000);
    return () => clearTimeout(timer);
  }, [left, onOver]);
  return (
    <Note kind="warn">
      <strong>
        <Trans>Too many requests.</Trans>
      </strong>
      <Plural value={left} one="Continuing in # second…" other="Continuing in # seconds…" />
    </Note>
  );
}
