import type { ApiError } from "@/data/api-error";
import { fieldTexts } from "@/i18n/problem-text";
import { ErrorNote } from "@/ui/error-note";

/** An error, and which fields the server means. */
export function Refusal({ error, onRetry }: { error: ApiError; onRetry?: () => void }) {
  return (
    <>
      <ErrorNote error={error} {...(onRetry ? { onRetry } : {})} />
      {[...fieldTexts(error)].map(([field, text]) => (
        <p key={field} className="wrong">
          <code>{field}</code>: {text}
        </p>
      ))}
    </>
  );
}
