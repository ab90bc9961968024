import { Trans } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { setPassword } from "@/data/account/account";
import { useMe } from "@/data/me";
import { ErrorNote } from "./error-note";
import { HiddenUsername, NewPassword } from "./password-fields";
import { useForm } from "./use-form";

interface Props {
  /** After the password is set. */
  onSet: (email: string, password: string) => Promise<void> | void;
}

/** For whoever came by a one-time link and has no password yet. */
export function FirstPassword({ onSet }: Props) {
  const client = useQueryClient();
  const email = useMe().data?.user.email ?? "";
  const { busy, error, onSubmit } = useForm(async (data) => {
    const password = String(data.get("password"));
    await setPassword(client, "", password, false);
    await onSet(email, password);
  });
  return (
    <form onSubmit={onSubmit} className="first-password flex flex-col gap-4">
      <HiddenUsername email={email} />
      <NewPassword id="first-password" />
      {error && <ErrorNote error={error} />}
      <button type="submit" className="btn" aria-disabled={busy}>
        <Trans>Set password</Trans>
      </button>
    </form>
  );
}
