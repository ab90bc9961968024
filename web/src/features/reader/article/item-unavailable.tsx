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

/** A deep link to an item that does not exist or could not be loaded. */
export function ItemUnavailable({ route, error, onRetry, headingRef }: Props) {
  const missing = toApiError(error).status === 404;
  return (
    <div className="state">
      <h1 ref={headingRef} tabIndex={-1} className="title">
        {missing ? (
          <Trans>This article is no longer available</Trans>
        ) : (
          <Trans>Could not load this article</Trans>
        )}
      </h1>
      {missing ? (
        <p>
          <Trans>It was removed with its feed or has expired. Starred articles are kept.</Trans>
        </p>
      ) : (
        <ErrorNote error={error} onRetry={onRetry} />
      )}
      <Link className="btn" href={readerPath(route.stream, route.filter, null, route)}>
        <Trans>Back to list</Trans>
      </Link>
    </div>
  );
}
