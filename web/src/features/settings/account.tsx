import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { LogOut } from "lucide-react";
import { setEmail, setPassword } from "@/data/account/account";
import { logout } from "@/data/logout";
import { useMe } from "@/data/me";
import { navigate } from "@/data/use-route";
import { ErrorNote } from "@/ui/error-note";
import { showToast } from "@/ui/toasts";
import { useFreshSignIn } from "./fresh-sign-in";
import { Identities } from "./identities";
import { Asked, Card } from "./parts";
import { Passkeys } from "./passkeys";
import { useForm } from "./use-form";
import { useRefusal, useUndoable } from "./use-save";

export function Account() {
  const { t } = useLingui();
  const client = useQueryClient();
  const me = useMe();
  const refuse = useRefusal();
  const signOut = async () => {
    try {
      await logout(client);
      navigate("/login", { replace: true });
    } catch (cause) {
      refuse(cause);
    }
  };
  return (
    <>
      <Card title={t`Signed in as`}>
        <Asked query={me}>
          {({ user }) => (
            <>
              <div className="setting">
                <span className="text who">{user.email}</span>
                <button type="button" className="btn" onClick={() => void signOut()}>
                  <LogOut aria-hidden="true" size={16} />
                  <Trans>Sign out</Trans>
                </button>
              </div>
              <EmailForm email={user.email} />
              <PasswordForm email={user.email} />
            </>
          )}
        </Asked>
      </Card>
      <Passkeys />
      <Identities />
    </>
  );
}

function EmailForm({ email }: { email: string }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const fresh = useFreshSignIn();
  const undoable = useUndoable();
  const refuse = useRefusal();
  const { busy, error, onSubmit } = useForm(async (data) => {
    const next = String(data.get("email")).trim();
    const current = String(data.get("current"));
    await fresh.run(() => setEmail(client, current, next));
    undoable(`${t`E-mail address`}: ${next}`, Promise.resolve(), () => {
      setEmail(client, current, email).catch(refuse);
    });
  });
  return (
    <details className="unfold">
      <summary className="btn">
        <Trans>Change the e-mail address</Trans>
      </summary>
      <form onSubmit={onSubmit}>
        <div className="field">
          <label htmlFor="new-email">
            <Trans>New e-mail address</Trans>
          </label>
          <input
            id="new-email"
            name="email"
            type="email"
            autoComplete="email"
            required
            maxLength={254}
          />
        </div>
        <div className="field">
          <label htmlFor="email-current">
            <Trans>Current password</Trans>
          </label>
          <input
            id="email-current"
            name="current"
            type="password"
            autoComplete="current-password"
            maxLength={1024}
          />
        </div>
        {error && <ErrorNote error={error} />}
        <button type="submit" className="btn btn-main" aria-disabled={busy}>
          <Trans>Change</Trans>
        </button>
      </form>
      {fresh.dialog}
    </details>
  );
}

function PasswordForm({ email }: { email: string }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const fresh = useFreshSignIn();
  const { busy, error, onSubmit } = useForm(async (data) => {
    const current = String(data.get("current"));
    const revokeTokens = data.has("revoke");
    await fresh.run(() => setPassword(client, current, String(data.get("password")), revokeTokens));
    showToast(t`The password is changed. All other devices are signed out.`);
  });
  return (
    <details className="unfold">
      <summary className="btn">
        <Trans>Change the password</Trans>
      </summary>
      <form onSubmit={onSubmit}>
        <p className="hint">
          <Trans>If you have no password yet, leave the current one empty.</Trans>
        </p>
        <input
          className="sr-only"
          name="email"
          autoComplete="username"
          value={email}
          readOnly
          tabIndex={-1}
          aria-hidden="true"
        />
        <div className="field">
          <label htmlFor="current">
            <Trans>Current password</Trans>
          </label>
          <input
            id="current"
            name="current"
            type="password"
            autoComplete="current-password"
            maxLength={1024}
          />
        </div>
        <div className="field">
          <label htmlFor="new-password">
            <Trans>New password (8 characters or more)</Trans>
          </label>
          <input
            id="new-password"
            name="password"
            type="password"
            autoComplete="new-password"
            required
            minLength={8}
            maxLength={256}
          />
        </div>
        <div className="checks">
          <label>
            <input type="checkbox" name="revoke" defaultChecked />
            <Trans>Revoke the tokens of programs too</Trans>
          </label>
        </div>
        {error && <ErrorNote error={error} />}
        <button type="submit" className="btn btn-main" aria-disabled={busy}>
          <Trans>Change</Trans>
        </button>
      </form>
      {fresh.dialog}
    </details>
  );
}
