/**
 * Puts requests into the order in which they were made: each is sent when the one before is answered, however. Sent
 * together they may arrive in any order, and the earlier one would stand.
 */
export function takeTurns(): <T>(send: () => Promise<T>) => Promise<T> {
  let tail: Promise<unknown> = Promise.resolve();
  return (send) => {
    const turn = tail.then(send);
    tail = turn.catch(() => undefined);
    return turn;
  };
}

/** The turns of folders, labels and subscriptions. */
export const inTreeTurn = takeTurns();
