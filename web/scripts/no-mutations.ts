/**
 * Stands for the mutation cache of TanStack Query, which every client makes: this page changes things in ways of its own
 * (src/data/mutations), and need not load it. What a client calls by itself is here.
 */
export class MutationCache {
  clear(): void {}

  resumePausedMutations(): Promise<void> {
    return Promise.resolve();
  }
}
