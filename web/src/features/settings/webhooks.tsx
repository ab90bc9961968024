import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useRemoved } from "@/data/account/removals";
import { createWebhook, useWebhooks, type WebhookConfig } from "@/data/account/webhooks";
import { showToast } from "@/ui/toasts";
import { useFreshSignIn } from "./fresh-sign-in";
import { Asked, Card, Secret } from "./parts";
import { WebhookForm } from "./webhook-form";
import { WebhookRow, webhookPath } from "./webhook-row";

/** Addresses that are notified of new and starred items (docs/use/webhooks.md). */
export function Webhooks() {
  const { t } = useLingui();
  const webhooks = useWebhooks();
  const removed = useRemoved();
  return (
    <>
      <Card
        title={t`Webhooks`}
        hint={t`Send articles and problems to ntfy, Slack, Readwise and other services, or to a URL of yours.`}
      >
        <Asked query={webhooks}>
          {(all) => {
            const list = all.filter((one) => !removed.has(webhookPath(one.id)));
            return list.length === 0 ? (
              <p className="hint">
                <Trans>No webhooks yet. Add one below.</Trans>
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
      <NewWebhook />
    </>
  );
}

function NewWebhook() {
  const { t } = useLingui();
  const client = useQueryClient();
  const [secret, setSecret] = useState("");
  const [count, setCount] = useState(0);
  const fresh = useFreshSignIn();
  const create = async (config: WebhookConfig) => {
    const made = await createWebhook(client, config);
    if (config.format === "ruri") return setSecret(made);
    setCount(count + 1); // an empty form
    showToast(t`Webhook created`);
  };
  if (secret !== "")
    return (
      <Card title={t`New webhook`}>
        <Secret label={t`Secret`} value={secret} onDone={() => setSecret("")} />
      </Card>
    );
  return (
    <Card title={t`New webhook`}>
      <WebhookForm
        key={count}
        id="hook"
        submit={t`Create webhook`}
        onSave={(config) => fresh.run(() => create(config))}
      />
      {fresh.dialog}
    </Card>
  );
}
