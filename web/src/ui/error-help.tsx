import { Trans } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import type { ApiError } from "@/data/api-error";
import { inward } from "@/data/base";
import { meQuery } from "@/data/me";
import { loginPath } from "@/data/routes";
import { CopyCode } from "./copy-code";
import { Countdown } from "./countdown";
import { Link } from "./link";

interface Props {
  error: ApiError;
  onRetry?: () => void;
}

/** What helps besides trying again: waiting, signing in, the limit, or a code for the operator. */
export function ErrorHelp({ error, onRetry }: Props) {
  const { status, code, retryAfter } = error;
  const isOurs = status > 0 && status !== 429 && error.category === "system";
  return (
    <>
      {retryAfter !== null && onRetry && (
        <Countdown key={error.requestId} seconds={retryAfter} onEnd={onRetry} />
      )}
      {status === 401 && code !== "wrong_login" && inward(location.pathname) !== "/login" && (
        <p className="mt-2">
          <Link className="btn" href={loginPath(inward(location.pathname) + location.search)}>
            <Trans>Sign in</Trans>
          </Link>
        </p>
      )}
      {code === "subscription_limit" && <Limit />}
      {isOurs && <CopyCode code={[code, error.requestId].filter(Boolean).join(" · ")} />}
    </>
  );
}

/** The limit of subscriptions, and a link to them. */
function Limit() {
  const most = useQueryClient().getQueryData(meQuery.queryKey)?.limits.feeds;
  return (
    <p className="mt-2">
      {most !== undefined && <Trans>Your limit is {most}.</Trans>}{" "}
      <Link className="underline" href="/subscriptions">
        <Trans>Manage subscriptions</Trans>
      </Link>
    </p>
  );
}
