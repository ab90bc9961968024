import { Trans } from "@lingui/react/macro";
import "@/ui/status.css";
import { CopyCode } from "@/ui/copy-code";

interface Props {
  error: Error;
  onRetry: () => void;
  onClose?: () => void;
}

/** How browsers say that a file of the page did not come. */
const notLoaded = /dynamically imported module|importing a module script|preload CSS/i;

export function PaneFailed({ error, onRetry, onClose }: Props) {
  // What did not come once is not asked for again by this page: only the whole of it helps.
  const isMissing = notLoaded.test(error.message);
  return (
    <div className="state" data-over={onClose ? true : undefined} role="alert">
      <p className="title">
        {isMissing ? (
          <Trans>A part of the page could not be loaded.</Trans>
        ) : (
          <Trans>This part of the page has failed.</Trans>
        )}
      </p>
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
          onClick={isMissing ? () => location.reload() : onRetry}
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
}
