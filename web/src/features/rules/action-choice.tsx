import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { makeLabel } from "@/data/labels";
import { useKnownTree } from "@/data/tree";
import { NewName } from "@/ui/new-name";
import type { Draft } from "./draft";

interface Props {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
  wrong: string | undefined;
}

/** What a rule does with what it finds. */
export function ActionChoice({ draft, onChange, wrong }: Props) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { labels } = useKnownTree();
  const names = {
    hide: t`Hide it; it stays in the list of what was hidden`,
    read: t`Mark it as read`,
    star: t`Star it`,
  };
  return (
    <fieldset className="part" data-wrong={wrong ? "" : undefined}>
      <legend>
        <Trans>What it does</Trans>
      </legend>
      {(["hide", "read", "star"] as const).map((deed) => (
        <label key={deed} className="check">
          <input
            type="checkbox"
            checked={draft[deed]}
            onChange={(event) => onChange({ [deed]: event.target.checked })}
          />
          {names[deed]}
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
          <span className="min-w-0 break-words">{t`Label it “${name}”`}</span>
        </label>
      ))}
      <NewName
        label={t`New label`}
        make={async (name) => {
          const id = await makeLabel(client, name);
          onChange({ labels: [...draft.labels, id] });
        }}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={draft.stop}
          onChange={(event) => onChange({ stop: event.target.checked })}
        />
        <Trans>Later rules do not look at what it found</Trans>
      </label>
      <p className="wrong empty:hidden" role="alert">
        {wrong}
      </p>
    </fieldset>
  );
}
