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
import { useGone } from "@/data/account/removals";
import { hasPasskeys } from "@/data/sign-in";
import { relativeTime } from "@/i18n/format";
import { useNow } from "@/i18n/use-now";
import { ErrorNote } from "@/ui/error-note";
import { showToast } from "@/ui/toasts";
import { useFreshSignIn } from "./fresh-sign-in";
import { Asked, Card } from "./parts";
import { useForm } from "./use-form";
import { useRemove } from "./use-remove";
import { useRefusal, useUndoable } from "./use-save";

const pathOf = (id: string) => `/api/passkeys/${encodeURIComponent(id)}`;

export function Passkeys() {
  const { t } = useLingui();
  const client = useQueryClient();
  const passkeys = usePasskeys();
  const ways = useSignInMethods();
  const gone = useGone();
  const fresh = useFreshSignIn();
  const { busy, error, onSubmit } = useForm(async (data) => {
    await fresh.run(() => registerPasskey(String(data.get("name")).trim()));
    await refreshPasskeys(client);
    showToast(t`The passkey is registered.`);
  });
  const mayAdd = ways.data?.passkey === true && hasPasskeys();
  return (
    <Card
      title={t`Passkeys`}
      hint={t`Sign in with your fingerprint, your face or a security key in place of a password.`}
    >
      <Asked query={passkeys}>
        {(list) => (
          <ul>
            {list
              .filter((one) => !gone.has(pathOf(one.id)))
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
              <Trans>Name, such as the device</Trans>
            </label>
            <input id="passkey-name" name="name" required maxLength={100} autoComplete="off" />
          </div>
          <button type="submit" className="btn" aria-disabled={busy}>
            <KeyRound aria-hidden="true" size={16} />
            <Trans>Register a passkey</Trans>
          </button>
        </form>
      ) : (
        ways.data && (
          <p className="hint">
            <Trans>
              Passkeys work only at an https address with a name, in a browser that has them.
            </Trans>
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
  const undoable = useUndoable();
  const refuse = useRefusal();
  const { id, name } = passkey;
  const rename = useForm(async (data) => {
    const next = String(data.get("name")).trim();
    const deed = renamePasskey(client, id, next);
    undoable(t`The passkey is now called ${next}.`, deed, () => {
      renamePasskey(client, id, name).catch(refuse);
    });
    await deed;
  });
  const made = relativeTime(passkey.createdAt, now, i18n.locale);
  const used = passkey.lastUsedAt && relativeTime(passkey.lastUsedAt, now, i18n.locale);
  return (
    <li className="setting">
      <div className="text">
        <span className="name">{name}</span>
        <p className="hint">
          {[
            t`made ${made}`,
            used ? t`last used ${used}` : t`never used`,
            passkey.isSynced ? t`on all your devices` : t`on one device`,
          ].join(" · ")}
        </p>
        {passkey.isSuspect && (
          <p className="bad">
            <Trans>There may be a copy of it: remove it and register another.</Trans>
          </p>
        )}
      </div>
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
      <button
        type="button"
        className="btn"
        aria-label={`${t`Remove`}: ${name}`}
        onClick={async (event) => {
          const button = event.currentTarget;
          try {
            if (await ensure()) remove(pathOf(id), t`The passkey ${name} is removed.`, button);
          } catch (cause) {
            refuse(cause);
          }
        }}
      >
        <Trans>Remove</Trans>
      </button>
    </li>
  );
}
