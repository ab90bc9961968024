import { useLayoutEffect, useRef } from "react";
import { holdKeys } from "./held";

/**
 * The fallback of a Suspense around what a person opened: while its code is on its way, keys wait for it. Escape calls
 * `onCancel`.
 */
export function KeysWait({ onCancel }: { onCancel: () => void }) {
  const cancel = useRef(onCancel);
  cancel.current = onCancel;
  // In the same frame as the press that opened it.
  useLayoutEffect(() => holdKeys(() => cancel.current()), []);
  return null;
}
