import { Trans, useLingui } from "@lingui/react/macro";
import { X } from "lucide-react";
import { useEffect, useState } from "react";
import { applyUpdate, startWorker } from "./service-worker";

/** Offers a new version; the page is never replaced without being asked. */
export function UpdatePill() {
  const { t } = useLingui();
  const [isThere, setThere] = useState(false);
  const [isBusy, setBusy] = useState(false);

  useEffect(() => {
    // In development the worker would serve outdated files.
    if (!import.meta.env.PROD) return;
    return startWorker(() => setThere(true));
  }, []);

  return (
    <div className="update-place" role="status">
      {isThere && (
        <div className="update-pill">
          <span>
            <Trans>A new version is available.</Trans>
          </span>
          <button
            type="button"
            className="btn"
            disabled={isBusy}
            onClick={() => {
              setBusy(true);
              void applyUpdate();
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
            <X />
          </button>
        </div>
      )}
    </div>
  );
}
