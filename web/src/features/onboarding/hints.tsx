import { Trans, useLingui } from "@lingui/react/macro";
import { Lightbulb } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { useFeeds } from "@/data/feeds";
import type { ItemId } from "@/data/types";
import type { CommandId } from "@/keys/commands";
import { keysOf } from "@/keys/keymap";
import { KeyHint } from "@/ui/key-hint";
import { endHints, hintCount, passHint } from "./hint-state";
import "./onboarding.css";

interface Props {
  /** The stored number of the next hint. */
  next: string;
  item: ItemId | null;
}

/** Shows up to three hints, each once, when it is useful. */
export function Hints({ next, item }: Props) {
  const { t } = useLingui();
  const feeds = useFeeds();
  const hasItems = feeds.data?.feeds.some((feed) => feed.itemCount > 0) ?? false;
  const [shown, setShown] = useState<number | null>(null);
  const [opened, setOpened] = useState(0);
  const number = Number(next);

  useEffect(() => {
    if (item !== null) setOpened((count) => count + 1);
  }, [item]);

  const isDue =
    (number === 1 && hasItems && item === null) ||
    (number === 2 && opened >= 1) ||
    (number === 3 && opened >= 3);
  useEffect(() => {
    if (!isDue) return;
    setShown(number);
    passHint(number);
  }, [isDue, number]);

  useEffect(() => {
    if (shown === null && number > hintCount) endHints();
  }, [shown, number]);

  if (shown === null) return null;
  const isTouch = matchMedia("(pointer: coarse)").matches;
  return (
    <aside className="hint" aria-label={t`Tip`}>
      <Lightbulb />
      <p role="status">{isTouch ? touchHint(shown) : <KeyHints number={shown} />}</p>
      <div className="buttons">
        {shown < hintCount && (
          <button type="button" className="quiet" onClick={endHints}>
            <Trans>Hide tips</Trans>
          </button>
        )}
        <button type="button" className="btn" onClick={() => setShown(null)}>
          <Trans>Got it</Trans>
        </button>
      </div>
    </aside>
  );
}

/** Hints with the keys of the person; without keys, the buttons. */
function KeyHints({ number }: { number: number }) {
  const has = (...commands: CommandId[]) => commands.every((id) => keysOf(id).length > 0);
  if (number === 1 && has("item.next", "item.previous", "page.down")) {
    return (
      <Trans>
        <KeyHint command="item.next" /> opens the next article, <KeyHint command="item.previous" />{" "}
        the previous one. <KeyHint command="page.down" /> scrolls, then opens the next unread.
      </Trans>
    );
  }
  if (number === 2 && has("item.star", "item.read", "undo")) {
    return (
      <Trans>
        <KeyHint command="item.star" /> stars an article, <KeyHint command="item.read" /> marks it
        as unread. <KeyHint command="undo" /> undoes your last action.
      </Trans>
    );
  }
  if (number === 3 && has("feed.add", "help")) {
    return (
      <Trans>
        Press <KeyHint command="feed.add" /> to add a feed, <KeyHint command="help" /> for all
        shortcuts.
      </Trans>
    );
  }
  if (number === 1) return <Trans>Click a title to read the article.</Trans>;
  if (number === 2) {
    return <Trans>Click the star to keep an article. You can undo your last action.</Trans>;
  }
  return <Trans>Add feeds with the button at the bottom of the sidebar.</Trans>;
}

function touchHint(number: number): ReactNode {
  if (number === 1)
    return (
      <Trans>Tap a title to read. Use the bottom bar to go back or to the next article.</Trans>
    );
  if (number === 2) {
    return <Trans>Tap the star to keep an article. You can undo your last action.</Trans>;
  }
  return <Trans>Feeds in the bottom bar has all feeds, and “Add” below them.</Trans>;
}
