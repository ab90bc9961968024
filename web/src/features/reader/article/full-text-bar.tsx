import { Trans } from "@lingui/react/macro";
import { ExternalLink, LoaderCircle } from "lucide-react";
import { hostOf } from "@/data/feeds";
import type { ItemSummary } from "@/data/types";
import { ErrorNote } from "@/ui/error-note";
import { Note } from "@/ui/note";
import { OriginalLink } from "../original-link";
import type { FullTextView } from "./use-full-text";

interface Props {
  text: FullTextView;
  item: Pick<ItemSummary, "id" | "link">;
  lang: string;
  onBack: () => void;
}

/** Above the full text: its source, or why it is missing, and the way back to the text of the feed. */
export function FullTextBar({ text, item, lang, onBack }: Props) {
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
          <Trans>Loading the full article from {hostOf(item.link)}…</Trans>
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
            <OriginalLink item={item} className="btn">
              <ExternalLink size={16} />
              <Trans>Open original</Trans>
            </OriginalLink>
            {back}
          </span>
        </Note>
      )}
      {error && <ErrorNote error={error} onRetry={retry} />}
    </div>
  );
}
