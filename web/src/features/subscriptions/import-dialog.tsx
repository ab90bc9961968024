import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { LoaderCircle, Upload } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { importOpml } from "@/data/opml-import";
import type { Imported } from "@/data/types";
import { wordsFor } from "@/i18n/error-words";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Note } from "@/ui/note";

interface Props {
  file: File | null;
  onClose: () => void;
}

export function ImportDialog({ file, onClose }: Props) {
  const { t } = useLingui();
  const client = useQueryClient();
  const picker = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [report, setReport] = useState<Imported | null>(null);

  const send = useCallback(
    async (chosen: File) => {
      setBusy(chosen.name);
      setError(null);
      setReport(null);
      try {
        setReport(await importOpml(client, chosen));
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

  return (
    <Dialog title={t`Import subscriptions`} onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p className="text-ink2">
          <Trans>
            Choose an OPML file from your other reader, or drop it anywhere on this window. Folders
            are kept; what you already have is left as it is.
          </Trans>
        </p>
        <input
          ref={picker}
          type="file"
          accept=".opml,.xml,text/x-opml,text/xml,application/xml"
          className="sr-only"
          tabIndex={-1}
          aria-label={t`OPML file`}
          onChange={(event) => {
            const chosen = event.target.files?.[0];
            if (chosen) void send(chosen);
            event.target.value = "";
          }}
        />
        <div aria-live="polite" className="empty:hidden">
          {busy && (
            <p className="flex items-center gap-2 text-ink2">
              <LoaderCircle className="spin" size={18} aria-hidden="true" />
              <Trans>Importing {busy}</Trans>
            </p>
          )}
        </div>
        {error !== null && <ErrorNote error={error} />}
        {report && <Report report={report} />}
        <div className="flex justify-end gap-2">
          <button
            type="button"
            className="btn"
            onClick={() => picker.current?.click()}
            disabled={busy !== null}
          >
            <Upload size={16} aria-hidden="true" />
            <Trans>Choose a file…</Trans>
          </button>
          {report && (
            <button type="button" className="btn btn-main" onClick={onClose}>
              <Trans>Done</Trans>
            </button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

function Report({ report }: { report: Imported }) {
  const { i18n } = useLingui();
  return (
    <>
      <Note kind={report.failed > 0 ? "warn" : "ok"} live>
        <strong>
          <Plural value={report.imported} one="# feed was added." other="# feeds were added." />
        </strong>{" "}
        {report.alreadySubscribed > 0 && (
          <Plural
            value={report.alreadySubscribed}
            one="# was there already. "
            other="# were there already. "
          />
        )}
        {report.failed > 0 && (
          <Plural value={report.failed} one="# could not be added." other="# could not be added." />
        )}
      </Note>
      {report.errors.length > 0 && (
        <ul className="flex max-h-64 flex-col gap-2 overflow-auto">
          {report.errors.map((one) => (
            <li key={`${one.url} ${one.title}`} className="border-t border-line pt-2">
              <span className="block font-semibold">
                {one.title || one.url || <Trans>Without an address</Trans>}
              </span>
              {one.title && <span className="block truncate text-xs text-ink3">{one.url}</span>}
              <span className="block text-err">
                {i18n._(wordsFor(one.code, "validation").says)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
