import { Trans, useLingui } from "@lingui/react/macro";
import { Copy } from "lucide-react";
import { useRef } from "react";
import { IconButton } from "@/ui/icon-button";
import { type AppAccount, type ClientApp, feverPath, greaderPath } from "./client-apps";
import { useCopy } from "./use-copy";

interface Props {
  /** undefined: one that is not in the list. */
  app: ClientApp | undefined;
  account: AppAccount;
}

/** What to choose and to enter in an app. */
export function AppSteps({ app, account }: Props) {
  const { t } = useLingui();
  const { origin, email } = account;
  if (app?.config) {
    const { file } = app;
    return (
      <div className="steps">
        <p>
          {file ? (
            <Trans>
              Create an app password, then add these lines to <code>{file}</code>:
            </Trans>
          ) : (
            <Trans>
              Create an app password, then use it as the API token of a Miniflux server:
            </Trans>
          )}
        </p>
        <Lines text={app.config(account)} canCopy={account.password !== null} />
      </div>
    );
  }
  if (!app)
    return (
      <div className="steps">
        <p>
          <Trans>
            Choose the first of these services that the app offers, and enter the address, your user
            name and an app password.
          </Trans>
        </p>
        <dl>
          <Value label="FreshRSS, Google Reader API" value={origin + greaderPath} />
          <Value label="Miniflux" value={origin} />
          <Value label="Fever" value={origin + feverPath} />
          <Value label={t`User name`} value={email} />
        </dl>
        <p className="hint">
          <Trans>Where an app asks for an API token or key, enter the app password.</Trans>
        </p>
      </div>
    );
  const { name, service, path } = app;
  return (
    <div className="steps">
      <ol>
        <li>
          <Trans>
            In {name}, add an account and choose <strong>{service}</strong>.
          </Trans>
        </li>
        <li>
          <Trans>Enter the address, the user name, and an app password that you create here.</Trans>
        </li>
      </ol>
      <dl>
        <Value label={t`Server address`} value={origin + path} />
        <Value label={t`User name`} value={email} />
      </dl>
    </div>
  );
}

function Value({ label, value }: { label: string; value: string }) {
  const { t } = useLingui();
  const copy = useCopy();
  const shown = useRef<HTMLElement>(null);
  return (
    <div className="value">
      <dt>{label}</dt>
      <dd>
        <code ref={shown}>{value}</code>
        <IconButton
          label={t`Copy: ${label}`}
          icon={<Copy size={16} />}
          onClick={() => void copy(value, shown.current)}
        />
      </dd>
    </div>
  );
}

function Lines({ text, canCopy }: { text: string; canCopy: boolean }) {
  const copy = useCopy();
  const shown = useRef<HTMLPreElement>(null);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, also by keyboard */}
      <pre ref={shown} tabIndex={0}>
        {text}
      </pre>
      {canCopy && (
        <button type="button" className="btn" onClick={() => void copy(text, shown.current)}>
          <Copy size={16} />
          <Trans>Copy these lines</Trans>
        </button>
      )}
    </>
  );
}
