import { Trans } from "@lingui/react/macro";
import { ExternalLink, LoaderCircle } from "lucide-react";
import { hostOf } from "@/data/feeds";
import { ErrorNote } from "@/ui/error-note";
import { Note } from "@/ui/note";
import type { FullTextView } from "./use-full-text";

interface Props {
  text: FullTextView;
  link: string;
  lang: string;
  onBack: () => void;
}

/** Above the full text: its source, or why it is missing, and the way back to the text of the feed. */
export function FullTextBar({ text, link, lang, onBack }: Props) {
  const { isWanted, page, isLoading, error, retry } = text;
  if (!isWanted) return null;
  const back = (
    <button type="button" className="btn" onClick={onBack}>
      <Trans>Back to feed text</Trans>
    </button>
  );
  return (
    <div className="full-text" lang={lang} aria-live="polite">
      {isLoading && (
        <p>
          <LoaderCircle size={16} className="spin" />
          <Trans>Loading the full article from {hostOf(link)}…</Trans>
        </p>
      )}
      {page?.state === "ok" && (
        <p>
          <span>
            <Trans>Full article from {page.siteName || hostOf(page.url)}</Trans>
          </span>
          {back}
        </p>
      )}
      {page && page.state !== "ok" && (
        <Note kind="warn">
          {page.message}
          <span className="mt-2 flex flex-wrap gap-2">
            <a className="btn" href={link} target="_blank" rel="noopener noreferrer">
              <ExternalLink size={16} />
              <Trans>Open original</Trans>
            </a>
            {back}
          </span>
        </Note>
      )}
      {error && <ErrorNote error={error} onRetry={retry} />}
    </div>
  );
}
