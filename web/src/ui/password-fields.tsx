import { Trans } from "@lingui/react/macro";

export function CurrentPassword({ id }: { id: string }) {
  return (
    <div className="field">
      <label htmlFor={id}>
        <Trans>Current password</Trans>
      </label>
      <input
        id={id}
        name="current"
        type="password"
        autoComplete="current-password"
        maxLength={1024}
      />
    </div>
  );
}

export function NewPassword({ id }: { id: string }) {
  return (
    <div className="field">
      <label htmlFor={id}>
        <Trans>New password (at least 8 characters)</Trans>
      </label>
      <input
        id={id}
        name="password"
        type="password"
        autoComplete="new-password"
        required
        minLength={8}
        maxLength={256}
      />
    </div>
  );
}

/** Tells password managers whose password is asked for. */
export function HiddenUsername({ email }: { email: string }) {
  return (
    <input
      className="sr-only"
      name="email"
      autoComplete="username"
      value={email}
      readOnly
      tabIndex={-1}
      aria-hidden="true"
    />
  );
}
