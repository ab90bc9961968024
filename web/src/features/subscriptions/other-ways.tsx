import { Trans, useLingui } from "@lingui/react/macro";
import { Copy, Upload } from "lucide-react";
import { ownAddress } from "@/data/base";
import { Link } from "@/ui/link";
import { showToast } from "@/ui/toasts";

interface Props {
  onClose: () => void;
  onImport: () => void;
}

/** Other ways to add feeds, shown while nothing is typed. */
export function OtherWays({ onClose, onImport }: Props) {
  const { t } = useLingui();
  const copy = () =>
    navigator.clipboard.writeText(bookmarklet(ownAddress())).then(
      () => showToast(t`Copied. Create a bookmark and paste this as its URL.`),
      () => showToast(t`Could not copy to the clipboard.`),
    );
  return (
    <div className="flex flex-col gap-2 text-ink2">
      <p>
        <Trans>
          Not sure where to start? Try the{" "}
          <Link className="text-link underline" href="/welcome" onClick={onClose}>
            starter packs
          </Link>
          .
        </Trans>
      </p>
      <div>
        <button type="button" className="btn" onClick={onImport}>
          <Upload size={16} />
          <Trans>Import OPML</Trans>
        </button>
      </div>
      <details>
        <summary>
          <Trans>Add from any page</Trans>
        </summary>
        <p className="my-2">
          <Trans>Save it as a bookmark, then open it on any page to add its feed.</Trans>
        </p>
        <button type="button" className="btn" onClick={() => void copy()}>
          <Copy size={16} />
          <Trans>Copy the bookmarklet</Trans>
        </button>
      </details>
    </div>
  );
}

export function bookmarklet(origin: string): string {
  return `javascript:location.href=${JSON.stringify(`${origin}/add?url=`)}+encodeURIComponent(location.href)`;
}
