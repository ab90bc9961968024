import { useQuery } from "@tanstack/react-query";
import { api } from "./client";

export function useMe() {
  return useQuery({
    queryKey: ["me"],
    queryFn: ({ signal }) => api.get("/api/me", { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
