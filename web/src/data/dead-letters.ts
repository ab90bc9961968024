import { type QueryClient, useQuery } from "@tanstack/react-query";
import type { components } from "./api.gen";
import { api } from "./client";

export type DeadLetters = components["schemas"]["DeadLetters"];
export type DeadLetter = components["schemas"]["DeadLetter"];

const key = ["stats", "dead-letters"] as const;

/** Messages that failed for good; only the owner may see them. */
export function useDeadLetters(isOwner: boolean) {
  return useQuery({
    queryKey: key,
    queryFn: ({ signal }) => api.get("/api/stats/dead-letters", { signal }),
    staleTime: 30_000,
    enabled: isOwner,
  });
}

export async function retryDeadLetter(client: QueryClient, id: string): Promise<void> {
  await api.post("/api/stats/dead-letters/{id}/retry", { path: { id } });
  forget(client, id);
}

export async function dropDeadLetter(client: QueryClient, id: string): Promise<void> {
  await api.delete("/api/stats/dead-letters/{id}", { path: { id } });
  forget(client, id);
}

/** Does not reload: the queue hides its messages for a moment after each read. */
function forget(client: QueryClient, id: string): void {
  client.setQueryData<DeadLetters>(key, (old) => {
    if (!old) return old;
    const deadLetters = old.deadLetters.filter((letter) => letter.id !== id);
    return { ...old, deadLetters, count: deadLetters.length };
  });
}
