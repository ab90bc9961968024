import { t } from "@lingui/core/macro";
import type { QueryClient } from "@tanstack/react-query";
import { itemQuery } from "@/data/item";
import { setItemLabels } from "@/data/mutations/item-labels";
import { makeReadLater } from "@/data/mutations/labels";
import { readLaterOf, treeQuery } from "@/data/tree";
import type { ItemId } from "@/data/types";
import { showError } from "@/ui/show-error";
import { withUndo } from "@/ui/undo";

/** Keeps an item to read it later, or takes it out again. The label is created by the first one. */
export async function toggleLater(client: QueryClient, { id }: { id: ItemId }): Promise<void> {
  try {
    const known = client.getQueryData(treeQuery.queryKey)?.labels ?? [];
    const later = (readLaterOf(known) ?? (await makeReadLater(client)))?.id;
    if (later === undefined) return;
    const { labels } = await client.fetchQuery(itemQuery(id));
    const isKept = labels.includes(later);
    const next = isKept ? labels.filter((one) => one !== later) : [...labels, later];
    const text = isKept ? t`Removed from Read later` : t`Saved to Read later`;
    await withUndo(text, setItemLabels(client, id, next), () => setItemLabels(client, id, labels));
  } catch (cause) {
    showError(cause);
  }
}
