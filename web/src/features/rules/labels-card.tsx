import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { ArrowDown, ArrowUp, Plus, Trash } from "lucide-react";
import { type FormEvent, useId, useRef, useState } from "react";
import { createLabel, deleteLabel, orderLabels, renameLabel } from "@/data/mutations/labels";
import { readerPath } from "@/data/routes";
import { useKnownTree } from "@/data/tree";
import type { Label } from "@/data/types";
import { problemText } from "@/i18n/problem-text";
import { IconButton } from "@/ui/icon-button";
import { Link } from "@/ui/link";
import { showError } from "@/ui/show-error";
import { offerUndo } from "@/ui/undo";

/** Creates, renames, orders and deletes labels. */
export function LabelsCard() {
  const { t } = useLingui();
  const client = useQueryClient();
  const { labels } = useKnownTree();

  const move = (at: number, step: 1 | -1) => {
    const ids = labels.map(({ id }) => id);
    const [moved] = ids.splice(at, 1);
    if (moved === undefined) return;
    ids.splice(at + step, 0, moved);
    orderLabels(client, ids).catch(showError);
  };
  const remove = async (label: Label) => {
    const { name } = label;
    try {
      const undo = await deleteLabel(client, label);
      offerUndo(t`Label ${name} deleted`, undo);
    } catch (cause) {
      showError(cause);
    }
  };

  return (
    <section className="card" aria-labelledby="labels">
      <h2 id="labels">
        <Trans>Labels</Trans> {labels.length > 0 && <span className="count">{labels.length}</span>}
      </h2>
      {labels.length > 0 && (
        <ul className="label-list">
          {labels.map((label, at) => {
            const { name } = label;
            return (
              <li key={label.id} data-row>
                <NameForm
                  key={name}
                  label={t`Name of label ${name}`}
                  value={name}
                  verb={t`Rename`}
                  onSubmit={(text) => renameLabel(client, label.id, text)}
                />
                <div className="tools">
                  <Link className="btn" href={readerPath({ kind: "label", id: label.id })}>
                    <Trans>View articles</Trans>
                  </Link>
                  <IconButton
                    label={t`Move up: ${name}`}
                    icon={<ArrowUp />}
                    disabled={at === 0}
                    onClick={() => move(at, -1)}
                  />
                  <IconButton
                    label={t`Move down: ${name}`}
                    icon={<ArrowDown />}
                    disabled={at === labels.length - 1}
                    onClick={() => move(at, 1)}
                  />
                  <IconButton
                    label={t`Delete: ${name}`}
                    icon={<Trash />}
                    onClick={() => void remove(label)}
                  />
                </div>
              </li>
            );
          })}
        </ul>
      )}
      <NameForm
        label={t`New label`}
        value=""
        verb={t`Create`}
        isNew
        onSubmit={(text) => createLabel(client, text)}
      />
    </section>
  );
}

interface NameProps {
  label: string;
  value: string;
  verb: string;
  isNew?: boolean;
  onSubmit: (text: string) => Promise<unknown>;
}

/** A field for a name, with the error below. */
function NameForm({ label, value, verb, isNew, onSubmit }: NameProps) {
  const { t, i18n } = useLingui();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const [wrong, setWrong] = useState("");

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const name = text.trim();
    if (name === value && !isNew) return;
    if (name === "") {
      setWrong(t`Enter a name.`);
    } else {
      try {
        await onSubmit(name);
        setWrong("");
        if (isNew) setText("");
        return;
      } catch (cause) {
        setWrong(problemText(cause, i18n));
      }
    }
    field.current?.focus();
  };
  return (
    <form className="field name-form" onSubmit={(event) => void submit(event)} noValidate>
      {isNew && <label htmlFor={id}>{label}</label>}
      <div className="flex gap-2">
        <input
          ref={field}
          id={id}
          aria-label={isNew ? undefined : label}
          autoComplete="off"
          maxLength={120}
          value={text}
          onChange={(event) => setText(event.target.value)}
          aria-invalid={wrong !== "" || undefined}
          aria-describedby={`${id}-wrong`}
        />
        {(isNew || text.trim() !== value) && (
          <button type="submit" className="btn">
            {isNew && <Plus size={16} />}
            {verb}
          </button>
        )}
      </div>
      <p id={`${id}-wrong`} className="wrong empty:hidden" role="alert">
        {wrong}
      </p>
    </form>
  );
}
