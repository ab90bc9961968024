import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useWebhooks } from "@/data/account/webhooks";
import { createLabel } from "@/data/mutations/labels";
import { useKnownTree } from "@/data/tree";
import { NewName } from "@/ui/new-name";
import { hookName } from "@/ui/webhook-name";
import type { Draft } from "./draft";

interface Props {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
  wrong: string | undefined;
}

/** The actions of a rule. */
export function ActionChoice({ draft, onChange, wrong }: Props) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { labels } = useKnownTree();
  // Those that are chosen are there to be taken away, also when they are off.
  const targets = (useWebhooks().data ?? []).filter(
    (one) => (one.isEnabled && one.events.includes("sent")) || draft.sendTo.includes(one.id),
  );
  const names = {
    hide: t`Hide (still listed under “Hidden by rules”)`,
    read: t`Mark as read`,
    star: t`Add star`,
  };
  return (
    <fieldset className="part" data-wrong={wrong ? "" : undefined}>
      <legend>
        <Trans>Actions</Trans>
      </legend>
      {(["hide", "read", "star"] as const).map((action) => (
        <label key={action} className="check">
          <input
            type="checkbox"
            checked={draft[action]}
            onChange={(event) => onChange({ [action]: event.target.checked })}
          />
          {names[action]}
        </label>
      ))}
      {labels.map(({ id, name }) => (
        <label key={id} className="check">
          <input
            type="checkbox"
            checked={draft.labels.includes(id)}
            onChange={(event) =>
              onChange({
                labels: event.target.checked
                  ? [...draft.labels, id]
                  : draft.labels.filter((one) => one !== id),
              })
            }
          />
          <span className="min-w-0 break-words">{t`Add label “${name}”`}</span>
        </label>
      ))}
      {targets.map((hook) => {
        const name = hookName(hook);
        return (
          <label key={hook.id} className="check">
            <input
              type="checkbox"
              checked={draft.sendTo.includes(hook.id)}
              onChange={(event) =>
                onChange({
                  sendTo: event.target.checked
                    ? [...draft.sendTo, hook.id]
                    : draft.sendTo.filter((one) => one !== hook.id),
                })
              }
            />
            <span className="min-w-0 break-words">{t`Send to ${name}`}</span>
          </label>
        );
      })}
      <NewName
        label={t`New label`}
        create={async (name) => {
          const id = await createLabel(client, name);
          onChange({ labels: [...draft.labels, id] });
        }}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={draft.stop}
          onChange={(event) => onChange({ stop: event.target.checked })}
        />
        <Trans>Stop processing more rules</Trans>
      </label>
      <p className="wrong empty:hidden" role="alert">
        {wrong}
      </p>
    </fieldset>
  );
}
