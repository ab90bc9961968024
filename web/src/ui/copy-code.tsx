import { Trans } from "@lingui/react/macro";
import { useState } from "react";

/** A code for whoever looks into it, ready to be sent. */
export function CopyCode({ code }: { code: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    // Refused over plain http: the code can still be marked by hand.
    navigator.clipboard?.writeText(code).then(
      () => setCopied(true),
      () => undefined,
    );
  };
  return (
    <p className="mt-1 flex flex-wrap items-center gap-2 text-xs">
      <span>
        <Trans>Code</Trans> <code className="break-all select-all">{code}</code>
      </span>
      <button type="button" className="btn" onClick={copy}>
        {isCopied ? <Trans>Copied</Trans> : <Trans>Copy the code</Trans>}
      </button>
    </p>
  );
}
