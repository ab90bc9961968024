import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { LogOut } from "lucide-react";
import { setEmail, setPassword } from "@/data/account/account";
import { logout } from "@/data/logout";
import { useMe } from "@/data/me";
import { ErrorNote } from "@/ui/error-note";
import { showError } from "@/ui/show-error";
import { showToast } from "@/ui/toasts";
import { offerUndo } from "@/ui/undo";
import { useFreshSignIn } from "./fresh-sign-in";
import { Identities } from "./identities";
import { Asked, Card } from "./parts";
import { Passkeys } from "./passkeys";
import { CurrentPassword, HiddenUsername, NewPassword } from "./password-fields";
import { useForm } from "./use-form";

export function Account() {
  const { t } = useLingui();
  const client = useQueryClient();
  const me = useMe();
  const signOut = async () => {
    try {
      await logout(client);
    } catch (cause) {
      showError(cause);
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
                  <LogOut size={16} />
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
  const { busy, error, onSubmit } = useForm(async (data) => {
    const next = String(data.get("email")).trim();
    const current = String(data.get("current"));
    await fresh.run(() => setEmail(client, current, next));
    offerUndo(`${t`Email address`}: ${next}`, () => setEmail(client, current, email));
  });
  return (
    <details className="unfold">
      <summary className="btn">
        <Trans>Change email address</Trans>
      </summary>
      <form onSubmit={onSubmit}>
        <div className="field">
          <label htmlFor="new-email">
            <Trans>New email address</Trans>
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
        <CurrentPassword id="email-current" />
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
    showToast(t`Password changed. All other devices were signed out.`);
  });
  return (
    <details className="unfold">
      <summary className="btn">
        <Trans>Change password</Trans>
      </summary>
      <form onSubmit={onSubmit}>
        <p className="hint">
          <Trans>Leave the current password empty if you have not set one.</Trans>
        </p>
        <HiddenUsername email={email} />
        <CurrentPassword id="current" />
        <NewPassword id="new-password" />
        <div className="checks">
          <label>
            <input type="checkbox" name="revoke" defaultChecked />
            <Trans>Also revoke API tokens and app passwords</Trans>
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
