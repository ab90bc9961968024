import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useId, useRef, useState } from "react";
import { folderPaths } from "@/data/folder-paths";
import { makeFolder } from "@/data/folders";
import { useKnownTree } from "@/data/tree";
import { problemText } from "@/i18n/problem-text";
import type { Held } from "./folder-choice";

interface Props {
  held: (folder: string) => Held;
  onTick: (folder: string, on: boolean) => void;
}

/** All folders to be ticked, and a field for a new one. */
export function FolderTicks({ held, onTick }: Props) {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const { folders } = useKnownTree();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [wrong, setWrong] = useState("");

  const add = async () => {
    const name = field.current?.value.trim() ?? "";
    if (name === "") {
      setWrong(t`Enter a name.`);
      field.current?.focus();
      return;
    }
    try {
      onTick(await makeFolder(client, name, null), true);
      setWrong("");
      if (field.current) field.current.value = "";
    } catch (cause) {
      setWrong(problemText(cause, i18n));
    }
    field.current?.focus();
  };

  return (
    <fieldset className="ticks">
      <legend>
        <Trans>Folders</Trans>
      </legend>
      <div className="tick-list">
        {folderPaths(folders).map((folder) => (
          <label key={folder.id} className="check">
            <input
              type="checkbox"
              checked={held(folder.id) === "all"}
              ref={(box) => {
                if (box) box.indeterminate = held(folder.id) === "some";
              }}
              onChange={(event) => onTick(folder.id, event.target.checked)}
            />
            <span className="min-w-0 break-words">{folder.path}</span>
          </label>
        ))}
        {folders.length === 0 && (
          <p className="hint">
            <Trans>There are no folders yet.</Trans>
          </p>
        )}
      </div>
      <div className="field mt-2">
        <label htmlFor={id}>
          <Trans>New folder</Trans>
        </label>
        <div className="flex gap-2">
          <input
            ref={field}
            id={id}
            maxLength={120}
            autoComplete="off"
            aria-invalid={wrong !== "" || undefined}
            aria-describedby={`${id}-wrong`}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
              event.preventDefault();
              void add();
            }}
          />
          <button type="button" className="btn" onClick={() => void add()}>
            <Plus size={16} aria-hidden="true" />
            <Trans>Make it</Trans>
          </button>
        </div>
        <p id={`${id}-wrong`} className="wrong empty:hidden" role="alert">
          {wrong}
        </p>
      </div>
    </fieldset>
  );
}
