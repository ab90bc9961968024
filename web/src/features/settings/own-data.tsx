import { Trans } from "@lingui/react/macro";
import { Download, Upload } from "lucide-react";
import type { SectionProps } from "./sections";

export function OwnData({ onImport }: SectionProps) {
  return (
    <section className="card" aria-labelledby="opml">
      <h2 id="opml">
        <Trans>Subscriptions (OPML)</Trans>
      </h2>
      <p>
        <Trans>The list of your feeds with their folders, which every reader understands.</Trans>
      </p>
      <div className="acts">
        <button type="button" className="btn" onClick={onImport}>
          <Upload aria-hidden="true" size={16} />
          <Trans>Import OPML</Trans>
        </button>
        <a className="btn" href="/api/export/opml" download>
          <Download aria-hidden="true" size={16} />
          <Trans>Export OPML</Trans>
        </a>
      </div>
    </section>
  );
}
