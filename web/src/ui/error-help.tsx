import { Trans } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import type { ApiError } from "@/data/api-error";
import { meQuery } from "@/data/me";
import { loginPath } from "@/data/routes";
import { CopyCode } from "./copy-code";
import { Countdown } from "./countdown";
import { Link } from "./link";

interface Props {
  error: ApiError;
  onRetry?: () => void;
}

/** What helps beside trying again: waiting, signing in, making room, a code for whoever runs the reader. */
export function ErrorHelp({ error, onRetry }: Props) {
  const { status, code, retryAfter } = error;
  const isOurs = status > 0 && status !== 429 && error.category === "system";
  const inside = error.problem.message;
  return (
    <>
      {retryAfter !== null && onRetry && (
        <Countdown key={error.requestId} seconds={retryAfter} onEnd={onRetry} />
      )}
      {status === 401 && code !== "wrong_login" && location.pathname !== "/login" && (
        <p className="mt-2">
          <Link className="btn" href={loginPath(location.pathname + location.search)}>
            <Trans>Sign in</Trans>
          </Link>
        </p>
      )}
      {code === "subscription_limit" && <Limit />}
      {isOurs && <CopyCode code={[code, error.requestId].filter(Boolean).join(" · ")} />}
      {isOurs && inside && (
        <details className="mt-1 text-xs">
          <summary>
            <Trans>Details</Trans>
          </summary>
          <p className="break-words">
            {status}: {inside}
          </p>
        </details>
      )}
    </>
  );
}

/** How many there may be, and where one makes room. */
function Limit() {
  const most = useQueryClient().getQueryData(meQuery.queryKey)?.limits.feeds;
  return (
    <p className="mt-2">
      {most !== undefined && <Trans>Your account may have {most} of them.</Trans>}{" "}
      <Link className="underline" href="/subscriptions">
        <Trans>Open the subscriptions</Trans>
      </Link>
    </p>
  );
}
