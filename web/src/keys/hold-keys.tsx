import { useLayoutEffect, useRef } from "react";
import { holdKeys } from "./held";

/**
 * The fallback of a Suspense around what the person opened: while its code is loading, keys are held for it (held.ts).
 * Escape calls `onCancel`.
 */
export function HoldKeys({ onCancel }: { onCancel: () => void }) {
  const cancel = useRef(onCancel);
  cancel.current = onCancel;
  // In the same frame as the press that opened it.
  useLayoutEffect(() => holdKeys(() => cancel.current()), []);
  return null;
}
