import { Plural, Trans } from "@lingui/react/macro";
import { CloudOff, Hourglass } from "lucide-react";
import { useState } from "react";
import { useIsDelayed, useOffline } from "@/data/connection";
import { usePendingCount } from "@/data/mutations/pending-count";
import { pingServer } from "./use-offline-copy";

/** Below everything else, so that nothing moves while it is read. */
export function OfflineBar() {
  const isOffline = useOffline();
  const isDelayed = useIsDelayed();
  const pending = usePendingCount();
  const [isBusy, setBusy] = useState(false);

  const retry = async () => {
    setBusy(true);
    await pingServer();
    setBusy(false);
  };

  return (
    <div role="status">
      {isOffline && (
        <div className="offline-bar">
          <CloudOff size={16} />
          <span>
            {navigator.onLine ? (
              <Trans>Cannot reach the server. Saved articles are still available.</Trans>
            ) : (
              <Trans>You are offline. Saved articles are still available.</Trans>
            )}{" "}
            {pending > 0 && (
              <Plural
                value={pending}
                one="# change waiting to sync."
                other="# changes waiting to sync."
              />
            )}
          </span>
          <button type="button" aria-disabled={isBusy} onClick={() => void retry()}>
            <Trans>Try again</Trans>
          </button>
        </div>
      )}
      {isDelayed && !isOffline && (
        <div className="offline-bar">
          <Hourglass size={16} />
          <span>
            <Trans>The server is busy. The rest will load automatically.</Trans>
          </span>
        </div>
      )}
    </div>
  );
}
