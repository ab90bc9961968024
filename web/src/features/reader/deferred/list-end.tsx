import { Trans } from "@lingui/react/macro";
import { useOffline } from "@/data/connection";
import { feedTitle } from "@/data/feeds";
import { isSearch, type ReaderRoute } from "@/data/routes";
import { runCommand } from "@/keys/use-command";
import { KeyHint } from "@/ui/key-hint";
import { useNextUnread } from "../side/use-side-tree";

/** The end of a list that is loaded as a whole, and where to go on. Nothing after starred articles and searches. */
export function ListEnd({ route, title }: { route: ReaderRoute; title: string }) {
  const { stream } = route;
  const isOffline = useOffline();
  const next = useNextUnread(stream.kind === "feed" ? stream.id : null);
  if (isOffline) return <Trans>You're offline. Other articles are not on this device.</Trans>;
  if (stream.kind === "starred" || stream.kind === "explore" || isSearch(stream)) return null;
  if (stream.kind !== "feed" && stream.kind !== "folder")
    return <Trans>You're all caught up.</Trans>;
  const name = next && feedTitle(next);
  const count = next?.unreadCount;
  return (
    <>
      <span dir="auto">
        <Trans>That was {title}.</Trans>
      </span>
      {name && (
        <button type="button" className="btn" onClick={() => runCommand("feed.next")}>
          <span dir="auto">
            <Trans>
              Next: {name}, {count} unread
            </Trans>
          </span>
          <KeyHint command="feed.next" />
        </button>
      )}
    </>
  );
}
