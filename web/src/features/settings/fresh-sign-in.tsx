import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useSignInMethods } from "@/data/account/identities";
import { endSession, sessionsQuery, useSessions } from "@/data/account/sessions";
import { toApiError } from "@/data/api-error";
import { inward, outward } from "@/data/base";
import { useMe } from "@/data/me";
import { hasPasskeys, login, signInWithPasskey } from "@/data/sign-in";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { FirstPassword } from "@/ui/first-password";
import { HiddenUsername } from "@/ui/password-fields";
import { showError } from "@/ui/show-error";
import { offerUndo } from "@/ui/undo";
import { useForm } from "@/ui/use-form";

/** What outlives the session needs a sign-in of the last ten minutes; a little less, for the request itself. */
const freshFor = 9 * 60_000;

interface FreshSignIn {
  /** Asks for a sign-in where the last one is too old; false when the person cancels. */
  ensure: () => Promise<boolean>;
  /** Runs an action, and again after a sign-in where the server asks for one; throws when the person cancels. */
  run: (action: () => Promise<unknown>) => Promise<void>;
  /** Runs an action in the same way, and offers to undo it once the server has accepted it. */
  change: (text: string, action: () => Promise<unknown>, undo: () => unknown) => Promise<void>;
  dialog: ReactNode;
}

export function useFreshSignIn(): FreshSignIn {
  const client = useQueryClient();
  const [answer, setAnswer] = useState<((isFresh: boolean) => void) | null>(null);
  const ask = () => new Promise<boolean>((resolve) => setAnswer(() => resolve));
  const close = (isFresh: boolean) => {
    setAnswer(null);
    answer?.(isFresh);
  };
  const run = async (action: () => Promise<unknown>) => {
    try {
      await action();
    } catch (cause) {
      if (toApiError(cause).code !== "sign_in_again") throw cause;
      if (!(await ask())) throw cause;
      await action();
    }
  };
  return {
    ensure: async () => {
      const sessions = await client.fetchQuery(sessionsQuery);
      const here = sessions.find((one) => one.isCurrent);
      return (here && Date.now() - Date.parse(here.createdAt) < freshFor) || ask();
    },
    run,
    change: async (text, action, undo) => {
      try {
        await run(action);
        offerUndo(text, undo);
      } catch (cause) {
        showError(cause);
      }
    },
    dialog: answer && <SignInAgain onClose={close} />,
  };
}

function SignInAgain({ onClose }: { onClose: (isFresh: boolean) => void }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const me = useMe();
  const ways = useSignInMethods();
  const email = me.data?.user.email ?? "";
  const hasPassword = me.data?.user.hasPassword !== false;

  // The previous session is no longer needed.
  const renew = async (enter: () => Promise<void>) => {
    const old = client.getQueryData(sessionsQuery.queryKey)?.find((one) => one.isCurrent);
    await enter();
    if (old) await endSession(client, old.id).catch(() => undefined);
    await client.invalidateQueries(sessionsQuery);
    onClose(true);
  };
  const { busy, error, onSubmit } = useForm((data) =>
    renew(() => login(email, String(data.get("password")))),
  );
  const passkey = useForm(() => renew(signInWithPasskey));
  const here = useSessions().data?.find((one) => one.isCurrent);

  return (
    <Dialog title={t`Sign in again`} onClose={() => onClose(false)}>
      <p className="mb-4 text-ink2">
        <Trans>Sign in again to continue.</Trans>
      </p>
      {hasPassword && (
        <form onSubmit={onSubmit} className="flex flex-col gap-4">
          <HiddenUsername email={email} />
          <div className="field">
            <label htmlFor="again">
              <Trans>Password</Trans>
            </label>
            <input
              data-first
              id="again"
              name="password"
              type="password"
              autoComplete="current-password"
              required
              maxLength={1024}
            />
          </div>
          {(error ?? passkey.error) && <ErrorNote error={error ?? passkey.error} />}
          <button type="submit" className="btn btn-main" aria-disabled={busy}>
            <Trans>Sign in</Trans>
          </button>
        </form>
      )}
      <div className="mt-3 flex flex-col gap-3">
        {ways.data?.passkey && hasPasskeys() && (
          <form onSubmit={passkey.onSubmit} className="flex flex-col">
            <button type="submit" className="btn" aria-disabled={passkey.busy}>
              <Trans>Sign in with a passkey</Trans>
            </button>
          </form>
        )}
        {ways.data?.providers.map(({ id, name, url }) => (
          <a
            key={id}
            className="btn"
            href={outward(`${url}?next=${encodeURIComponent(inward(location.pathname))}`)}
          >
            <Trans>Sign in with {name}</Trans>
          </a>
        ))}
      </div>
      {here?.method === "link" && !hasPassword && (
        <section className="mt-6 flex flex-col gap-3">
          <h3 className="font-semibold">
            <Trans>No password yet?</Trans>
          </h3>
          <p className="text-ink2">
            <Trans>
              Set one here. Or print a new sign-in link with <code>ruri link</code> where this
              reader runs, and open it.
            </Trans>
          </p>
          <FirstPassword onSet={(...entered) => renew(() => login(...entered))} />
        </section>
      )}
    </Dialog>
  );
}
