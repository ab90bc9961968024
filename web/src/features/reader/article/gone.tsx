import { Trans } from "@lingui/react/macro";
import type { RefObject } from "react";
import { toApiError } from "@/data/api-error";
import { type ReaderRoute, readerPath } from "@/data/routes";
import { ErrorNote } from "@/ui/error-note";
import { Link } from "@/ui/link";

interface Props {
  route: ReaderRoute;
  error: unknown;
  onRetry: () => void;
  headingRef: RefObject<HTMLHeadingElement | null>;
}

/** A deep link to an item that is not there, or not to be had at the moment. */
export function Gone({ route, error, onRetry, headingRef }: Props) {
  const missing = toApiError(error).status === 404;
  return (
    <div className="state">
      <h1 ref={headingRef} tabIndex={-1} className="title">
        {missing ? (
          <Trans>This item is no longer here</Trans>
        ) : (
          <Trans>This item could not be loaded</Trans>
        )}
      </h1>
      {missing ? (
        <p>
          <Trans>
            It was removed with its feed, or is older than what is kept. Starred items stay.
          </Trans>
        </p>
      ) : (
        <ErrorNote error={error} onRetry={onRetry} />
      )}
      <Link className="btn" href={readerPath(route.stream, route.filter, null, route)}>
        <Trans>Back to the list</Trans>
      </Link>
    </div>
  );
}
