import { useLingui } from "@lingui/react/macro";
import { MoveDialog } from "./move-dialog";
import { NameDialog } from "./name-dialog";
import { type DialogRequest, nameOf } from "./row-menu";
import type { SideActions } from "./use-side-actions";

interface Props {
  request: DialogRequest;
  actions: SideActions;
  onClose: () => void;
}

export function SideDialog({ request: { kind, target }, actions, onClose }: Props) {
  const { t } = useLingui();
  if (kind === "make" || target === null) {
    const parent = target?.kind === "folder" ? target.node.folder : null;
    return (
      <NameDialog
        title={parent ? t`New folder in ${parent.name}` : t`New folder`}
        name=""
        maxLength={120}
        button={t`Create`}
        onSave={(name) => actions.createFolder(name, parent?.id ?? null)}
        onClose={onClose}
      />
    );
  }
  if (kind === "move" && (target.kind === "feed" || target.kind === "folder")) {
    return <MoveDialog target={target} actions={actions} onClose={onClose} />;
  }
  const old = nameOf(target);
  if (target.kind === "feed") {
    return (
      <NameDialog
        title={t`Rename ${old}`}
        name={old}
        maxLength={200}
        canBeEmpty
        hint={t`Leave empty to use the original name: ${target.feed.title}`}
        button={t`Rename`}
        onSave={async (name) => void actions.renameFeed(target.feed, name)}
        onClose={onClose}
      />
    );
  }
  return (
    <NameDialog
      title={t`Rename ${old}`}
      name={old}
      maxLength={120}
      button={t`Rename`}
      onSave={(name) =>
        target.kind === "folder"
          ? actions.renameFolder(target.node.folder, name)
          : target.kind === "label"
            ? actions.renameLabel(target.label, name)
            : actions.renameSearch(target.search, name)
      }
      onClose={onClose}
    />
  );
}
