import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  changeWebhook,
  type Outcome,
  renewSecret,
  retryDelivery,
  switchWebhook,
  testWebhook,
  type Webhook,
  type Wish,
  webhooksQuery,
} from "@/data/account/webhooks";
import { wordsFor } from "@/i18n/error-words";
import { relativeTime } from "@/i18n/format";
import { useNow } from "@/i18n/use-now";
import { Dialog } from "@/ui/dialog";
import { Note } from "@/ui/note";
import { showToast } from "@/ui/toasts";
import { Switch } from "./controls";
import { useFreshSignIn } from "./fresh-sign-in";
import { Secret } from "./parts";
import { useRemove } from "./use-remove";
import { useRefusal, useUndoable } from "./use-save";
import { WebhookForm } from "./webhook-form";

export const webhookPath = (id: string) => `/api/webhooks/${encodeURIComponent(id)}`;

export function WebhookRow({ hook }: { hook: Webhook }) {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const now = useNow();
  const remove = useRemove();
  const refuse = useRefusal();
  const undoable = useUndoable();
  const [secret, setSecret] = useState("");
  const [busy, setBusy] = useState(false);
  const [edits, setEdits] = useState(false);
  const [tested, setTested] = useState<Outcome | null>(null);
  const describe = useOutcome();
  const fresh = useFreshSignIn();
  const { id, url, isEnabled } = hook;
  const ago = (at: string | null) => (at ? relativeTime(at, now, i18n.locale) : "");
  const well = ago(hook.lastSucceededAt);
  const failing = ago(hook.failingSince);
  const events = hook.events.map((one) => (one === "new" ? t`New items` : t`Items that you star`));

  const change = async (wish: Wish) => {
    const old: Wish = { url, events: hook.events, feeds: hook.feeds };
    await fresh.run(() => changeWebhook(client, id, wish));
    setEdits(false);
    setTested(null);
    undoable(t`The webhook is changed.`, Promise.resolve(), () => {
      changeWebhook(client, id, old).catch(refuse);
    });
  };
  const attempt = async (deed: () => Promise<void>) => {
    if (busy) return;
    setBusy(true);
    try {
      await deed();
    } catch (cause) {
      refuse(cause);
    } finally {
      setBusy(false);
    }
  };
  return (
    <li className="hook">
      <Switch
        label={url}
        hint={[
          events.join(", "),
          hook.feeds === "notify" && t`Feeds with “Notify webhooks” on`,
          well && t`last got through ${well}`,
        ]
          .filter(Boolean)
          .join(" · ")}
        value={isEnabled}
        onChange={(next) =>
          undoable(
            next ? t`The webhook is on.` : t`The webhook is off.`,
            switchWebhook(client, id, next),
            () => {
              switchWebhook(client, id, !next).catch(refuse);
            },
          )
        }
      />
      {hook.offReason === "failing" ? (
        <Note kind="err">
          <Trans>
            It was switched off: nothing got through for a week. Mend it, and switch it on.
          </Trans>
        </Note>
      ) : (
        failing && (
          <Note kind="warn">
            <Trans>Nothing gets through, since {failing}.</Trans>
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
        <button
          type="button"
          className="btn"
          aria-label={`${t`New secret`}: ${url}`}
          aria-disabled={busy}
          onClick={() =>
            void attempt(() => fresh.run(async () => setSecret(await renewSecret(client, id))))
          }
        >
          <Trans>New secret</Trans>
        </button>
        <button
          type="button"
          className="btn"
          aria-label={`${t`Delete`}: ${url}`}
          onClick={(event) =>
            remove(webhookPath(id), t`The webhook is deleted.`, event.currentTarget)
          }
        >
          <Trans>Delete</Trans>
        </button>
      </div>
      {edits && (
        <Dialog title={t`Edit the webhook`} onClose={() => setEdits(false)}>
          <WebhookForm id={`hook-${id}`} hook={hook} submit={t`Save`} onWish={change}>
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
              one: "# delivery was given up",
              other: "# deliveries were given up",
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
                      showToast(t`It is sent again.`);
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
            <Trans>Last deliveries</Trans>
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

/** How a delivery ended, in words. */
function useOutcome(): (outcome: Outcome) => string {
  const { t, i18n } = useLingui();
  return ({ code, status, durationMs }) => {
    if (code === null) return t`It got through (${status}, ${durationMs} ms).`;
    if (code === "refused") return t`The address answered ${status}.`;
    if (code === "redirected")
      return t`The address leads elsewhere (${status}), which is not followed.`;
    if (code === "switched_off") return t`The webhook was off.`;
    return i18n._(wordsFor(code, "network").says);
  };
}
