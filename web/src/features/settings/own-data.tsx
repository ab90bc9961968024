import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { Download, Upload } from "lucide-react";
import { useRef, useState } from "react";
import { removeAccount } from "@/data/account/account";
import { type TakenIn, takeIn } from "@/data/account/takeout";
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
import type { SectionProps } from "./sections";
import { useForm } from "./use-form";

export function OwnData({ onImport }: SectionProps) {
  const { t } = useLingui();
  return (
    <>
      <Card
        title={t`Subscriptions (OPML)`}
        hint={t`The list of your feeds with their folders, which every reader understands. It holds the passwords of private feeds.`}
      >
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
      </Card>
      <Starred onImport={onImport} />
      <Archive />
      <RemoveAccount />
    </>
  );
}

function Starred({ onImport }: SectionProps) {
  const { t } = useLingui();
  const { busy, error, onSubmit } = useForm(async () => {
    saveFile("ruri-starred.json", "application/json", await starredFile());
  });
  return (
    <Card
      title={t`Starred items (JSON)`}
      hint={t`In the form of Google Reader. Files of FreshRSS, Feedly and Miniflux come in too.`}
    >
      <form className="acts" onSubmit={onSubmit}>
        <button type="button" className="btn" onClick={onImport}>
          <Upload aria-hidden="true" size={16} />
          <Trans>Import starred items</Trans>
        </button>
        <button type="submit" className="btn" aria-disabled={busy}>
          <Download aria-hidden="true" size={16} />
          <Trans>Export starred items</Trans>
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
  const [done, setDone] = useState<TakenIn | null>(null);
  const { busy, error, onSubmit } = useForm(async (data) => {
    setDone(null);
    const archive = data.get("file") as File;
    refuseLarge(archive, client.getQueryData(meQuery.queryKey)?.limits.uploadBytes);
    const taken = await takeIn(archive);
    setDone(taken);
    await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "me" });
  });
  return (
    <Card
      title={t`All that is yours (archive)`}
      hint={t`Subscriptions, folders, labels, rules, settings, what you have read, and starred items with their texts, in one ZIP file. It holds the passwords of private feeds.`}
    >
      <div className="acts">
        <a className="btn" href="/api/users/me/export" download>
          <Download aria-hidden="true" size={16} />
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
            <Upload aria-hidden="true" size={16} />
            {busy ? <Trans>Importing…</Trans> : <Trans>Import an archive</Trans>}
          </button>
        </form>
      </div>
      {error && <ErrorNote error={error} />}
      {done && <Taken done={done} />}
    </Card>
  );
}

function Taken({ done }: { done: TakenIn }) {
  const { t } = useLingui();
  const waits = done.feedsWaiting > 0 || done.itemsWaiting > 0;
  return (
    <Note kind={done.failed.length > 0 ? "warn" : "ok"} live>
      <strong>
        <Trans>The archive is in.</Trans>
      </strong>
      {t`${plural(done.subscribed, { one: "# new feed", other: "# new feeds" })}, ${plural(done.items, { one: "# item", other: "# items" })}, ${plural(done.rules, { one: "# rule", other: "# rules" })}.`}
      {waits && (
        <p>
          <Trans>
            New feeds are being fetched. Import the archive once more afterwards, for what you have
            read in them.
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

/** The one deed that asks first: nothing brings an account back. */
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
    client.clear();
    flags.clear();
    forgetSettings();
    showToast(t`Your account is deleted.`);
    navigate("/login", { replace: true });
  });
  return (
    <Card
      title={t`Delete the account`}
      hint={t`All that is yours is deleted and cannot be brought back. Export it first, if you want to keep anything.`}
    >
      <div className="acts">
        <button type="button" className="btn btn-bad" onClick={() => setAsks(true)}>
          <Trans>Delete the account…</Trans>
        </button>
      </div>
      {asks && (
        <Dialog title={t`Delete the account`} onClose={() => setAsks(false)}>
          <form onSubmit={onSubmit} className="flex flex-col gap-4">
            {isOwner && (
              <Note kind="warn">
                <Trans>
                  You are the owner: without you nobody looks after this reader, until its next
                  start makes a new owner.
                </Trans>
              </Note>
            )}
            <div className="field">
              <label htmlFor="confirm">
                <Trans>Type your address to confirm: {email}</Trans>
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
                <Trans>Keep it</Trans>
              </button>
              <button type="submit" className="btn btn-bad" aria-disabled={busy}>
                <Trans>Delete for good</Trans>
              </button>
            </div>
          </form>
          {fresh.dialog}
        </Dialog>
      )}
    </Card>
  );
}
