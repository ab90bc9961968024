import { Trans, useLingui } from "@lingui/react/macro";
import { type ComponentType, lazy, Suspense } from "react";
import { type ApiError, toApiError } from "@/data/api-error";
import { errorText } from "@/i18n/error-text";
import { Note } from "./note";

type Help = { error: ApiError; onRetry?: () => void };
const nothing: ComponentType<Help> = () => null;

// Optional: without it the text above is enough.
const ErrorHelp = lazy(() =>
  import("./error-help").then(
    (m): { default: ComponentType<Help> } => ({ default: m.ErrorHelp }),
    () => ({ default: nothing }),
  ),
);

/** Expected or temporary: shown as warnings. */
const mild = new Set(["not_saved", "not_searched", "not_signed_in", "rate_limited"]);

interface Props {
  error: unknown;
  onRetry?: () => void;
}

/** An error: what went wrong, what helps, and actions. */
export function ErrorNote({ error, onRetry }: Props) {
  const { i18n } = useLingui();
  const known = toApiError(error);
  const { message, action } = errorText(known, i18n);
  // A countdown says when it is tried again.
  const isCounted = known.retryAfter !== null && onRetry !== undefined;
  return (
    <Note kind={mild.has(known.code) ? "warn" : "err"} live>
      <strong>{message}</strong> {!isCounted && action}
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
