import { Trans, useLingui } from "@lingui/react/macro";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { Download, Upload } from "lucide-react";
import { useRef, useState } from "react";
import { removeAccount } from "@/data/account/account";
import { exportArchive, type ImportedArchive, importArchive } from "@/data/account/takeout";
import { outward } from "@/data/base";
import { flags } from "@/data/flags";
import { followImport, isRunning, useImport } from "@/data/imports";
import { useMe } from "@/data/me";
import { forgetSettings } from "@/data/settings";
import { starredFile } from "@/data/starred-file";
import { navigate } from "@/data/use-route";
import { ArchiveResult } from "@/ui/archive-result";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Note } from "@/ui/note";
import { saveFile } from "@/ui/save-file";
import { showToast } from "@/ui/toasts";
import { useForm } from "@/ui/use-form";
import { useFreshSignIn } from "./fresh-sign-in";
import { Card } from "./parts";

interface Props {
  onImport: () => void;
}

export function OwnData({ onImport }: Props) {
  const { t } = useLingui();
  return (
    <>
      <Card
        title={t`Subscriptions (OPML)`}
        hint={t`Your feeds and folders, in a format every reader can import. Includes passwords of private feeds.`}
      >
        <div className="acts">
          <button type="button" className="btn" onClick={onImport}>
            <Upload size={16} />
            <Trans>Import OPML</Trans>
          </button>
          <a className="btn" href={outward("/api/export/opml")} download>
            <Download size={16} />
            <Trans>Export OPML</Trans>
          </a>
        </div>
      </Card>
      <Starred onImport={onImport} />
      <Archive />
      <RemoveAccount />
    </>
  );
}

function Starred({ onImport }: Props) {
  const { t } = useLingui();
  const { busy, error, onSubmit } = useForm(async () => {
    saveFile("ruri-starred.json", "application/json", await starredFile());
  });
  return (
    <Card
      title={t`Starred articles (JSON)`}
      hint={t`Google Reader JSON. Also imports files from FreshRSS, Feedly and Miniflux.`}
    >
      <form className="acts" onSubmit={onSubmit}>
        <button type="button" className="btn" onClick={onImport}>
          <Upload size={16} />
          <Trans>Import starred articles</Trans>
        </button>
        <button type="submit" className="btn" aria-disabled={busy}>
          <Download size={16} />
          <Trans>Export starred articles</Trans>
        </button>
      </form>
      {error && <ErrorNote error={error} />}
    </Card>
  );
}

function Archive() {
  const { t } = useLingui();
  const client = useQueryClient();
  const file = useRef<HTMLInputElement>(null);
  const [done, setDone] = useState<ImportedArchive | null>(null);
  const [running, setRunning] = useState<string | null>(null);
  const [sent, setSent] = useState(0);
  const saving = useForm(async () => {
    const name = `ruri-${new Date().toISOString().slice(0, 10)}.zip`;
    saveFile(name, "application/zip", await exportArchive());
  });
  const { busy, error, onSubmit } = useForm(async (data) => {
    setDone(null);
    setRunning(null);
    setSent(0);
    const answer = await importArchive(data.get("file") as File, setSent);
    if ("state" in answer) {
      followImport(client, answer);
      setRunning(answer.id);
    } else {
      setDone(answer);
      void refetch(client); // the next archive can be chosen meanwhile
    }
  });
  const percent = Math.floor(100 * sent);
  return (
    <Card
      title={t`All your data`}
      hint={t`A ZIP file with subscriptions, folders, labels, rules, settings, read state and the full text of starred articles. Includes passwords of private feeds.`}
    >
      <div className="acts">
        <form onSubmit={saving.onSubmit}>
          <button type="submit" className="btn" aria-disabled={saving.busy}>
            <Download size={16} />
            {saving.busy ? <Trans>Exporting…</Trans> : <Trans>Export everything</Trans>}
          </button>
        </form>
        <form onSubmit={onSubmit}>
          <input
            ref={file}
            className="sr-only"
            type="file"
            name="file"
            accept=".zip,application/zip"
            tabIndex={-1}
            aria-label={t`Archive`}
            onChange={(event) => event.target.files?.length && event.target.form?.requestSubmit()}
          />
          <button
            type="button"
            className="btn"
            aria-disabled={busy}
            onClick={() => !busy && file.current?.click()}
          >
            <Upload size={16} />
            {!busy && <Trans>Import an archive</Trans>}
            {busy &&
              (percent > 0 ? <Trans>Uploading… {percent}%</Trans> : <Trans>Importing…</Trans>)}
          </button>
        </form>
      </div>
      {(error ?? saving.error) && <ErrorNote error={error ?? saving.error} />}
      {done && <ArchiveResult done={done} failed={done.failed} failures={done.failed.length} />}
      {running && <RunningImport id={running} />}
    </Card>
  );
}

