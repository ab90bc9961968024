import { Trans } from "@lingui/react/macro";
import { Upload } from "lucide-react";

/** What dropping the file does. */
export function DropHint() {
  return (
    <div className="pointer-events-none fixed inset-4 z-40 grid place-items-center rounded-2xl border-2 border-dashed border-accent bg-raise text-lg text-accent opacity-95">
      <span className="flex items-center gap-3">
        <Upload />
        <Trans>Drop an OPML file to import it</Trans>
      </span>
    </div>
  );
}
