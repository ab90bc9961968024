import { Trans, useLingui } from "@lingui/react/macro";
import { Lightbulb } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { useFeeds } from "@/data/feeds";
import type { ItemId } from "@/data/types";
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
      <p role="status">{isTouch ? touchHint(shown) : keyHint(shown)}</p>
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

function keyHint(number: number): ReactNode {
  if (number === 1) {
    return (
      <Trans>
        <kbd>j</kbd> opens the next item, <kbd>k</kbd> the one before. <kbd>Space</kbd> pages, and
        goes on with the next unread.
      </Trans>
    );
  }
  if (number === 2) {
    return (
      <Trans>
        <kbd>s</kbd> keeps an item with a star, <kbd>m</kbd> makes it unread again. <kbd>z</kbd>{" "}
        takes back whatever you did last.
      </Trans>
    );
  }
  return (
    <Trans>
      <kbd>a</kbd> adds a feed from anywhere, <kbd>?</kbd> shows all keys.
    </Trans>
  );
}

function touchHint(number: number): ReactNode {
  if (number === 1)
    return <Trans>Tap a title to read; the bar at the bottom leads back and on.</Trans>;
  if (number === 2) {
    return <Trans>The star in the bar keeps an item; what you did last can be undone.</Trans>;
  }
  return <Trans>The plus in the bar adds a feed.</Trans>;
}
