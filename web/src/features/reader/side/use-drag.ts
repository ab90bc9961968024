import { type DragEvent, useRef } from "react";
import type { Folder } from "@/data/types";
import { type DropPlace, dropPlace, type Where } from "./drop-place";
import { looseGroup } from "./rows";
import { idOf, neighbours, type Target } from "./targets";
import type { SideTree } from "./tree";
import type { SideActions } from "./use-side-actions";

interface Options {
  tree: SideTree | null;
  folders: readonly Folder[];
  isManual: boolean;
  actions: SideActions;
  find: (row: string) => Target | null;
}

/** The type of dragged rows; files have others. */
const type = "application/x-ruri-row";

/**
 * Moves feeds, folders, labels and saved searches with the browser's drag and drop: rows are links, which it drags anyway. Feedback is in
 * attributes, so that nothing renders while the pointer moves. The menu of a row is the keyboard alternative.
 */
export function useDrag({ tree, folders, isManual, actions, find }: Options) {
  const moved = useRef<Target | null>(null);
  const shown = useRef<HTMLElement | null>(null);

  const show = (row: HTMLElement | null, where?: Where) => {
    if (shown.current && shown.current !== row) delete shown.current.dataset.drop;
    shown.current = row;
    if (row && where) row.dataset.drop = where;
  };
  const placeAt = (event: DragEvent) => {
    const row = (event.target as Element).closest<HTMLElement>("[data-row]");
    const onto = row?.dataset.row === looseGroup ? "loose" : row && find(row.dataset.row ?? "");
    if (!row || !onto || !moved.current || !tree) return null;
    const where = whereIn(row, event.clientY, moved.current, onto);
    const place = dropPlace(moved.current, onto, where, tree, folders, isManual);
    return place && { row, where, place };
  };

  return {
    onDragStart(event: DragEvent) {
      const row = (event.target as Element).closest<HTMLElement>("[data-row]");
      const target = row && find(row.dataset.row ?? "");
      if (!target) return;
      moved.current = target;
      event.dataTransfer.effectAllowed = "copyMove";
      event.dataTransfer.setData(type, row.dataset.row ?? "");
    },
    onDragOver(event: DragEvent) {
      const at = placeAt(event);
      show(at?.row ?? null, at?.where);
      if (!at) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = event.ctrlKey || event.altKey ? "copy" : "move";
    },
    onDragLeave(event: DragEvent) {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) show(null);
    },
    onDrop(event: DragEvent) {
      const at = placeAt(event);
      const target = moved.current;
      show(null);
      if (!at || !target || !tree) return;
      event.preventDefault();
      const isCopy = event.ctrlKey || event.altKey;
      drop(target, at.place, isCopy, { tree, isManual, actions });
    },
    onDragEnd() {
      show(null);
      moved.current = null;
    },
  };
}

/** The upper and lower edges mean between rows, the middle of a folder means inside. */
function whereIn(row: HTMLElement, y: number, moved: Target, onto: Target | "loose"): Where {
  const { top, height } = row.getBoundingClientRect();
  const part = (y - top) / height;
  if (onto === "loose" || (moved.kind === "feed" && onto.kind === "folder")) return "into";
  if (moved.kind !== "folder") return part < 0.5 ? "before" : "after";
  return part < 0.3 ? "before" : part > 0.7 ? "after" : "into";
}

function drop(
  target: Target,
  { parent, position }: DropPlace,
  isCopy: boolean,
  { tree, isManual, actions }: { tree: SideTree; isManual: boolean; actions: SideActions },
): void {
  if (target.kind === "folder") {
    void actions.moveFolder(target.node.folder, parent, position);
    return;
  }
  if (target.kind === "label" || target.kind === "saved") {
    const ids = neighbours(tree, target, null).ids.filter((id) => id !== idOf(target));
    const order = ids.toSpliced(position, 0, idOf(target));
    void (target.kind === "label" ? actions.orderLabels(order) : actions.orderSearches(order));
    return;
  }
  const { feed, folder } = target;
  // From one folder to another; it stays in its other folders, with Ctrl or Alt also in the original one.
  const kept = feed.folders.filter((id) => isCopy || id !== folder);
  const held = parent === null ? kept : [...new Set([...kept, parent])];
  const { ids } = neighbours(tree, target, parent);
  const order = ids.filter((id) => id !== feed.id);
  order.splice(position, 0, feed.id);
  const isSame = parent === folder;
  // A feed that is still in other folders does not appear without a folder.
  const isThere = parent !== null || held.length === 0;
  if (isManual && isThere)
    void actions.orderFeeds(order, isSame ? undefined : { feed, folders: held });
  else if (!isSame) void actions.putFeed(feed, held);
}
