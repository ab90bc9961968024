import { useLingui } from "@lingui/react/macro";
import { readerPath, type Stream } from "@/data/routes";
import { textLang } from "@/i18n/text-lang";
import { FeedRow } from "./feed-row";
import { Row } from "./row";
import { feedRow, folderRow } from "./rows";
import type { FolderNode } from "./tree";

export interface Shown {
  /** Null on screens besides the reader. */
  stream: Stream | null;
  /** The row that Tab reaches. */
  stop: string;
  closed: ReadonlySet<string>;
  toggle: (row: string) => void;
}

/** A folder with all that is in it. */
export function FolderRows({
  node,
  depth,
  shown,
}: {
  node: FolderNode;
  depth: number;
  shown: Shown;
}) {
  const { i18n } = useLingui();
  const { folder } = node;
  const { stream, stop } = shown;
  const row = folderRow(folder.id);
  const isClosed = shown.closed.has(row);
  return (
    <li className="folder" data-part={row}>
      <Row
        row={row}
        href={readerPath({ kind: "folder", id: folder.id })}
        name={folder.name}
        lang={textLang("", folder.name, i18n.locale)}
        title={folder.name}
        isCurrent={stream?.kind === "folder" && stream.id === folder.id}
        isStop={stop === row}
        isUnread={node.unread > 0}
        count={node.unread}
        depth={depth}
        isClosed={isClosed}
        onToggle={() => shown.toggle(row)}
        hasMenu
      />
      {!isClosed && (
        <ul>
          {node.folders.map((inner) => (
            <FolderRows key={inner.folder.id} node={inner} depth={depth + 1} shown={shown} />
          ))}
          {node.feeds.map((feed) => (
            <FeedRow
              key={feed.id}
              feed={feed}
              folder={folder.id}
              depth={depth + 1}
              isCurrent={stream?.kind === "feed" && stream.id === feed.id}
              isStop={stop === feedRow(feed.id, folder.id)}
              locale={i18n.locale}
            />
          ))}
        </ul>
      )}
    </li>
  );
}
