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
