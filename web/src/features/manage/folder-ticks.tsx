import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { folderPaths } from "@/data/folder-paths";
import { makeFolder } from "@/data/folders";
import { useKnownTree } from "@/data/tree";
import { NewName } from "@/ui/new-name";
import type { Held } from "./folder-choice";

interface Props {
  held: (folder: string) => Held;
  onTick: (folder: string, on: boolean) => void;
}

/** All folders to be ticked, and a field for a new one. */
export function FolderTicks({ held, onTick }: Props) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { folders } = useKnownTree();

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
      <NewName
        label={t`New folder`}
        make={async (name) => onTick(await makeFolder(client, name, null), true)}
      />
    </fieldset>
  );
}
