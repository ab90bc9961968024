import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useState } from "react";
import { type Adapter, deleteAdapter, useAdapters } from "@/data/adapters";
import { outward } from "@/data/base";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { showToast } from "@/ui/toasts";
import { useForm } from "@/ui/use-form";
import { Asked, Card } from "./parts";

/** Descriptions of sites for watches; for the owner. */
export function Adapters() {
  const { t } = useLingui();
  const adapters = useAdapters();
  const [going, setGoing] = useState<Adapter | null>(null);
  return (
    <>
      <Card
        title={t`Adapters`}
        hint={t`An adapter describes how watches search a site and read its pages. Everyone on this server can use it.`}
      >
        <Asked query={adapters}>
          {(all) => (
            <>
              {all.length === 0 && (
                <p className="hint">
                  <Trans>No adapters yet</Trans>
                </p>
              )}
              <ul>
                {all.map((one) => (
                  <li key={one.name} className="setting">
                    <div className="text">
                      <span className="name">{one.name}</span>
                      <p className="hint">
                        {[...one.hosts, t`version ${one.version}`].join(" · ")}
                      </p>
                    </div>
                    <a
                      className="btn"
                      href={outward(`/api/adapters/${one.name}`)}
                      download={`${one.name}.json`}
                      aria-label={`${t`Download`}: ${one.name}`}
                    >
                      <Download size={16} />
                      <Trans>Download</Trans>
                    </a>
                    <button
                      type="button"
                      className="btn"
                      aria-label={`${t`Delete`}: ${one.name}`}
                      onClick={() => setGoing(one)}
                    >
                      <Trans>Delete…</Trans>
                    </button>
                  </li>
                ))}
              </ul>
            </>
          )}
        </Asked>
        <p className="hint">
          <Trans>
            Add or replace one with <code>ruri watch test --save FILE</code> or through the API.
          </Trans>
        </p>
      </Card>
      {going && <Confirm adapter={going} onClose={() => setGoing(null)} />}
    </>
  );
}

function Confirm({ adapter, onClose }: { adapter: Adapter; onClose: () => void }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { name } = adapter;
  const { busy, error, onSubmit } = useForm(async () => {
    await deleteAdapter(client, name);
    onClose();
    showToast(t`Adapter ${name} deleted`);
  });
  return (
    <Dialog title={t`Delete adapter`} onClose={onClose}>
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        <p>
          <Trans>
            Watches that use {name} keep what they found, but find nothing more until they get other
            settings.
          </Trans>
        </p>
        {error && <ErrorNote error={error} />}
        <div className="flex flex-wrap justify-end gap-2">
          <button type="button" className="btn" data-first onClick={onClose}>
            <Trans>Cancel</Trans>
          </button>
          <button type="submit" className="btn btn-bad" aria-disabled={busy}>
            <Trans>Delete</Trans>
          </button>
        </div>
      </form>
    </Dialog>
  );
}
