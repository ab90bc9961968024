import { useEffect } from "react";
import { useFeeds } from "@/data/feeds";

/** The icon of the installed program has the unread count, as long as this is there. */
export function AppBadge() {
  const unread = useFeeds().data?.totals.unread;
  useEffect(() => {
    // A program that is not installed has no icon.
    if (unread !== undefined) void navigator.setAppBadge?.(unread).catch(() => undefined);
  }, [unread]);
  useEffect(() => () => void navigator.clearAppBadge?.().catch(() => undefined), []);
  return null;
}
