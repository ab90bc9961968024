import { useEffect, useState } from "react";

interface Args {
  isPhone: boolean;
  hasOpenItem: boolean;
  isItemPending: boolean;
  isListPending: boolean;
}

interface Stages {
  /** The list is hidden behind an item that is shown first. */
  isListHidden: boolean;
  /** The list is not rendered yet. */
  isListWaiting: boolean;
  /** The first list has been rendered: what it does not need can be loaded. */
  isListed: boolean;
}

/** The order of loading: on phones an item opened by its address before the list that it hides, then everything else. */
export function useLoadingStages(args: Args): Stages {
  const { isPhone, hasOpenItem, isItemPending, isListPending } = args;
  const [isItemFirst, setItemFirst] = useState(isPhone && hasOpenItem);
  const isListHidden = isItemFirst && isPhone && hasOpenItem;
  useEffect(() => {
    if (!isItemFirst || (isListHidden && isItemPending)) return;
    return afterFrame(() => setItemFirst(false));
  }, [isItemFirst, isListHidden, isItemPending]);

  const isListWaiting = isListPending || isListHidden;
  const [isListed, setListed] = useState(false);
  useEffect(() => {
    if (!isListWaiting) return afterFrame(() => setListed(true));
  }, [isListWaiting]);
  return { isListHidden, isListWaiting, isListed };
}

/** Runs after the next frame has been rendered. */
function afterFrame(run: () => void): () => void {
  const frame = requestAnimationFrame(() => setTimeout(run));
  return () => cancelAnimationFrame(frame);
}
