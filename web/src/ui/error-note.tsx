import { Trans, useLingui } from "@lingui/react/macro";
import { type ComponentType, lazy, Suspense } from "react";
import { type ApiError, toApiError } from "@/data/api-error";
import { errorText } from "@/i18n/error-words";
import { Note } from "./note";

type Help = { error: ApiError; onRetry?: () => void };
const nothing: ComponentType<Help> = () => null;

// Where it cannot be had, the words above it are enough; what never reached the server has no more to say.
const ErrorHelp = lazy(() =>
  import("./error-help").then(
    (m): { default: ComponentType<Help> } => ({ default: m.ErrorHelp }),
    () => ({ default: nothing }),
  ),
);

/** No fault of anybody's: it passes, or was to be expected. */
const mild = new Set(["not_saved", "not_searched", "not_signed_in", "rate_limited"]);

interface Props {
  error: unknown;
  onRetry?: () => void;
}

/** Says what went wrong and what helps; what there is to do about it comes below. */
export function ErrorNote({ error, onRetry }: Props) {
  const { i18n } = useLingui();
  const known = toApiError(error);
  const { says, remedy } = errorText(known, i18n);
  // Then it says by itself when it is tried again.
  const isCounted = known.retryAfter !== null && onRetry !== undefined;
  return (
    <Note kind={mild.has(known.code) ? "warn" : "err"} live>
      <strong>{says}</strong> {!isCounted && remedy}
      {known.status > 0 && (
        <Suspense fallback={null}>
          <ErrorHelp error={known} {...(onRetry ? { onRetry } : {})} />
        </Suspense>
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
