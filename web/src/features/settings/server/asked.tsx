import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorNote } from "@/ui/error-note";
import { useDelayed } from "@/ui/use-delayed";

interface Props<T> {
  query: UseQueryResult<T>;
  children: (data: T) => ReactNode;
}

/** What a card asked the server for, its skeleton until it is there, or why it is not. */
export function Asked<T>({ query, children }: Props<T>) {
  const isSlow = useDelayed(query.isPending);
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <ErrorNote error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <div className="asked" aria-hidden="true">
      {isSlow && <div className="skeleton" />}
    </div>
  );
}
