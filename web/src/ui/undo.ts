import { showError } from "./show-error";
import { showUndo } from "./toasts";

/** Offers to undo an action that is done. Returns a function that withdraws the offer. */
export function offerUndo(text: string, undo: () => unknown, label?: string): () => void {
  return showUndo(text, () => void Promise.resolve(undo()).catch(showError), label);
}

/**
 * Offers to undo an action that is shown already while its request is on its way: otherwise `z` would undo an older one.
 * When the request is refused, the offer is withdrawn and a toast says why. `undo` runs after the request, with its result.
 */
export async function withUndo<T>(
  text: string,
  request: Promise<T>,
  undo: (result: T) => unknown,
): Promise<void> {
  const withdraw = offerUndo(text, () => request.then(undo));
  try {
    await request;
  } catch (cause) {
    withdraw();
    showError(cause);
  }
}
