import { Trans } from "@lingui/react/macro";
import { LoaderCircle } from "lucide-react";

/** While a page is fetched. */
export function Fetching({ url }: { url: string }) {
  return (
    <p className="fetching" role="status">
      <LoaderCircle className="spin" size={18} />
      <span className="min-w-0 break-all">
        <Trans>Reading {url}</Trans>
      </span>
    </p>
  );
}
