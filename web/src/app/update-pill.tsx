import { Trans, useLingui } from "@lingui/react/macro";
import { X } from "lucide-react";
import { useEffect, useState } from "react";
import { reloadInto, startWorker } from "@/data/worker-talk";

/** A new version never comes under somebody's eyes: it is offered. */
export function UpdatePill() {
  const { t } = useLingui();
  const [isThere, setThere] = useState(false);
  const [isBusy, setBusy] = useState(false);

  useEffect(() => {
    // In development the page changes under a worker that keeps it.
    if (!import.meta.env.PROD) return;
    return startWorker(() => setThere(true));
  }, []);

  return (
    <div className="pill-place" role="status">
      {isThere && (
        <div className="update-pill">
          <span>
            <Trans>A new version is here.</Trans>
          </span>
          <button
            type="button"
            className="btn btn-main"
            disabled={isBusy}
            onClick={() => {
              setBusy(true);
              void reloadInto();
            }}
          >
            <Trans>Reload</Trans>
          </button>
          <button
            type="button"
            className="icon-btn"
            aria-label={t`Later`}
            title={t`Later`}
            onClick={() => setThere(false)}
          >
            <X aria-hidden="true" />
          </button>
        </div>
      )}
    </div>
  );
}
