import { type DragEvent, useRef } from "react";
import type { Folder } from "@/data/types";
import { type DropPlace, dropPlace, type Where } from "./drop-place";
import { looseGroup } from "./rows";
import { neighbours, type Target } from "./targets";
import type { SideTree } from "./tree";
import type { SideDeeds } from "./use-side-deeds";

interface Options {
  tree: SideTree | null;
  folders: readonly Folder[];
  isManual: boolean;
  deeds: SideDeeds;
  find: (row: string) => Target | null;
}

/** What the page drags of its own; a file from outside has another type. */
const type = "application/x-ruri-row";

/**
 * Feeds, folders and labels are pulled to their place, with the browser's own drag and drop: rows are links, which it drags
 * anyway. What it shows lies in attributes, so that nothing is drawn anew while the pointer moves. By keys the same is
 * done by the menu of a row.
 */
export function useDrag({ tree, folders, isManual, deeds, find }: Options) {
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
      drop(target, at.place, isCopy, { tree, isManual, deeds });
    },
    onDragEnd() {
      show(null);
      moved.current = null;
    },
  };
}

/** The upper and lower edge are between rows, the middle of a folder is inside it. */
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
  { tree, isManual, deeds }: { tree: SideTree; isManual: boolean; deeds: SideDeeds },
): void {
  if (target.kind === "folder") {
    void deeds.putFolder(target.node.folder, parent, position);
    return;
  }
  if (target.kind === "label") {
    const ids = neighbours(tree, target, null).ids.filter((id) => id !== target.label.id);
    void deeds.orderLabels(ids.toSpliced(position, 0, target.label.id));
    return;
  }
  const { feed, folder } = target;
  // From one folder into another; the others that the feed is in keep it. With Ctrl or Alt also the one it came from.
  const kept = feed.folders.filter((id) => isCopy || id !== folder);
  const held = parent === null ? kept : [...new Set([...kept, parent])];
  const { ids } = neighbours(tree, target, parent);
  const order = ids.filter((id) => id !== feed.id);
  order.splice(position, 0, feed.id);
  const isSame = parent === folder;
  // Out of one folder, but still in others, it is not without a folder.
  const isThere = parent !== null || held.length === 0;
  if (isManual && isThere)
    void deeds.orderFeeds(order, isSame ? undefined : { feed, folders: held });
  else if (!isSame) void deeds.putFeed(feed, held);
}
