import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  changeWebhook,
  type Outcome,
  retryDelivery,
  testWebhook,
  type Webhook,
  type WebhookConfig,
  webhooksQuery,
} from "@/data/account/webhooks";
import { useSearches } from "@/data/searches";
import { relativeTime } from "@/i18n/format";
import { useNow } from "@/i18n/use-now";
import { Dialog } from "@/ui/dialog";
import { Note } from "@/ui/note";
import { showError } from "@/ui/show-error";
import { showToast } from "@/ui/toasts";
import { offerUndo, withUndo } from "@/ui/undo";
import { services } from "@/ui/webhook-name";
import { Switch } from "./controls";
import { useFreshSignIn } from "./fresh-sign-in";
import { Secret } from "./parts";
import { useRemove } from "./use-remove";
import { useEventNames, WebhookForm } from "./webhook-form";

export const webhookPath = (id: string) => `/api/webhooks/${encodeURIComponent(id)}`;

export function WebhookRow({ hook }: { hook: Webhook }) {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const now = useNow();
  const remove = useRemove();
  const [secret, setSecret] = useState("");
  const [busy, setBusy] = useState(false);
  const [edits, setEdits] = useState(false);
  const [tested, setTested] = useState<Outcome | null>(null);
  const describe = useOutcome();
  const fresh = useFreshSignIn();
  const { id, url, isEnabled } = hook;
  const search = useSearches().find((one) => one.id === hook.searchId);
  const ago = (at: string | null) => (at ? relativeTime(at, now, i18n.locale) : "");
  const well = ago(hook.lastSucceededAt);
  const failing = ago(hook.failingSince);
  const names = useEventNames();
  const events = hook.events.map((one) => names[one]);

  const change = async (config: WebhookConfig) => {
    const { events, feeds, searchId, format } = hook;
    const old: WebhookConfig = {
      ...{ url, events, feeds, searchId, format },
      key: hook.key ?? "",
      template: hook.template ?? "",
      headers: hook.headers ?? {},
    };
    await fresh.run(() => changeWebhook(client, id, config));
    setEdits(false);
    setTested(null);
    offerUndo(t`Webhook saved`, () => changeWebhook(client, id, old));
  };
  const attempt = async (action: () => Promise<void>) => {
    if (busy) return;
    setBusy(true);
    try {
      await action();
    } catch (cause) {
      showError(cause);
    } finally {
      setBusy(false);
    }
  };
  return (
    <li className="hook">
      <Switch
        label={url}
        hint={[
          hook.format === "own" ? t`Your own template` : services[hook.format],
          events.join(", "),
          hook.feeds === "notify" && t`Feeds with “Notify my devices” on`,
          search && t`Matches of “${search.name}”`,
          well && t`last delivered ${well}`,
        ]
          .filter(Boolean)
          .join(" · ")}
        value={isEnabled}
        onChange={(next) =>
          void withUndo(
            next ? t`Webhook turned on` : t`Webhook turned off`,
            changeWebhook(client, id, { isEnabled: next }),
            () => changeWebhook(client, id, { isEnabled: !next }),
          )
        }
      />
      {hook.offReason === "search_gone" && (
        <Note kind="err">
          <Trans>
            Turned off because its saved search was deleted. Choose another one or all articles,
            then turn it on again.
          </Trans>
        </Note>
      )}
      {hook.offReason === "failing" ? (
        <Note kind="err">
          <Trans>
            Turned off because deliveries failed for a week. Fix the URL, then turn it on again.
          </Trans>
        </Note>
      ) : (
        failing && (
          <Note kind="warn">
            <Trans>Failing since {failing}.</Trans>
          </Note>
        )
      )}
      {tested && (
        <Note kind={tested.code === null ? "ok" : "err"} live>
          {describe(tested)}
        </Note>
      )}
      <div className="acts">
        <button
          type="button"
          className="btn"
          aria-label={`${t`Test`}: ${url}`}
          aria-disabled={busy}
          onClick={() =>
            void attempt(async () => {
              setTested(await testWebhook(id));
              await client.invalidateQueries(webhooksQuery);
            })
          }
        >
          <Trans>Test</Trans>
        </button>
        <button
          type="button"
          className="btn"
          aria-label={`${t`Edit…`}: ${url}`}
          onClick={() => setEdits(true)}
        >
          <Trans>Edit…</Trans>
        </button>
        {hook.format === "ruri" && (
          <button
            type="button"
            className="btn"
            aria-label={`${t`New secret`}: ${url}`}
            aria-disabled={busy}
            onClick={() =>
              void attempt(() =>
                fresh.run(async () =>
                  setSecret(await changeWebhook(client, id, { renewSecret: true })),
                ),
              )
            }
          >
            <Trans>New secret</Trans>
          </button>
        )}
        <button
          type="button"
          className="btn"
          aria-label={`${t`Delete`}: ${url}`}
          onClick={(event) => remove(webhookPath(id), t`Webhook deleted`, event.currentTarget)}
        >
          <Trans>Delete</Trans>
        </button>
      </div>
      {edits && (
        <Dialog title={t`Edit webhook`} onClose={() => setEdits(false)}>
          <WebhookForm id={`hook-${id}`} hook={hook} submit={t`Save`} onSave={change}>
            <button type="button" className="btn" onClick={() => setEdits(false)}>
              <Trans>Cancel</Trans>
            </button>
          </WebhookForm>
        </Dialog>
      )}
      {fresh.dialog}
      {secret !== "" && <Secret label={t`Secret`} value={secret} onDone={() => setSecret("")} />}
      {hook.givenUp.length > 0 && (
        <details open>
          <summary>
            {t`${plural(hook.givenUp.length, {
              one: "# failed delivery",
              other: "# failed deliveries",
            })}`}
          </summary>
          <ul>
            {hook.givenUp.map((one) => (
              <li key={one.delivery} className="setting">
                <span className="text">
                  {ago(one.at)} · {describe(one)}
                </span>
                <button
                  type="button"
                  className="btn"
                  aria-disabled={busy}
                  onClick={() =>
                    void attempt(async () => {
                      await retryDelivery(client, id, one.delivery);
                      showToast(t`Resending`);
                    })
                  }
                >
                  <Trans>Send again</Trans>
                </button>
              </li>
            ))}
          </ul>
        </details>
      )}
      {hook.outcomes.length > 0 && (
        <details>
          <summary>
            <Trans>Recent deliveries</Trans>
          </summary>
          <ul>
            {hook.outcomes.map((one) => (
              <li key={`${one.delivery} ${one.at}`} className="hint">
                {ago(one.at)} · {describe(one)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

/** The outcome of a delivery in words. */
function useOutcome(): (outcome: Outcome) => string {
  const { t } = useLingui();
  return ({ message, status, durationMs }) => {
    if (message === null) return t`Delivered (${status}, ${durationMs} ms).`;
    return status === null ? message : `HTTP ${status}: ${message}`;
  };
}
