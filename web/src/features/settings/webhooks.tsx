import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useGone } from "@/data/account/removals";
import { makeWebhook, useWebhooks } from "@/data/account/webhooks";
import { useFreshSignIn } from "./fresh-sign-in";
import { Asked, Card, Secret } from "./parts";
import { WebhookForm } from "./webhook-form";
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
  const fresh = useFreshSignIn();
  if (secret !== "")
    return (
      <Card title={t`New webhook`}>
        <Secret label={t`Secret`} value={secret} onDone={() => setSecret("")} />
      </Card>
    );
  return (
    <Card title={t`New webhook`}>
      <WebhookForm
        id="hook"
        submit={t`Make the webhook`}
        onWish={(wish) => fresh.run(async () => setSecret(await makeWebhook(client, wish)))}
      />
      {fresh.dialog}
    </Card>
  );
}
