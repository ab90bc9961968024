import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { LogOut } from "lucide-react";
import { setEmail, setPassword } from "@/data/account/account";
import { logout } from "@/data/logout";
import { useMe } from "@/data/me";
import type { User } from "@/data/types";
import { ErrorNote } from "@/ui/error-note";
import { CurrentPassword, HiddenUsername, NewPassword } from "@/ui/password-fields";
import { showError } from "@/ui/show-error";
import { showToast } from "@/ui/toasts";
import { offerUndo } from "@/ui/undo";
import { useForm } from "@/ui/use-form";
import { Assistant } from "./assistant";
import { useFreshSignIn } from "./fresh-sign-in";
import { Identities } from "./identities";
import { Asked, Card } from "./parts";
import { Passkeys } from "./passkeys";

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
              <EmailForm user={user} />
              <PasswordForm user={user} />
            </>
          )}
        </Asked>
      </Card>
      <Passkeys />
      <Identities />
      <Assistant />
    </>
  );
}

function EmailForm({ user: { email, hasPassword } }: { user: User }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const fresh = useFreshSignIn();
  const { busy, error, onSubmit } = useForm(async (data) => {
    const next = String(data.get("email")).trim();
    const current = String(data.get("current") ?? "");
    await fresh.run(() => setEmail(client, current, next));
    offerUndo(`${t`Email address`}: ${next}`, () => setEmail(client, current, email));
  });
  return (
    <details className="unfold" name="account">
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
        {hasPassword && <CurrentPassword id="email-current" />}
        {error && <ErrorNote error={error} />}
        <button type="submit" className="btn btn-main" aria-disabled={busy}>
          <Trans>Change</Trans>
        </button>
      </form>
      {fresh.dialog}
    </details>
  );
}

function PasswordForm({ user: { email, hasPassword } }: { user: User }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const fresh = useFreshSignIn();
  const { busy, error, onSubmit } = useForm(async (data) => {
    const current = String(data.get("current") ?? "");
    const revokeTokens = data.has("revoke");
    await fresh.run(() => setPassword(client, current, String(data.get("password")), revokeTokens));
    showToast(
      hasPassword
        ? t`Password changed. All other devices were signed out.`
        : t`Password set. All other devices were signed out.`,
    );
  });
  return (
    <details className="unfold" name="account">
      <summary className="btn">
        {hasPassword ? <Trans>Change password</Trans> : <Trans>Set password</Trans>}
      </summary>
      <form onSubmit={onSubmit}>
        <HiddenUsername email={email} />
        {hasPassword && <CurrentPassword id="current" />}
        <NewPassword id="new-password" />
        <div className="checks">
          <label>
            <input type="checkbox" name="revoke" defaultChecked />
            <Trans>Also revoke API tokens and app passwords</Trans>
          </label>
        </div>
        {error && <ErrorNote error={error} />}
        <button type="submit" className="btn btn-main" aria-disabled={busy}>
          {hasPassword ? <Trans>Change</Trans> : <Trans>Set password</Trans>}
        </button>
      </form>
      {fresh.dialog}
    </details>
  );
}
