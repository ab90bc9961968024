import { Plural, Trans } from "@lingui/react/macro";
import { CloudOff, Hourglass } from "lucide-react";
import { useState } from "react";
import { useAskedToWait, useOffline } from "@/data/connection";
import { useWaiting } from "@/data/waiting";
import { lookForServer } from "./use-offline-copy";

/** Below everything else, so that nothing that is being read moves. */
export function OfflineBar() {
  const isOffline = useOffline();
  const isAskedToWait = useAskedToWait();
  const waiting = useWaiting();
  const [isBusy, setBusy] = useState(false);

  const retry = async () => {
    setBusy(true);
    await lookForServer();
    setBusy(false);
  };

  return (
    <div role="status">
      {isOffline && (
        <div className="offline-bar">
          <CloudOff aria-hidden="true" size={16} />
          <span>
            {navigator.onLine ? (
              <Trans>The reader cannot be reached. What is saved here can be read.</Trans>
            ) : (
              <Trans>You are offline. What is saved here can be read.</Trans>
            )}{" "}
            {waiting > 0 && (
              <Plural
                value={waiting}
                one="# change waits to be sent."
                other="# changes wait to be sent."
              />
            )}
          </span>
          <button type="button" aria-disabled={isBusy} onClick={() => void retry()}>
            <Trans>Try again</Trans>
          </button>
        </div>
      )}
      {isAskedToWait && !isOffline && (
        <div className="offline-bar">
          <Hourglass aria-hidden="true" size={16} />
          <span>
            <Trans>The server asks for a pause. What is shown stays, the rest follows.</Trans>
          </span>
        </div>
      )}
    </div>
  );
}
