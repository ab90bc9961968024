import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { makeLabel } from "@/data/labels";
import { useKnownTree } from "@/data/tree";
import { problemText } from "@/i18n/problem-text";
import type { Draft } from "./draft";

interface Props {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
  wrong: string | undefined;
}

/** What a rule does with what it finds. */
export function ActionChoice({ draft, onChange, wrong }: Props) {
  const { t } = useLingui();
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
      <NewLabel onMade={(id) => onChange({ labels: [...draft.labels, id] })} />
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

function NewLabel({ onMade }: { onMade: (id: string) => void }) {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [wrong, setWrong] = useState("");
  const make = async () => {
    const name = field.current?.value.trim() ?? "";
    if (name === "") setWrong(t`Enter a name.`);
    else {
      try {
        onMade(await makeLabel(client, name));
        setWrong("");
        if (field.current) field.current.value = "";
      } catch (cause) {
        setWrong(problemText(cause, i18n));
      }
    }
    field.current?.focus();
  };
  return (
    <div className="field name-form">
      <div className="flex gap-2">
        <input
          ref={field}
          aria-label={t`New label`}
          placeholder={t`New label`}
          autoComplete="off"
          maxLength={120}
          aria-invalid={wrong !== "" || undefined}
          aria-describedby={`${id}-wrong`}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
            event.preventDefault();
            void make();
          }}
        />
        <button type="button" className="btn" onClick={() => void make()}>
          <Plus size={16} aria-hidden="true" />
          <Trans>Make it</Trans>
        </button>
      </div>
      <p id={`${id}-wrong`} className="wrong empty:hidden" role="alert">
        {wrong}
      </p>
    </div>
  );
}
