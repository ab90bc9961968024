import { Trans } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import "@/ui/status.css";
import { CopyCode } from "@/ui/copy-code";

interface Props {
  error: Error;
  /** The class of the pane that it replaces. */
  pane?: string | undefined;
  onRetry: () => void;
  onClose?: () => void;
}

/** How browsers report that a file of the page could not be loaded. */
const notLoaded = /dynamically imported module|importing a module script|preload CSS/i;

export function PaneFailed({ error, pane, onRetry, onClose }: Props) {
  // A module that failed to load is not requested again before the page is reloaded.
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  // The element with the focus may be gone.
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  const again = async () => {
    if (isBusy) return;
    setBusy(true);
    // It may have failed because of its data, which is loaded again.
    client.removeQueries({ type: "inactive" });
    await client.refetchQueries({ type: "active" });
    setBusy(false);
    // Queries notify in a task of their own: the components around the pane must have the new data first.
    setTimeout(onRetry);
  };
  const isMissing = notLoaded.test(error.message);
  const body = (
    <div className="state" data-over={onClose ? true : undefined} role="alert">
      <h1 ref={heading} tabIndex={-1} className="title">
        {isMissing ? (
          <Trans>Part of the page could not be loaded.</Trans>
        ) : (
          <Trans>Something went wrong in this part of the page.</Trans>
        )}
      </h1>
      {isMissing ? (
        <p>
          <Trans>Check your connection and reload the page.</Trans>
        </p>
      ) : (
        <CopyCode code={`${error.name}: ${error.message}`} />
      )}
      <div className="flex flex-wrap justify-center gap-2">
        <button
          type="button"
          className="btn btn-main"
          aria-disabled={isBusy}
          onClick={isMissing ? () => location.reload() : () => void again()}
        >
          {isMissing ? <Trans>Reload page</Trans> : <Trans>Reload this part</Trans>}
        </button>
        {onClose && (
          <button type="button" className="btn" onClick={onClose}>
            <Trans>Close</Trans>
          </button>
        )}
      </div>
    </div>
  );
  return pane ? <section className={pane}>{body}</section> : body;
}
