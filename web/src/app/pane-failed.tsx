import { Trans } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import "@/ui/status.css";
import { CopyCode } from "@/ui/copy-code";

interface Props {
  error: Error;
  /** The place in the frame that it takes. */
  pane?: string | undefined;
  onRetry: () => void;
  onClose?: () => void;
}

/** How browsers say that a file of the page did not come. */
const notLoaded = /dynamically imported module|importing a module script|preload CSS/i;

export function PaneFailed({ error, pane, onRetry, onClose }: Props) {
  // What did not come once is not asked for again by this page: only the whole of it helps.
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  // What had the focus may have gone with what failed.
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  const again = async () => {
    if (isBusy) return;
    setBusy(true);
    // What it failed on may be what it was given: that is asked for anew.
    client.removeQueries({ type: "inactive" });
    await client.refetchQueries({ type: "active" });
    setBusy(false);
    onRetry();
  };
  const isMissing = notLoaded.test(error.message);
  const body = (
    <div className="state" data-over={onClose ? true : undefined} role="alert">
      <h1 ref={heading} tabIndex={-1} className="title">
        {isMissing ? (
          <Trans>A part of the page could not be loaded.</Trans>
        ) : (
          <Trans>This part of the page has failed.</Trans>
        )}
      </h1>
      {isMissing ? (
        <p>
          <Trans>Check the connection, then load the page again.</Trans>
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
          {isMissing ? <Trans>Load the page again</Trans> : <Trans>Load this part again</Trans>}
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
