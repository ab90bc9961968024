import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { createToken, useAppPasswords } from "@/data/account/tokens";
import { ownAddress } from "@/data/base";
import { useMe } from "@/data/me";
import { ErrorNote } from "@/ui/error-note";
import { useForm } from "@/ui/use-form";
import { AppQr } from "./app-qr";
import { AppSteps } from "./app-steps";
import {
  androidApps,
  appleApps,
  type ClientApp,
  desktopApps,
  greaderPath,
  scriptedApps,
} from "./client-apps";
import { useFreshSignIn } from "./fresh-sign-in";
import { Card, Secret } from "./parts";

/** An app that is not in the list. */
const other = "other";

/** Creates an app password, and says step by step what to do in the app. */
export function NewApp() {
  const { t } = useLingui();
  const client = useQueryClient();
  const me = useMe();
  const fresh = useFreshSignIn();
  const [chosen, setChosen] = useState("");
  const select = useRef<HTMLSelectElement>(null);
  const [made, setMade] = useState<{ id: string; token: string } | null>(null);
  const groups: readonly [string, readonly ClientApp[]][] = [
    [t`iPhone, iPad and Mac`, appleApps],
    [t`Android`, androidApps],
    [t`Windows, Mac and Linux`, desktopApps],
    [t`Terminal and scripts`, scriptedApps],
  ];
  const app = groups.flatMap(([, apps]) => apps).find((one) => one.name === chosen);
  const { busy, error, onSubmit } = useForm(async (data) => {
    const name = app?.name ?? String(data.get("name")).trim();
    await fresh.run(async () => {
      setMade(await createToken(client, { name, scopes: ["sync"], expiresAt: null }));
    });
  });
  const account = {
    origin: ownAddress(),
    email: me.data?.user.email ?? "",
    password: made?.token ?? null,
  };
  return (
    <Card
      title={t`Connect an app`}
      hint={t`Read in another app; feeds, read state and stars stay in sync. The app signs in with an app password, not with your own.`}
    >
      <div className="field choose-app">
        <label htmlFor="app">
          <Trans>App</Trans>
        </label>
        <select
          ref={select}
          id="app"
          value={chosen}
          disabled={made !== null}
          onChange={(event) => setChosen(event.target.value)}
        >
          <option value="">{t`Choose an app…`}</option>
          {groups.map(([label, apps]) => (
            <optgroup key={label} label={label}>
              {apps.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </optgroup>
          ))}
          <option value={other}>{t`Another app`}</option>
        </select>
      </div>
      {chosen !== "" && (
        <>
          <AppSteps app={app} account={account} />
          {made ? (
            <>
              <Secret
                label={t`App password`}
                value={made.token}
                onDone={() => {
                  setMade(null);
                  setChosen("");
                  requestAnimationFrame(() => select.current?.focus());
                }}
              />
              <FirstSync id={made.id} />
            </>
          ) : (
            <form onSubmit={onSubmit}>
              {!app && (
                <div className="field">
                  <label htmlFor="app-name">
                    <Trans>Name of the app</Trans>
                  </label>
                  <input id="app-name" name="name" required maxLength={100} autoComplete="off" />
                </div>
              )}
              {error && <ErrorNote error={error} />}
              <button type="submit" className="btn btn-main" aria-disabled={busy}>
                <Trans>Create app password</Trans>
              </button>
            </form>
          )}
          {!app?.config && (
            <AppQr
              address={account.origin + (app?.path ?? greaderPath)}
              email={account.email}
              password={account.password}
            />
          )}
        </>
      )}
      {fresh.dialog}
    </Card>
  );
}

/** Says when the new password was used for the first time: then the app is set up. */
function FirstSync({ id }: { id: string }) {
  const { t } = useLingui();
  const password = useAppPasswords().data?.find((one) => one.id === id);
  const name = password?.name;
  const isUsed = password?.lastUsedAt != null;
  return (
    <p className="first-sync" role="status" data-used={isUsed || undefined}>
      {isUsed ? t`Connected: ${name} has signed in.` : t`Waiting for the app to sign in…`}
    </p>
  );
}
