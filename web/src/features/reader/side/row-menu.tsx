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
  Tags,
  Trash,
  Volume2,
  VolumeX,
} from "lucide-react";
import { feedTitle } from "@/data/feeds";
import { go } from "@/data/use-route";
import { MenuItem, MenuList } from "@/ui/menu";
import { neighbours, type Target } from "./targets";
import type { SideTree } from "./tree";
import type { SideActions } from "./use-side-actions";
import { useSort } from "./use-side-tree";

export type DialogRequest = { kind: "rename" | "move" | "make"; target: Target | null };

interface Props {
  target: Target;
  at: { x: number; y: number };
  opener: HTMLElement;
  tree: SideTree;
  actions: SideActions;
  onClose: (giveBack?: boolean) => void;
  onDialog: (request: DialogRequest) => void;
}

/** The menu of a row, at the pointer or at its button. */
export function RowMenu({ target, at, opener, tree, actions, onClose, onDialog }: Props) {
  const { t } = useLingui();
  const name = nameOf(target);
  const then = (run: () => unknown) => () => {
    onClose();
    run();
  };
  const ask = (kind: DialogRequest["kind"]) => then(() => onDialog({ kind, target }));
  const isLow = at.y > innerHeight * 0.55;
  return (
    <MenuList
      label={t`Menu for ${name}`}
      className="row-menu"
      style={{
        left: Math.max(8, Math.min(at.x, innerWidth - 240)),
        ...(isLow ? { bottom: Math.max(8, innerHeight - at.y) } : { top: at.y }),
      }}
      opener={opener}
      onClose={onClose}
    >
      {(target.kind === "feed" || target.kind === "folder") && (
        <MenuItem
          icon={<CheckCheck />}
          onClick={then(() => actions.markRead(sourceOf(target), name))}
        >
          <Trans>Mark as read</Trans>
        </MenuItem>
      )}
      {target.kind === "feed" && (
        <MenuItem icon={<RefreshCw />} onClick={then(() => actions.fetchNow(target.feed))}>
          <Trans>Refresh now</Trans>
        </MenuItem>
      )}
      {target.kind === "folder" && (
        <MenuItem
          icon={<RefreshCw />}
          onClick={then(() => actions.fetchFolder(target.node.folder.id))}
        >
          <Trans>Refresh now</Trans>
        </MenuItem>
      )}
      {(target.kind === "feed" || target.kind === "folder") && <hr />}
      <MenuItem icon={<Pencil />} onClick={ask("rename")}>
        <Trans>Rename…</Trans>
      </MenuItem>
      {(target.kind === "feed" || target.kind === "folder") && (
        <MenuItem icon={<FolderInput />} onClick={ask("move")}>
          <Trans>Move…</Trans>
        </MenuItem>
      )}
      <Steps target={target} tree={tree} actions={actions} then={then} />
      {target.kind === "folder" && (
        <MenuItem icon={<FolderPlus />} onClick={ask("make")}>
          <Trans>New subfolder…</Trans>
        </MenuItem>
      )}
      {target.kind === "feed" && <FeedItems feed={target.feed} actions={actions} then={then} />}
      <hr />
      {target.kind === "feed" ? (
        <MenuItem icon={<Trash />} onClick={then(() => actions.unsubscribe(target.feed))}>
          <Trans>Unsubscribe</Trans>
        </MenuItem>
      ) : (
        <MenuItem
          icon={<Trash />}
          onClick={then(() =>
            target.kind === "folder"
              ? actions.deleteFolder(target.node.folder)
              : target.kind === "label"
                ? actions.deleteLabel(target.label)
                : actions.deleteSearch(target.search),
          )}
        >
          {target.kind === "folder" ? (
            <Trans>Delete folder</Trans>
          ) : target.kind === "label" ? (
            <Trans>Delete label</Trans>
          ) : (
            <Trans>Delete saved search</Trans>
          )}
        </MenuItem>
      )}
    </MenuList>
  );
}

type Then = (run: () => unknown) => () => void;

function FeedItems({
  feed,
  actions,
  then,
}: {
  feed: Extract<Target, { kind: "feed" }>["feed"];
  actions: SideActions;
  then: Then;
}) {
  return (
    <>
      <MenuItem
        icon={feed.isMuted ? <Volume2 /> : <VolumeX />}
        onClick={then(() => actions.muteFeed(feed))}
      >
        {feed.isMuted ? <Trans>Unmute</Trans> : <Trans>Mute</Trans>}
      </MenuItem>
      {feed.isWatch && (
        <MenuItem icon={<Tags />} onClick={then(() => go(`/watches/${feed.id}`))}>
          <Trans>Results and prices</Trans>
        </MenuItem>
      )}
      <MenuItem icon={<ListChecks />} onClick={then(() => go(`/subscriptions/${feed.id}`))}>
        <Trans>Details</Trans>
      </MenuItem>
    </>
  );
}

/** Moves a row by one, where the order is manual (labels and saved searches: always): the keyboard alternative to dragging. */
function Steps({
  target,
  tree,
  actions,
  then,
}: {
  target: Target;
  tree: SideTree;
  actions: SideActions;
  then: Then;
}) {
  const isManual = useSort() === "manual";
  if (!isManual && (target.kind === "feed" || target.kind === "folder")) return null;
  const parentId = parentOf(target);
  const { ids, at } = neighbours(tree, target, parentId);
  const step = (to: number) => () => {
    const order = ids.toSpliced(at, 1).toSpliced(to, 0, ids[at] ?? "");
    if (target.kind === "folder") void actions.moveFolder(target.node.folder, parentId, to);
    else if (target.kind === "label") void actions.orderLabels(order);
    else if (target.kind === "saved") void actions.orderSearches(order);
    else void actions.orderFeeds(order);
  };
  return (
    <>
      {at > 0 && (
        <MenuItem icon={<ArrowUp />} onClick={then(step(at - 1))}>
          <Trans>Move up</Trans>
        </MenuItem>
      )}
      {at < ids.length - 1 && (
        <MenuItem icon={<ArrowDown />} onClick={then(step(at + 1))}>
          <Trans>Move down</Trans>
        </MenuItem>
      )}
    </>
  );
}

export function nameOf(target: Target): string {
  if (target.kind === "feed") return feedTitle(target.feed);
  if (target.kind === "saved") return target.search.name;
  return target.kind === "folder" ? target.node.folder.name : target.label.name;
}

function parentOf(target: Target) {
  if (target.kind === "label" || target.kind === "saved") return null;
  return target.kind === "feed" ? target.folder : target.node.folder.parentId;
}

function sourceOf(target: Extract<Target, { kind: "feed" | "folder" }>) {
  return target.kind === "feed" ? { feed: target.feed.id } : { folder: target.node.folder.id };
}
