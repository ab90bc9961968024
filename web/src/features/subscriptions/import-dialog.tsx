import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { Download, LoaderCircle, Upload } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { outward } from "@/data/base";
import { startImport } from "@/data/imports";
import { meQuery } from "@/data/me";
import { importStarred, isStarredFile, type StarredReport, starredFile } from "@/data/starred-file";
import { refuseLarge } from "@/i18n/too-large";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { saveFile } from "@/ui/save-file";
import { showError } from "@/ui/show-error";
import { EarlierImports } from "./import-list";
import { ImportReport } from "./import-report";
import { MoveInForm } from "./move-in-form";
import { StarsReport } from "./stars-report";
import "./adding.css";

interface Props {
  file?: File | null;
  /** The import to show, when there is one already. */
  id?: string;
  onClose: () => void;
}

/** Imports and exports lists of feeds and starred items. */
export function ImportDialog({ file = null, id, onClose }: Props) {
  const { t } = useLingui();
  const client = useQueryClient();
  const picker = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [shown, setShown] = useState(id ?? null);
  const [stars, setStars] = useState<StarredReport | null>(null);

  const send = useCallback(
    async (chosen: File) => {
      setBusy(chosen.name);
      setError(null);
      setShown(null);
      setStars(null);
      try {
        refuseLarge(chosen, client.getQueryData(meQuery.queryKey)?.limits.uploadBytes);
        if (await isStarredFile(chosen)) setStars(await importStarred(client, chosen));
        else setShown((await startImport(client, chosen)).id);
      } catch (cause) {
        setError(cause);
      }
      setBusy(null);
    },
    [client],
  );

  const sent = useRef<File | null>(null);
  useEffect(() => {
    if (!file || sent.current === file) return;
    sent.current = file;
    void send(file);
  }, [file, send]);

  const isQuiet = shown === null && stars === null && busy === null;
  return (
    <Dialog title={t`Import and export`} onClose={onClose}>
      <div className="adding">
        <p className="text-ink2">
          <Trans>
            Choose an OPML file exported from another reader, or drop it here. Folders are kept, and
            existing subscriptions stay unchanged. Starred articles are imported as JSON.
          </Trans>
        </p>
        <input
          ref={picker}
          type="file"
          accept=".opml,.xml,.json,text/x-opml,text/xml,application/xml,application/json"
          className="sr-only"
          tabIndex={-1}
          aria-label={t`OPML or JSON file`}
          onChange={(event) => {
            const chosen = event.target.files?.[0];
            if (chosen) void send(chosen);
            event.target.value = "";
          }}
        />
        <div>
          <button
            type="button"
            className={isQuiet ? "btn btn-main" : "btn"}
            data-first
            onClick={() => picker.current?.click()}
            aria-disabled={busy !== null}
          >
            <Upload size={16} />
            <Trans>Choose a file…</Trans>
          </button>
        </div>
        <div role="status" className="empty:hidden">
          {busy !== null && (
            <p className="flex items-center gap-2 text-ink2">
              <LoaderCircle className="spin" size={18} />
              <Trans>Importing {busy}</Trans>
            </p>
          )}
        </div>
        {error !== null && <ErrorNote error={error} />}
        {shown !== null && (
          <ImportReport
            key={shown}
            id={shown}
            onRetried={setShown}
            onForgotten={() => setShown(null)}
            onClose={onClose}
          />
        )}
        {stars && <StarsReport report={stars} />}
        <MoveInForm
          onBegun={(begun) => {
            setError(null);
            setStars(null);
            setShown(begun);
          }}
        />
        <EarlierImports shown={shown} onShow={setShown} />
        <Exports />
        {(shown !== null || stars) && (
          <div className="buttons">
            <button type="button" className="btn btn-main" onClick={onClose}>
              <Trans>Done</Trans>
            </button>
          </div>
        )}
      </div>
    </Dialog>
  );
}

function Exports() {
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      saveFile("ruri-starred.json", "application/json", await starredFile());
    } catch (cause) {
      showError(cause);
    }
    setBusy(false);
  };
  return (
    <section>
      <h3 className="mb-2 font-semibold">
        <Trans>Export</Trans>
      </h3>
      <div className="flex flex-wrap gap-2">
        <a className="btn" href={outward("/api/export/opml")} download>
          <Download size={16} />
          <Trans>Export OPML</Trans>
        </a>
        <button type="button" className="btn" disabled={isBusy} onClick={() => void save()}>
          <Download size={16} />
          <Trans>Export starred articles</Trans>
        </button>
      </div>
    </section>
  );
}
