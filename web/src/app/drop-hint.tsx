import { Trans } from "@lingui/react/macro";
import { Upload } from "lucide-react";

/** What dropping the file does. */
export function DropHint() {
  return (
    <div className="drop-hint">
      <Upload />
      <Trans>Drop an OPML file to import it</Trans>
    </div>
  );
}
