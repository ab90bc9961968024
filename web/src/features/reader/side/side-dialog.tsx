import { useLingui } from "@lingui/react/macro";
import { MoveDialog } from "./move-dialog";
import { NameDialog } from "./name-dialog";
import { type DialogWish, nameOf } from "./row-menu";
import type { SideDeeds } from "./use-side-deeds";

interface Props {
  wish: DialogWish;
  deeds: SideDeeds;
  onClose: () => void;
}

export function SideDialog({ wish: { kind, target }, deeds, onClose }: Props) {
  const { t } = useLingui();
  if (kind === "make" || target === null) {
    const parent = target?.kind === "folder" ? target.node.folder : null;
    return (
      <NameDialog
        title={parent ? t`New folder in ${parent.name}` : t`New folder`}
        name=""
        maxLength={120}
        button={t`Make it`}
        onSave={(name) => deeds.makeFolder(name, parent?.id ?? null)}
        onClose={onClose}
      />
    );
  }
  if (kind === "move" && target.kind !== "label") {
    return <MoveDialog target={target} deeds={deeds} onClose={onClose} />;
  }
  const old = nameOf(target);
  if (target.kind === "feed") {
    return (
      <NameDialog
        title={t`Rename ${old}`}
        name={old}
        maxLength={200}
        canBeEmpty
        hint={t`Empty, it is called as its publisher calls it: ${target.feed.title}`}
        button={t`Rename`}
        onSave={async (name) => void deeds.renameFeed(target.feed, name)}
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
          ? deeds.renameFolder(target.node.folder, name)
          : deeds.renameLabel(target.label, name)
      }
      onClose={onClose}
    />
  );
}
