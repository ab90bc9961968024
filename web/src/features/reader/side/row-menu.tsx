import { Trans, useLingui } from "@lingui/react/macro";
import {
  ArrowDown,
  ArrowUp,
  CheckCheck,
  FolderInput,
  FolderPlus,
  ListChecks,
  Pencil,
  RefreshCw,
  Trash,
  Volume2,
  VolumeX,
} from "lucide-react";
import { feedTitle } from "@/data/feeds";
import { go } from "@/data/use-route";
import { MenuItem, MenuList } from "@/ui/menu";
import { neighbours, type Target } from "./targets";
import type { SideTree } from "./tree";
import type { SideDeeds } from "./use-side-deeds";
import { useSort } from "./use-side-tree";

export type DialogWish = { kind: "rename" | "move" | "make"; target: Target | null };

interface Props {
  target: Target;
  at: { x: number; y: number };
  opener: HTMLElement;
  tree: SideTree;
  deeds: SideDeeds;
  onClose: (giveBack?: boolean) => void;
  onDialog: (wish: DialogWish) => void;
}

/** What can be done to a row, at the pointer or at its button. */
export function RowMenu({ target, at, opener, tree, deeds, onClose, onDialog }: Props) {
  const { t } = useLingui();
  const name = nameOf(target);
  const then = (run: () => unknown) => () => {
    onClose();
    run();
  };
  const ask = (kind: DialogWish["kind"]) => then(() => onDialog({ kind, target }));
  const isLow = at.y > innerHeight * 0.55;
  return (
    <MenuList
      label={t`Menu of ${name}`}
      className="row-menu"
      style={{
        left: Math.max(8, Math.min(at.x, innerWidth - 240)),
        ...(isLow ? { bottom: Math.max(8, innerHeight - at.y) } : { top: at.y }),
      }}
      opener={opener}
      onClose={onClose}
    >
      {target.kind !== "label" && (
        <MenuItem
          icon={<CheckCheck aria-hidden="true" />}
          onClick={then(() => deeds.markRead(placeOf(target), name))}
        >
          <Trans>Mark as read</Trans>
        </MenuItem>
      )}
      {target.kind === "feed" && (
        <MenuItem
          icon={<RefreshCw aria-hidden="true" />}
          onClick={then(() => deeds.fetchNow(target.feed))}
        >
          <Trans>Fetch now</Trans>
        </MenuItem>
      )}
      {target.kind === "folder" && (
        <MenuItem
          icon={<RefreshCw aria-hidden="true" />}
          onClick={then(() => deeds.fetchFolder(target.node.folder.id))}
        >
          <Trans>Fetch now</Trans>
        </MenuItem>
      )}
      {target.kind !== "label" && <hr />}
      <MenuItem icon={<Pencil aria-hidden="true" />} onClick={ask("rename")}>
        <Trans>Rename…</Trans>
      </MenuItem>
      {target.kind !== "label" && (
        <MenuItem icon={<FolderInput aria-hidden="true" />} onClick={ask("move")}>
          <Trans>Move…</Trans>
        </MenuItem>
      )}
      <Steps target={target} tree={tree} deeds={deeds} then={then} />
      {target.kind === "folder" && (
        <MenuItem icon={<FolderPlus aria-hidden="true" />} onClick={ask("make")}>
          <Trans>New folder inside…</Trans>
        </MenuItem>
      )}
      {target.kind === "feed" && <FeedItems feed={target.feed} deeds={deeds} then={then} />}
      <hr />
      {target.kind === "feed" ? (
        <MenuItem
          icon={<Trash aria-hidden="true" />}
          onClick={then(() => deeds.unsubscribe(target.feed))}
        >
          <Trans>Unsubscribe</Trans>
        </MenuItem>
      ) : (
        <MenuItem
          icon={<Trash aria-hidden="true" />}
          onClick={then(() =>
            target.kind === "folder"
              ? deeds.deleteFolder(target.node.folder)
              : deeds.deleteLabel(target.label),
          )}
        >
          {target.kind === "folder" ? (
            <Trans>Delete the folder</Trans>
          ) : (
            <Trans>Delete the label</Trans>
          )}
        </MenuItem>
      )}
    </MenuList>
  );
}

type Then = (run: () => unknown) => () => void;

function FeedItems({
  feed,
  deeds,
  then,
}: {
  feed: Extract<Target, { kind: "feed" }>["feed"];
  deeds: SideDeeds;
  then: Then;
}) {
  return (
    <>
      <MenuItem
        icon={feed.isMuted ? <Volume2 aria-hidden="true" /> : <VolumeX aria-hidden="true" />}
        onClick={then(() => deeds.muteFeed(feed))}
      >
        {feed.isMuted ? <Trans>Hear it again</Trans> : <Trans>Mute</Trans>}
      </MenuItem>
      <MenuItem
        icon={<ListChecks aria-hidden="true" />}
        onClick={then(() => go(`/subscriptions/${feed.id}`))}
      >
        <Trans>Details</Trans>
      </MenuItem>
    </>
  );
}

/** Up and down by one, where the order is the person's (that of labels always is): what dragging does, by keys. */
function Steps({
  target,
  tree,
  deeds,
  then,
}: {
  target: Target;
  tree: SideTree;
  deeds: SideDeeds;
  then: Then;
}) {
  const isManual = useSort() === "manual";
  if (!isManual && target.kind !== "label") return null;
  const parentId = parentOf(target);
  const { ids, at } = neighbours(tree, target, parentId);
  const step = (to: number) => () => {
    const order = ids.toSpliced(at, 1).toSpliced(to, 0, ids[at] ?? "");
    if (target.kind === "folder") void deeds.putFolder(target.node.folder, parentId, to);
    else if (target.kind === "label") void deeds.orderLabels(order);
    else void deeds.orderFeeds(order);
  };
  return (
    <>
      {at > 0 && (
        <MenuItem icon={<ArrowUp aria-hidden="true" />} onClick={then(step(at - 1))}>
          <Trans>Move up</Trans>
        </MenuItem>
      )}
      {at < ids.length - 1 && (
        <MenuItem icon={<ArrowDown aria-hidden="true" />} onClick={then(step(at + 1))}>
          <Trans>Move down</Trans>
        </MenuItem>
      )}
    </>
  );
}

export function nameOf(target: Target): string {
  if (target.kind === "feed") return feedTitle(target.feed);
  return target.kind === "folder" ? target.node.folder.name : target.label.name;
}

function parentOf(target: Target) {
  if (target.kind === "label") return null;
  return target.kind === "feed" ? target.folder : target.node.folder.parentId;
}

function placeOf(target: Exclude<Target, { kind: "label" }>) {
  return target.kind === "feed" ? { feed: target.feed.id } : { folder: target.node.folder.id };
}
