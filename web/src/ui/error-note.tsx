import { Trans, useLingui } from "@lingui/react/macro";
import { toApiError } from "@/data/api-error";
import { errorText } from "@/i18n/error-words";
import { Note } from "./note";

interface Props {
  error: unknown;
  onRetry?: () => void;
}

/** Says what went wrong, what helps, and keeps the code at hand for a report. */
export function ErrorNote({ error, onRetry }: Props) {
  const { i18n } = useLingui();
  const known = toApiError(error);
  const { says, remedy } = errorText(known, i18n);
  return (
    <Note kind="err" live>
      <strong>{says}</strong> {remedy}
      {known.category === "system" && (
        <span className="block text-xs">
          <Trans>Code</Trans> {known.code}
          {known.requestId && ` · ${known.requestId}`}
        </span>
      )}
      {onRetry && (
        <div className="mt-2">
          <button type="button" className="btn" onClick={onRetry}>
            <Trans>Try again</Trans>
          </button>
        </div>
      )}
    </Note>
  );
}
