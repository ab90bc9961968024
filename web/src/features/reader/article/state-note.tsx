import { Trans, useLingui } from "@lingui/react/macro";
import { ExternalLink, TextSelect } from "lucide-react";
import type { Item } from "@/data/types";
import { textLang } from "@/i18n/text-lang";
import { Note } from "@/ui/note";
import { isBeginning } from "./beginning";
import { isSharable } from "./share";

interface Props {
  item: Item;
  /** The page has been asked for already; what came of it stands above the text. */
  isAsked: boolean;
  onRetry: () => void;
  onFullText: () => void;
}

/** When the body is not the whole text, why, and where the whole text is. */
export function StateNote({ item, isAsked, onRetry, onFullText }: Props) {
  const { i18n } = useLingui();
  const { contentState, contentHtml, snippet } = item;
  if (contentState === "full" && contentHtml) {
    if (isAsked || !isSharable(item.link) || !isBeginning(item)) return null;
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
        {isBare && <Trans>This item came without a text. Read it at the original.</Trans>}
        {contentState === "summary" && !isBare && (
          <Trans>This feed sends only a summary. The whole text is at the original.</Trans>
        )}
        {contentState === "notKept" && (
          <Trans>
            The text of this item is no longer kept here. The original may still have it.
          </Trans>
        )}
        {contentState === "failed" && <Trans>The text could not be read out of the feed.</Trans>}
        <span className="mt-2 flex flex-wrap gap-2">
          {item.link && (
            <>
              {!isAsked && isSharable(item.link) && <FullTextButton onClick={onFullText} />}
              <a className="btn" href={item.link} target="_blank" rel="noopener noreferrer">
                <ExternalLink size={16} aria-hidden="true" />
                <Trans>Open the original</Trans>
              </a>
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
      <TextSelect size={16} aria-hidden="true" />
      <Trans>Read the whole text here</Trans>
    </button>
  );
}
