import { Trans, useLingui } from "@lingui/react/macro";
import { ExternalLink, TextSelect } from "lucide-react";
import type { Item } from "@/data/types";
import { textLang } from "@/i18n/text-lang";
import { Note } from "@/ui/note";
import { OriginalLink } from "../original-link";
import { isExcerpt } from "./excerpt";
import { isSharable } from "./share";

interface Props {
  item: Item;
  /** The full text has been requested already; the result is shown above. */
  isRequested: boolean;
  onRetry: () => void;
  onFullText: () => void;
}

/** Explains an incomplete text, and offers the full one. */
export function StateNote({ item, isRequested, onRetry, onFullText }: Props) {
  const { i18n } = useLingui();
  const { contentState, contentHtml, snippet } = item;
  if (contentState === "full" && contentHtml) {
    if (isRequested || !isSharable(item.link) || !isExcerpt(item)) return null;
    return (
      <p className="state-note" lang={i18n.locale}>
        <FullTextButton onClick={onFullText} />
      </p>
    );
  }
  const isBare = contentState === "full" || (contentState === "summary" && !snippet);
  return (
    <div className="state-note" lang={i18n.locale}>
      {!contentHtml && snippet && (
        <p className="prose" dir="auto" lang={textLang(item.lang, snippet, i18n.locale)}>
          {snippet}
        </p>
      )}
      <Note kind="warn">
        {isBare && <Trans>This article has no text. Read it on the original site.</Trans>}
        {contentState === "summary" && !isBare && (
          <Trans>
            This feed only provides a summary. The full article is on the original site.
          </Trans>
        )}
        {contentState === "notKept" && (
          <Trans>
            The text of this article is no longer stored. It may still be available on the original
            site.
          </Trans>
        )}
        {contentState === "failed" && <Trans>The text could not be read from the feed.</Trans>}
        <span className="mt-2 flex flex-wrap gap-2">
          {item.link && (
            <>
              {!isRequested && isSharable(item.link) && <FullTextButton onClick={onFullText} />}
              <OriginalLink item={item} className="btn">
                <ExternalLink size={16} />
                <Trans>Open original</Trans>
              </OriginalLink>
            </>
          )}
          {contentState === "failed" && (
            <button type="button" className="btn" onClick={onRetry}>
              <Trans>Try again</Trans>
            </button>
          )}
        </span>
      </Note>
    </div>
  );
}

function FullTextButton({ onClick }: { onClick: () => void }) {
  return (
    <button type="button" className="btn" onClick={onClick}>
      <TextSelect size={16} />
      <Trans>Load full article</Trans>
    </button>
  );
}
