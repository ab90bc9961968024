import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { setItemLabels } from "@/data/mutations/item-labels";
import { createLabel } from "@/data/mutations/labels";
import { useTree } from "@/data/tree";
import type { Item, LabelId } from "@/data/types";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";

interface Props {
  item: Item;
  onClose: () => void;
}

/** The labels of an item; each change is saved at once. */
export function LabelsDialog({ item, onClose }: Props) {
  const { t } = useLingui();
  const client = useQueryClient();
  const all = useTree().data?.labels ?? [];
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<readonly LabelId[]>(item.labels);
  const [error, setError] = useState<unknown>(null);

  const set = (labels: readonly LabelId[]) => {
    setError(null);
    setChosen(labels);
    setItemLabels(client, item.id, labels).catch((cause: unknown) => {
      setChosen(chosen);
      setError(cause);
    });
  };
  const create = async (event: FormEvent) => {
    event.preventDefault();
    const wanted = name.trim();
    if (wanted === "") return;
    const known = all.find((label) => label.name.toLowerCase() === wanted.toLowerCase());
    try {
      const id = known?.id ?? (await createLabel(client, wanted));
      if (!chosen.includes(id)) set([...chosen, id]);
      setName("");
    } catch (cause) {
      setError(cause);
    }
  };
  return (
    <Dialog title={t`Labels`} onClose={onClose}>
      <div className="flex flex-col gap-3">
        {all.length === 0 ? (
          <p className="text-ink2">
            <Trans>No labels yet. Create your first one.</Trans>
          </p>
        ) : (
          <ul className="label-list">
            {all.map((label, index) => (
              <li key={label.id}>
                <label>
                  <input
                    type="checkbox"
                    data-first={index === 0 || undefined}
                    checked={chosen.includes(label.id)}
                    onChange={(event) =>
                      set(
                        event.target.checked
                          ? [...chosen, label.id]
                          : chosen.filter((id) => id !== label.id),
                      )
                    }
                  />
                  {label.name}
                </label>
              </li>
            ))}
          </ul>
        )}
        <form className="flex items-end gap-2" onSubmit={create}>
          <label className="field min-w-0 flex-1">
            <span>
              <Trans>New label</Trans>
            </span>
            <input
              data-first={all.length === 0 || undefined}
              value={name}
              maxLength={120}
              onChange={(event) => setName(event.target.value)}
            />
          </label>
          <button type="submit" className="btn min-h-10" aria-disabled={name.trim() === ""}>
            <Trans>Add</Trans>
          </button>
        </form>
        {error !== null && <ErrorNote error={error} />}
      </div>
    </Dialog>
  );
}
