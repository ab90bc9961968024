import { useLingui } from "@lingui/react";
import { Trans } from "@lingui/react/macro";
import { RotateCw } from "lucide-react";
import { relativeTime } from "@/i18n/format";
import { useNow } from "@/i18n/use-now";

/** The counts could not be refreshed. */
export function StaleNote({ since, onRetry }: { since: number; onRetry: () => void }) {
  const { i18n } = useLingui();
  const now = useNow();
  const when = relativeTime(new Date(since).toISOString(), now, i18n.locale);
  return (
    <div className="side-stale">
      <span>
        <Trans>As of {when}</Trans>
      </span>
      <button type="button" className="btn" onClick={onRetry}>
        <RotateCw size={14} />
        <Trans>Try again</Trans>
      </button>
    </div>
  );
}
