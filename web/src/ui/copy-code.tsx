import { Trans } from "@lingui/react/macro";
import { useState } from "react";

/** An error code with a button to copy it. */
export function CopyCode({ code }: { code: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    // Not available over plain http.
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
        {isCopied ? <Trans>Copied</Trans> : <Trans>Copy code</Trans>}
      </button>
    </p>
  );
}
