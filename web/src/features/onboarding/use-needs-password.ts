import { useQuery } from "@tanstack/react-query";
import { sessionsQuery } from "@/data/account/sessions";
import { useMe } from "@/data/me";

/** Whether the person came by a one-time link, which is used up, and has no password for the next time. */
export function useNeedsPassword(): boolean {
  const isUnset = useMe().data?.user.hasPassword === false;
  const sessions = useQuery({ ...sessionsQuery, enabled: isUnset }).data;
  return isUnset && sessions?.find((one) => one.isCurrent)?.method === "link";
}