/** An archive may have brought anything. */
function refetch(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "me" });
}

/** An archive that is imported in the background, and what it has brought. */
function RunningImport({ id }: { id: string }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { data: report, error } = useImport(id, () => void refetch(client));
  if (!report) return error ? <ErrorNote error={error} /> : null;
  if (report.state === "failed") {
    return (
      <Note kind="err" live>
        {report.errors.at(-1)?.message} {report.errors.at(-1)?.action}
      </Note>
    );
  }
  if (report.archive && !isRunning(report)) {
    return <ArchiveResult done={report.archive} failed={report.errors} failures={report.failed} />;
  }
  return (
    <div>
      <progress
        max={Math.max(report.total, 1)}
        value={report.done}
        aria-label={t`Import progress`}
      />
      <p className="text-ink2">
        <Trans>You can leave this page. The import continues.</Trans>
      </p>
    </div>
  );
}

/** Asks for confirmation, because it cannot be undone. */
function RemoveAccount() {
  const { t } = useLingui();
  const client = useQueryClient();
  const me = useMe();
  const [asks, setAsks] = useState(false);
  const isOwner = me.data?.user.isOwner === true;
  const email = me.data?.user.email ?? "";
  const fresh = useFreshSignIn();
  const { busy, error, onSubmit } = useForm(async (data) => {
    await fresh.run(() => removeAccount(String(data.get("confirm")).trim(), isOwner));
    navigate("/login", { replace: true }); // before what is shown here goes
    client.clear();
    flags.clear();
    forgetSettings();
    showToast(t`Account deleted`);
  });
  return (
    <Card
      title={t`Delete account`}
      hint={t`All your data will be permanently deleted. Export anything you want to keep first.`}
    >
      <div className="acts">
        <button type="button" className="btn btn-bad" onClick={() => setAsks(true)}>
          <Trans>Delete account…</Trans>
        </button>
      </div>
      {asks && (
        <Dialog title={t`Delete account`} onClose={() => setAsks(false)}>
          <form onSubmit={onSubmit} className="flex flex-col gap-4">
            {isOwner && (
              <Note kind="warn">
                <Trans>
                  You are the owner. After you delete your account, there is no owner until the
                  server restarts and creates one.
                </Trans>
              </Note>
            )}
            <div className="field">
              <label htmlFor="confirm">
                <Trans>Type your email address to confirm: {email}</Trans>
              </label>
              <input
                data-first
                id="confirm"
                name="confirm"
                required
                maxLength={254}
                autoComplete="off"
                spellCheck={false}
              />
            </div>
            {error && <ErrorNote error={error} />}
            <div className="flex flex-wrap justify-end gap-2">
              <button type="button" className="btn" onClick={() => setAsks(false)}>
                <Trans>Cancel</Trans>
              </button>
              <button type="submit" className="btn btn-bad" aria-disabled={busy}>
                <Trans>Delete permanently</Trans>
              </button>
            </div>
          </form>
          {fresh.dialog}
        </Dialog>
      )}
    </Card>
  );
}
