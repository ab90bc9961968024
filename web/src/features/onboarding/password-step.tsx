import { Trans, useLingui } from "@lingui/react/macro";
import { FirstPassword } from "@/ui/first-password";
import { showToast } from "@/ui/toasts";
import "./first-steps.css";

/** Asks a person who signed in with a one-time link to set a password before the session ends. */
export function PasswordStep() {
  const { t } = useLingui();
  return (
    <div className="password-step">
      <p>
        <Trans>
          The link that signed you in works once. Set a password to sign in again, here or on your
          phone.
        </Trans>
      </p>
      <FirstPassword onSet={() => showToast(t`Password set`)} />
    </div>
  );
}
