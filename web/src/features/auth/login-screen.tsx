import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { type ApiError, toApiError } from "@/data/api-error";
import { flags } from "@/data/flags";
import { suspendOfflineCopy } from "@/data/offline/keeper";
import { setSettings } from "@/data/settings";
import { login, type SignInMethods, signInError, signInWithPasskey, signUp } from "@/data/sign-in";
import { navigate } from "@/data/use-route";
import type { Locale } from "@/i18n/locale";
import { ErrorNote } from "@/ui/error-note";
import { Logo } from "@/ui/logo";
import { Note } from "@/ui/note";
import { forgetUndos } from "@/ui/toasts";
import { OtherWays } from "./other-ways";

export interface LoginProps {
  next: string;
  reason: string | null;
  /** Signs up: the form creates an account. */
  isNew?: boolean;
}

/** Why a sign-in that left the page failed. */
function SignInFailure({ code }: { code: string }) {
  const { i18n } = useLingui();
  const [error, setError] = useState<ApiError | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the server answers in the language of the page
  useEffect(() => void signInError(code).then(setError), [code, i18n.locale]);
  return error && <ErrorNote error={error} />;
}

interface Props extends LoginProps {
  ways?: SignInMethods | null;
}

export function LoginScreen({ next, reason, isNew = false, ways = null }: Props) {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const email = useRef<HTMLInputElement>(null);
  const password = useRef<HTMLInputElement>(null);

  // Another person may sign in: nothing of the first one stays.
  useEffect(() => {
    client.clear();
    flags.clear();
    forgetUndos();
    void suspendOfflineCopy();
    email.current?.focus();
  }, [client]);

  useEffect(() => {
    document.title = `${isNew ? t`Sign up` : t`Sign in`} · Ruri`;
  }, [t, isNew]);

  const attempt = async (enter: () => Promise<void>, failed?: () => void) => {
    if (busy) return;
    setBusy(true);
    setError(null);
    try {
      await enter();
      navigate(next, { replace: true });
    } catch (cause) {
      setError(toApiError(cause));
      setBusy(false);
      failed?.();
    }
  };

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const name = String(form.get("email")).trim();
    const secret = String(form.get("password"));
    void attempt(
      () => (isNew ? signUp(name, secret) : login(name, secret)),
      () => {
        password.current?.focus();
        password.current?.select();
      },
    );
  };

  return (
    <div className="login">
      <main>
        <h1 className="mb-6 flex items-center gap-3 text-xl font-semibold">
          <Logo size={32} />
          Ruri Reader
        </h1>
        {reason === "link" && (
          <div className="mb-4">
            <Note kind="warn" live>
              <Trans>
                This sign-in link has been used or has expired. Sign in here, or create a new link
                with <code>ruri link</code>.
              </Trans>
            </Note>
          </div>
        )}
        {reason !== null && reason !== "link" && !error && (
          <div className="mb-4">
            <SignInFailure code={reason} />
          </div>
        )}
        {isNew && (
          <p className="mb-4">
            <Trans>Choose how to sign in from now on.</Trans>
          </p>
        )}
        <form onSubmit={submit} className="flex flex-col gap-4">
          <div className="field">
            <label htmlFor="email">
              <Trans>Email address</Trans>
            </label>
            <input
              ref={email}
              id="email"
              name="email"
              type="email"
              autoComplete="username"
              required
              maxLength={254}
            />
          </div>
          <div className="field">
            <label htmlFor="password">
              <Trans>Password</Trans>
            </label>
            <input
              ref={password}
              id="password"
              name="password"
              type="password"
              autoComplete={isNew ? "new-password" : "current-password"}
              required
              minLength={isNew ? 8 : undefined}
              maxLength={1024}
              aria-invalid={error?.code === "wrong_login" || undefined}
            />
          </div>
          {error && <ErrorNote error={error} />}
          <button type="submit" className="btn btn-main min-h-11" aria-disabled={busy}>
            {busy ? (
              <Trans>Signing in…</Trans>
            ) : isNew ? (
              <Trans>Sign up</Trans>
            ) : (
              <Trans>Sign in</Trans>
            )}
          </button>
        </form>
        <OtherWays
          ways={ways}
          next={next}
          isNew={isNew}
          onPasskey={() => void attempt(signInWithPasskey)}
        />
        {!isNew && (
          <p className="own-machine mt-6 pt-4 text-ink2">
            <Trans>
              Running Ruri on your own machine? Open the one-time link that <code>ruri link</code>{" "}
              prints.
            </Trans>
          </p>
        )}
        <label className="mt-4 flex items-center gap-2 text-ink2">
          <span lang="en">Language / 言語</span>
          <select
            className="language"
            value={i18n.locale}
            onChange={(event) => void setSettings({ language: event.target.value as Locale })}
          >
            <option value="en" lang="en">
              English
            </option>
            <option value="ja" lang="ja">
              日本語
            </option>
          </select>
        </label>
      </main>
    </div>
  );
}
