import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { Download, FileJson } from "lucide-react";
import { useId, useRef, useState } from "react";
import { type Adapter, deleteAdapter, putAdapter, readAdapter, useAdapters } from "@/data/adapters";
import { ApiError } from "@/data/api-error";
import { fieldTexts } from "@/i18n/problem-text";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { showToast } from "@/ui/toasts";
import { Asked, Card } from "./parts";
import { useForm } from "./use-form";

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
                      href={`/api/adapters/${one.name}`}
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
      </Card>
      <Save known={adapters.data ?? []} />
      {going && <Confirm adapter={going} onClose={() => setGoing(null)} />}
    </>
  );
}

/** Adds an adapter, or replaces the one with the same name. */
function Save({ known }: { known: readonly Adapter[] }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const id = useId();
  const text = useRef<HTMLTextAreaElement>(null);
  const file = useRef<HTMLInputElement>(null);
  const { busy, error, onSubmit } = useForm(async (data) => {
    const read = readAdapter(String(data.get("adapter")));
    if (!read) throw wrong(t`This is not valid JSON.`);
    const { name, adapter } = read;
    if (name === "") throw wrong(t`“name” is missing.`);
    await putAdapter(client, name, adapter);
    const isOld = known.some((one) => one.name === name);
    showToast(isOld ? t`Adapter ${name} replaced` : t`Adapter ${name} added`);
  });
  return (
    <Card
      title={t`Add or replace an adapter`}
      hint={t`An adapter with the same name is replaced, including in watches that use it.`}
    >
      <form onSubmit={onSubmit}>
        <div className="field">
          <label htmlFor={id}>
            <Trans>Adapter as JSON</Trans>
          </label>
          <textarea
            ref={text}
            id={id}
            name="adapter"
            className="code"
            required
            rows={10}
            spellCheck={false}
            autoCapitalize="none"
            aria-invalid={error !== null || undefined}
          />
        </div>
        {error && <ErrorNote error={error} />}
        {[...fieldTexts(error).entries()].map(([field, message]) => (
          <p key={field} className="wrong">
            <code>{field}</code>: {message}
          </p>
        ))}
        <div className="acts">
          <button type="button" className="btn" onClick={() => file.current?.click()}>
            <FileJson size={16} />
            <Trans>Choose a file</Trans>
          </button>
          <button type="submit" className="btn btn-main" aria-disabled={busy}>
            <Trans>Save</Trans>
          </button>
        </div>
      </form>
      <input
        ref={file}
        className="sr-only"
        type="file"
        accept=".json,application/json"
        tabIndex={-1}
        aria-label={t`Adapter file`}
        onChange={async (event) => {
          const input = event.target;
          const [chosen] = input.files ?? [];
          if (chosen && text.current) text.current.value = await chosen.text();
          input.value = ""; // so that the same file can be chosen again
          text.current?.focus();
        }}
      />
    </Card>
  );
}

function wrong(message: string): ApiError {
  return new ApiError(400, { code: "bad_adapter_text", category: "validation", message });
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
