import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { useSignInMethods } from "@/data/account/identities";
import {
  type Passkey,
  refreshPasskeys,
  registerPasskey,
  renamePasskey,
  usePasskeys,
} from "@/data/account/passkeys";
import { useRemoved } from "@/data/account/removals";
import { hasPasskeys } from "@/data/sign-in";
import { relativeTime } from "@/i18n/format";
import { useNow } from "@/i18n/use-now";
import { ErrorNote } from "@/ui/error-note";
import { showError } from "@/ui/show-error";
import { showToast } from "@/ui/toasts";
import { offerUndo } from "@/ui/undo";
import { useForm } from "@/ui/use-form";
import { useFreshSignIn } from "./fresh-sign-in";
import { Asked, Card, Listed, RowButton } from "./parts";
import { useRemove } from "./use-remove";

const pathOf = (id: string) => `/api/passkeys/${encodeURIComponent(id)}`;

export function Passkeys() {
  const { t } = useLingui();
  const client = useQueryClient();
  const passkeys = usePasskeys();
  const ways = useSignInMethods();
  const removed = useRemoved();
  const fresh = useFreshSignIn();
  const { busy, error, onSubmit } = useForm(async (data) => {
    await fresh.run(() => registerPasskey(String(data.get("name")).trim()));
    await refreshPasskeys(client);
    showToast(t`Passkey added`);
  });
  const mayAdd = ways.data?.passkey === true && hasPasskeys();
  return (
    <Card
      title={t`Passkeys`}
      hint={t`Sign in with your fingerprint, face or a security key instead of a password.`}
    >
      <Asked query={passkeys}>
        {(list) => (
          <ul>
            {list
              .filter((one) => !removed.has(pathOf(one.id)))
              .map((one) => (
                <Row key={one.id} passkey={one} ensure={fresh.ensure} />
              ))}
          </ul>
        )}
      </Asked>
      {mayAdd ? (
        <form className="line" onSubmit={onSubmit}>
          <div className="field">
            <label htmlFor="passkey-name">
              <Trans>Name (e.g. your device)</Trans>
            </label>
            <input id="passkey-name" name="name" required maxLength={100} autoComplete="off" />
          </div>
          <button type="submit" className="btn" aria-disabled={busy}>
            <KeyRound size={16} />
            <Trans>Add passkey</Trans>
          </button>
        </form>
      ) : (
        ways.data && (
          <p className="hint">
            <Trans>Passkeys require HTTPS, a domain name and a supported browser.</Trans>
          </p>
        )
      )}
      {error && <ErrorNote error={error} />}
      {fresh.dialog}
    </Card>
  );
}

function Row({ passkey, ensure }: { passkey: Passkey; ensure: () => Promise<boolean> }) {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const now = useNow();
  const remove = useRemove();
  const { id, name } = passkey;
  const rename = useForm(async (data) => {
    const next = String(data.get("name")).trim();
    await renamePasskey(client, id, next);
    offerUndo(t`Passkey renamed to ${next}`, () => renamePasskey(client, id, name));
  });
  const made = relativeTime(passkey.createdAt, now, i18n.locale);
  const used = passkey.lastUsedAt && relativeTime(passkey.lastUsedAt, now, i18n.locale);
  return (
    <Listed
      name={name}
      facts={[
        t`created ${made}`,
        used ? t`last used ${used}` : t`never used`,
        passkey.isSynced ? t`synced across devices` : t`one device only`,
      ]}
      more={
        passkey.isSuspect && (
          <p className="bad">
            <Trans>This passkey may have been copied. Remove it and add a new one.</Trans>
          </p>
        )
      }
    >
      <details className="unfold">
        <summary className="btn" aria-label={`${t`Rename`}: ${name}`}>
          <Trans>Rename</Trans>
        </summary>
        <form className="line" onSubmit={rename.onSubmit}>
          <div className="field">
            <label htmlFor={`name-${id}`}>
              <Trans>New name</Trans>
            </label>
            <input id={`name-${id}`} name="name" required maxLength={100} autoComplete="off" />
          </div>
          <button type="submit" className="btn" aria-disabled={rename.busy}>
            <Trans>Rename</Trans>
          </button>
        </form>
        {rename.error && <ErrorNote error={rename.error} />}
      </details>
      <RowButton
        label={t`Remove`}
        of={name}
        onPress={async (button) => {
          try {
            if (await ensure()) remove(pathOf(id), t`Passkey ${name} removed`, button);
          } catch (cause) {
            showError(cause);
          }
        }}
      />
    </Listed>
  );
}
