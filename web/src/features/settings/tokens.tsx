import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useRemoved } from "@/data/account/removals";
import { createToken, type Scope, type Token, tokenPath, useTokens } from "@/data/account/tokens";
import { useMe } from "@/data/me";
import { absoluteTime, relativeTime } from "@/i18n/format";
import { useNow } from "@/i18n/use-now";
import { ErrorNote } from "@/ui/error-note";
import { useForm } from "@/ui/use-form";
import { Choice } from "./controls";
import { useFreshSignIn } from "./fresh-sign-in";
import { Asked, Card, RowButton, Secret } from "./parts";
import { useRemove } from "./use-remove";

const day = 86_400_000;

export function Tokens() {
  const { t } = useLingui();
  const tokens = useTokens();
  const removed = useRemoved();
  const now = useNow();
  const remove = useRemove();
  return (
    <>
      <Card
        title={t`API tokens`}
        hint={t`Tokens let apps read or change your data without your password.`}
      >
        <Asked query={tokens}>
          {(all) => {
            const over = all.filter((one) => isOver(one, now));
            const working = all.filter(
              (one) => !over.includes(one) && !removed.has(tokenPath(one.id)),
            );
            return (
              <>
                {working.length === 0 && (
                  <p className="hint">
                    <Trans>No tokens yet. Create one below.</Trans>
                  </p>
                )}
                <ul>
                  {working.map((one) => (
                    <li key={one.id} className="setting">
                      <Described token={one} />
                      <RowButton
                        label={t`Revoke`}
                        of={one.name}
                        onPress={(button) =>
                          remove(tokenPath(one.id), t`Token ${one.name} revoked`, button)
                        }
                      />
                    </li>
                  ))}
                </ul>
                {over.length > 0 && (
                  <details>
                    <summary>
                      <Plural
                        value={over.length}
                        one="# expired or revoked token"
                        other="# expired or revoked tokens"
                      />
                    </summary>
                    <ul>
                      {over.map((one) => (
                        <li key={one.id} className="setting">
                          <Described token={one} />
                        </li>
                      ))}
                    </ul>
                  </details>
                )}
              </>
            );
          }}
        </Asked>
      </Card>
      <NewToken />
    </>
  );
}

function isOver({ revokedAt, expiresAt }: Token, now: number): boolean {
  return revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) <= now);
}

function Described({ token }: { token: Token }) {
  const { t, i18n } = useLingui();
  const now = useNow();
  const { lastUsedAt, expiresAt, revokedAt, createdBy, createdIn } = token;
  const ago = (at: string) => relativeTime(at, now, i18n.locale);
  const end = expiresAt && absoluteTime(expiresAt, i18n.locale);
  const created = ago(token.createdAt);
  const used = lastUsedAt && ago(lastUsedAt);
  const revoked = revokedAt && ago(revokedAt);
  const state = revoked
    ? t`revoked ${revoked}`
    : isOver(token, now)
      ? t`expired`
      : end
        ? t`expires ${end}`
        : t`never expires`;
  return (
    <div className="text">
      <span className="name">{token.name}</span>
      {token.description && <p className="hint">{token.description}</p>}
      <p className="hint">
        {[token.scopes.join(", "), used ? t`last used ${used}` : t`never used`, state].join(" · ")}
      </p>
      <p className="hint">
        {[t`created ${created}`, createdBy, createdIn].filter(Boolean).join(" · ")}
      </p>
    </div>
  );
}

function NewToken() {
  const { t } = useLingui();
  const client = useQueryClient();
  const me = useMe();
  const [days, setDays] = useState(90);
  const [token, setToken] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(["read"]);
  const fresh = useFreshSignIn();
  const { busy, error, onSubmit } = useForm(async (data) => {
    const name = String(data.get("name")).trim();
    const description = String(data.get("description")).trim();
    const expiresAt = days === 0 ? null : new Date(Date.now() + days * day).toISOString();
    await fresh.run(async () => {
      const made = await createToken(client, { name, description, scopes: [...scopes], expiresAt });
      setToken(made.token);
    });
  });
  const offered: readonly { scope: Scope; label: string }[] = [
    { scope: "read", label: t`Read your data` },
    { scope: "write", label: t`Change your data` },
    { scope: "admin", label: t`Manage your account` },
    ...(me.data?.user.isOwner ? [{ scope: "metrics" as const, label: t`Metrics` }] : []),
  ];
  // The scope "metrics" excludes the others.
  const toggle = (scope: Scope, isOn: boolean) =>
    setScopes(
      scope === "metrics"
        ? isOn
          ? ["metrics"]
          : ["read"]
        : isOn
          ? [...scopes.filter((one) => one !== "metrics"), scope]
          : scopes.filter((one) => one !== scope),
    );
  if (token !== "")
    return (
      <Card title={t`New token`}>
        <Secret label={t`Token`} value={token} onDone={() => setToken("")} />
      </Card>
    );
  return (
    <Card title={t`New token`}>
      <form onSubmit={onSubmit}>
        <div className="field">
          <label htmlFor="token-name">
            <Trans>Name (e.g. the app)</Trans>
          </label>
          <input id="token-name" name="name" required maxLength={100} autoComplete="off" />
        </div>
        <div className="field">
          <label htmlFor="token-description">
            <Trans>Description (optional)</Trans>
          </label>
          <input id="token-description" name="description" maxLength={500} autoComplete="off" />
        </div>
        <fieldset className="checks">
          <legend>
            <Trans>Permissions</Trans>
          </legend>
          {offered.map(({ scope, label }) => (
            <label key={scope}>
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                onChange={(event) => toggle(scope, event.target.checked)}
              />
              {label} <code>{scope}</code>
            </label>
          ))}
        </fieldset>
        <Choice
          label={t`Expires`}
          value={days}
          options={[
            { value: 30, label: t`30 days` },
            { value: 90, label: t`90 days` },
            { value: 365, label: t`A year` },
            { value: 0, label: t`Never` },
          ]}
          onChoose={(option) => setDays(option.value)}
        />
        {error && <ErrorNote error={error} />}
        <div className="acts">
          <button
            type="submit"
            className="btn btn-main"
            aria-disabled={busy || scopes.length === 0}
          >
            <Trans>Create token</Trans>
          </button>
        </div>
      </form>
      {fresh.dialog}
    </Card>
  );
}
