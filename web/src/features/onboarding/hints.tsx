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
  /** The number of the hint to come, as it is kept. */
  next: string;
  item: ItemId | null;
}

/** Three hints at most, each once, each when it is of use; never in the way of what is read. */
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
    <aside className="hint" aria-label={t`Hint`}>
      <Lightbulb aria-hidden="true" />
      <p role="status">{isTouch ? touchHint(shown) : <KeyHints number={shown} />}</p>
      <div className="deeds">
        {shown < hintCount && (
          <button type="button" className="quiet" onClick={endHints}>
            <Trans>No more hints</Trans>
          </button>
        )}
        <button type="button" className="btn" onClick={() => setShown(null)}>
          <Trans>Got it</Trans>
        </button>
      </div>
    </aside>
  );
}

/** Of what a person has keys for; without any, where to press. */
function KeyHints({ number }: { number: number }) {
  const has = (...commands: CommandId[]) => commands.every((id) => keysOf(id).length > 0);
  if (number === 1 && has("item.next", "item.previous", "page.down")) {
    return (
      <Trans>
        <KeyHint command="item.next" /> opens the next item, <KeyHint command="item.previous" /> the
        one before. <KeyHint command="page.down" /> pages, and goes on with the next unread.
      </Trans>
    );
  }
  if (number === 2 && has("item.star", "item.read", "undo")) {
    return (
      <Trans>
        <KeyHint command="item.star" /> keeps an item with a star, <KeyHint command="item.read" />{" "}
        makes it unread again. <KeyHint command="undo" /> takes back whatever you did last.
      </Trans>
    );
  }
  if (number === 3 && has("feed.add", "help")) {
    return (
      <Trans>
        <KeyHint command="feed.add" /> adds a feed from anywhere, <KeyHint command="help" /> shows
        all keys.
      </Trans>
    );
  }
  if (number === 1) return <Trans>Press a title to read it.</Trans>;
  if (number === 2) {
    return <Trans>The star keeps an item; what you did last can be undone.</Trans>;
  }
  return <Trans>The foot of the side bar has the button that adds a feed.</Trans>;
}

function touchHint(number: number): ReactNode {
  if (number === 1)
    return <Trans>Tap a title to read; the bar at the bottom leads back and on.</Trans>;
  if (number === 2) {
    return <Trans>The star in the bar keeps an item; what you did last can be undone.</Trans>;
  }
  return <Trans>The plus in the bar adds a feed.</Trans>;
}
