import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { Download, Upload } from "lucide-react";
import { useRef, useState } from "react";
import { removeAccount } from "@/data/account/account";
import { type ImportedArchive, importArchive } from "@/data/account/takeout";
import { flags } from "@/data/flags";
import { meQuery, useMe } from "@/data/me";
import { forgetSettings } from "@/data/settings";
import { starredFile } from "@/data/starred-file";
import { navigate } from "@/data/use-route";
import { refuseLarge } from "@/i18n/too-large";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Note } from "@/ui/note";
import { saveFile } from "@/ui/save-file";
import { showToast } from "@/ui/toasts";
import { useFreshSignIn } from "./fresh-sign-in";
import { Card } from "./parts";
import { useForm } from "./use-form";

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
          <a className="btn" href="/api/export/opml" download>
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
  const { busy, error, onSubmit } = useForm(async (data) => {
    setDone(null);
    const archive = data.get("file") as File;
    refuseLarge(archive, client.getQueryData(meQuery.queryKey)?.limits.uploadBytes);
    setDone(await importArchive(archive));
    await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "me" });
  });
  return (
    <Card
      title={t`All your data`}
      hint={t`A ZIP file with subscriptions, folders, labels, rules, settings, read state and the full text of starred articles. Includes passwords of private feeds.`}
    >
      <div className="acts">
        <a className="btn" href="/api/users/me/export" download>
          <Download size={16} />
          <Trans>Export everything</Trans>
        </a>
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
            {busy ? <Trans>Importing…</Trans> : <Trans>Import an archive</Trans>}
          </button>
        </form>
      </div>
      {error && <ErrorNote error={error} />}
      {done && <ImportResult done={done} />}
    </Card>
  );
}

function ImportResult({ done }: { done: ImportedArchive }) {
  const { t } = useLingui();
  const waits = done.feedsWaiting > 0 || done.itemsWaiting > 0;
  return (
    <Note kind={done.failed.length > 0 ? "warn" : "ok"} live>
      <strong>
        <Trans>Archive imported.</Trans>
      </strong>
      {t`${plural(done.subscribed, { one: "# new feed", other: "# new feeds" })}, ${plural(done.items, { one: "# article", other: "# articles" })}, ${plural(done.rules, { one: "# rule", other: "# rules" })}.`}
      {waits && (
        <p>
          <Trans>
            New feeds are being fetched. Import the archive again afterwards to restore their read
            articles.
          </Trans>
        </p>
      )}
      {done.failed.length > 0 && (
        <ul>
          {done.failed.map(({ url, message }) => (
            <li key={url}>
              {url}: {message}
            </li>
          ))}
        </ul>
      )}
    </Note>
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
