import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useGone } from "@/data/account/removals";
import { makeWebhook, useWebhooks, type Webhook, type WebhookEvent } from "@/data/account/webhooks";
import { ErrorNote } from "@/ui/error-note";
import { Choice } from "./controls";
import { Asked, Card, Secret } from "./parts";
import { useForm } from "./use-form";
import { WebhookRow, webhookPath } from "./webhook-row";

/** Addresses that are told of new and starred items (docs/webhooks.md). */
export function Webhooks() {
  const { t } = useLingui();
  const webhooks = useWebhooks();
  const gone = useGone();
  return (
    <>
      <Card
        title={t`Webhooks`}
        hint={t`The reader tells an address of yours of new or starred items, signed with a secret.`}
      >
        <Asked query={webhooks}>
          {(all) => {
            const list = all.filter((one) => !gone.has(webhookPath(one.id)));
            return list.length === 0 ? (
              <p className="hint">
                <Trans>There is no webhook yet.</Trans>
              </p>
            ) : (
              <ul>
                {list.map((one) => (
                  <WebhookRow key={one.id} hook={one} />
                ))}
              </ul>
            );
          }}
        </Asked>
      </Card>
      <MakeWebhook />
    </>
  );
}

function MakeWebhook() {
  const { t } = useLingui();
  const client = useQueryClient();
  const [secret, setSecret] = useState("");
  const [events, setEvents] = useState<readonly WebhookEvent[]>(["new"]);
  const [feeds, setFeeds] = useState<Webhook["feeds"]>("all");
  const { busy, error, onSubmit } = useForm(async (data) => {
    const url = String(data.get("url")).trim();
    setSecret(await makeWebhook(client, { url, events: [...events], feeds }));
  });
  if (secret !== "")
    return (
      <Card title={t`New webhook`}>
        <Secret label={t`Secret`} value={secret} onDone={() => setSecret("")} />
      </Card>
    );
  const offered: readonly { event: WebhookEvent; label: string }[] = [
    { event: "new", label: t`New items` },
    { event: "starred", label: t`Items that you star` },
  ];
  return (
    <Card title={t`New webhook`}>
      <form onSubmit={onSubmit}>
        <div className="field">
          <label htmlFor="hook-url">
            <Trans>Address (URL)</Trans>
          </label>
          <input
            id="hook-url"
            name="url"
            type="url"
            required
            maxLength={2000}
            placeholder="https://"
            autoComplete="off"
          />
        </div>
        <fieldset className="checks">
          <legend>
            <Trans>It is told of</Trans>
          </legend>
          {offered.map(({ event, label }) => (
            <label key={event}>
              <input
                type="checkbox"
                checked={events.includes(event)}
                onChange={({ target }) =>
                  setEvents(
                    target.checked ? [...events, event] : events.filter((one) => one !== event),
                  )
                }
              />
              {label}
            </label>
          ))}
        </fieldset>
        {events.includes("new") && (
          <Choice<Webhook["feeds"]>
            label={t`New items of`}
            value={feeds}
            options={[
              { value: "all", label: t`All feeds` },
              { value: "notify", label: t`Feeds with notices` },
            ]}
            onChoose={({ value }) => setFeeds(value)}
          />
        )}
        {error && <ErrorNote error={error} />}
        <div className="acts">
          <button type="submit" className="btn btn-main" aria-disabled={busy}>
            <Trans>Make the webhook</Trans>
          </button>
        </div>
      </form>
    </Card>
  );
}
