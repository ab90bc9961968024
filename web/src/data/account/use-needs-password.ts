import { useQuery } from "@tanstack/react-query";
import { useMe } from "../me";
import { sessionsQuery } from "./sessions";

/**
 * Whether the person came by a one-time link, which is used up, and has no password for the next time. Undefined until
 * that is known.
 */
export function useNeedsPassword(): boolean | undefined {
  const isUnset = useMe().data?.user.hasPassword === false;
  const { data, isPending } = useQuery({ ...sessionsQuery, enabled: isUnset });
  if (isUnset && isPending) return undefined;
  return isUnset && data?.find((one) => one.isCurrent)?.method === "link";
}
