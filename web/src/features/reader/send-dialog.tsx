import { Trans, useLingui } from "@lingui/react/macro";
import { Send } from "lucide-react";
import { sendItem, useWebhooks, type Webhook } from "@/data/account/webhooks";
import { sending } from "@/data/sending";
import type { ItemSummary } from "@/data/types";
import { itemName } from "@/i18n/item-name";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Link } from "@/ui/link";
import { showError } from "@/ui/show-error";
import { showToast } from "@/ui/toasts";
import { hookName } from "@/ui/webhook-name";

/** Chooses a webhook to which an article is sent. */
export function SendDialog({ item }: { item: ItemSummary }) {
  const { t } = useLingui();
  const { data, error, refetch } = useWebhooks();
  const targets = data?.filter((one) => one.isEnabled && one.events.includes("sent"));
  const close = () => sending.set(null);
  const send = async (hook: Webhook) => {
    close();
    const name = hookName(hook);
    try {
      const { code, message } = await sendItem(item.id, hook.id);
      const reason = message ?? code ?? "";
      showToast(code === null ? t`Sent to ${name}` : t`Not sent to ${name} yet. ${reason}`);
    } catch (cause) {
      showError(cause);
    }
  };
  return (
    <Dialog title={t`Send to…`} onClose={close}>
      <p className="mb-4 text-ink2 break-words" dir="auto">
        {itemName(item)}
      </p>
      {error && !data && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && (
        <p role="status">
          <Trans>Loading…</Trans>
        </p>
      )}
      <div className="flex flex-col gap-2">
        {targets?.map((hook, at) => (
          <button
            key={hook.id}
            type="button"
            className="btn"
            data-first={at === 0 ? "" : undefined}
            onClick={() => void send(hook)}
          >
            <Send size={16} />
            {hookName(hook)}
          </button>
        ))}
      </div>
      {targets?.length === 0 && (
        <p className="flex flex-col gap-4">
          <Trans>
            No place to send to yet. Add a webhook, for example to ntfy, Slack or Readwise, with
            “Articles that you send” on.
          </Trans>
          <Link className="btn btn-main" href="/settings/webhooks" onClick={close}>
            <Trans>Webhooks</Trans>
          </Link>
        </p>
      )}
    </Dialog>
  );
}
