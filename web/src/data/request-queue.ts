/**
 * Sends requests in the order in which they were made: each after the one before has been answered or has failed. Sent
 * together they may arrive in any order, and the earlier one would win.
 */
export function createQueue(): <T>(send: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (send) => {
    const request = last.then(send);
    last = request.catch(() => undefined);
    return request;
  };
}

/** For changes of folders, labels and subscriptions, which depend on each other. */
export const queueTreeChange = createQueue();
