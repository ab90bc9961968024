import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { folderPaths } from "@/data/folder-paths";
import { createFolder } from "@/data/mutations/folders";
import { useKnownTree } from "@/data/tree";
import { NewName } from "./new-name";

/** Whether all, some or none of what is edited is in a folder. */
export type Membership = "all" | "some" | "none";

interface Props {
  membership: (folder: string) => Membership;
  onTick: (folder: string, on: boolean) => void;
}

/** All folders with checkboxes, and a field for a new one. */
export function FolderCheckboxes({ membership, onTick }: Props) {
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
              checked={membership(folder.id) === "all"}
              ref={(box) => {
                if (box) box.indeterminate = membership(folder.id) === "some";
              }}
              onChange={(event) => onTick(folder.id, event.target.checked)}
            />
            <span className="min-w-0 break-words">{folder.label}</span>
          </label>
        ))}
        {folders.length === 0 && (
          <p className="hint">
            <Trans>No folders yet</Trans>
          </p>
        )}
      </div>
      <NewName
        label={t`New folder`}
        create={async (name) => onTick(await createFolder(client, name, null), true)}
      />
    </fieldset>
  );
}
