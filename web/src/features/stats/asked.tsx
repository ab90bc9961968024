import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorNote } from "@/ui/error-note";
import { useLate } from "@/ui/use-late";

interface Props<T> {
  query: UseQueryResult<T>;
  children: (data: T) => ReactNode;
}

/** What a card asked the server for, its skeleton until it is there, or why it is not. */
export function Asked<T>({ query, children }: Props<T>) {
  const late = useLate(query.isPending);
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <ErrorNote error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <div className="asked" aria-hidden="true">
      {late && <div className="skeleton" />}
    </div>
  );
}
