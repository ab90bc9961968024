import { Trans, useLingui } from "@lingui/react/macro";
import { Copy, Upload } from "lucide-react";
import { Link } from "@/ui/link";
import { showToast } from "@/ui/toasts";

interface Props {
  onClose: () => void;
  onImport: () => void;
}

/** What else leads to feeds, while nothing is typed. */
export function OtherWays({ onClose, onImport }: Props) {
  const { t } = useLingui();
  const copy = () =>
    navigator.clipboard.writeText(bookmarklet(location.origin)).then(
      () => showToast(t`Copied. Make a bookmark, and paste this as its address.`),
      () => showToast(t`The browser did not allow copying.`),
    );
  return (
    <div className="flex flex-col gap-2 text-ink2">
      <p>
        <Trans>
          Nothing in mind? Look at the{" "}
          <Link className="text-link underline" href="/welcome" onClick={onClose}>
            starter packs
          </Link>
          .
        </Trans>
      </p>
      <div>
        <button type="button" className="btn" onClick={onImport}>
          <Upload size={16} aria-hidden="true" />
          <Trans>Import OPML</Trans>
        </button>
      </div>
      <details>
        <summary>
          <Trans>Add from any page</Trans>
        </summary>
        <p className="my-2">
          <Trans>
            A bookmark with this as its address opens this window with the page that you are on.
          </Trans>
        </p>
        <button type="button" className="btn" onClick={() => void copy()}>
          <Copy size={16} aria-hidden="true" />
          <Trans>Copy the bookmarklet</Trans>
        </button>
      </details>
    </div>
  );
}

export function bookmarklet(origin: string): string {
  return `javascript:location.href=${JSON.stringify(`${origin}/add?url=`)}+encodeURIComponent(location.href)`;
}
