import { Trans } from "@lingui/react/macro";
import { Upload } from "lucide-react";

/** Says what happens when the file is dropped. */
export function DropHint() {
  return (
    <div className="drop-hint">
      <Upload />
      <Trans>Drop an OPML file to import it</Trans>
    </div>
  );
}
