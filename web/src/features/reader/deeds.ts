import { i18n } from "@lingui/core";
import { plural, t } from "@lingui/core/macro";
import type { QueryClient } from "@tanstack/react-query";
import { toApiError } from "@/data/api-error";
import { resumeFeed } from "@/data/feed-resume";
import { feedsKey, feedTitle } from "@/data/feeds";
import { resumeOutbox } from "@/data/item-state";
import { leaveFeed } from "@/data/leave-feed";
import { markListRead, type Part, type ShownList } from "@/data/mark-read";
import { askAnew, type ListName } from "@/data/news";
import type { Outbox, Refusal } from "@/data/outbox";
import type { Pin } from "@/data/pins";
import * as pins from "@/data/pins";
import { type Refresh, refreshList } from "@/data/refresh-list";
import { parseRoute, readerPath } from "@/data/routes";
import type { Feed } from "@/data/types";
import { go } from "@/data/use-route";
import { errorText } from "@/i18n/error-words";
import { number } from "@/i18n/format";
import { waitText } from "@/i18n/wait-text";
import { runCommand } from "@/keys/use-command";
import { pushUndo, rewordToast, showToast, showUndo } from "@/ui/toasts";

// What is done now and then: its code comes after the first list.

function say(cause: unknown): void {
  const error = toApiError(cause);
  const { says, remedy } = errorText(error, i18n);
  showToast([says, remedy].filter(Boolean).join(" "));
}

let heard: Outbox | null = null;

/** Opens the outbox, which sends what an earlier visit left, and says what of it is not taken. */
export async function begin(client: QueryClient): Promise<void> {
  const outbox = await resumeOutbox(client);
  if (heard === outbox) return;
  heard = outbox;
  outbox.onRefused(sayRefused);
}

function sayRefused({ error, count }: Refusal): void {
  if (!error) {
    showToast(
      t`${plural(count, {
        one: "# item is gone, and could not be marked.",
        other: "# items are gone, and could not be marked.",
      })}`,
    );
    return;
  }
  const { says, remedy } = errorText(error, i18n);
  const what = t`${plural(count, { one: "# mark was not taken.", other: "# marks were not taken." })}`;
  showToast([what, says, remedy].filter(Boolean).join(" "));
}

export async function markList(
  client: QueryClient,
  list: ShownList,
  part: Part = null,
): Promise<void> {
  const saying = (count: number) =>
    t`${plural(count, { one: "# item marked as read", other: "# items marked as read" })}`;
  try {
    const { count, isSent, undo, answer } = await markListRead(client, list, part);
    const offer = (text: string) => showUndo(text, t`Undo`, () => void undo().catch(say));
    if (count === 0) {
      answer.then((more) => {
        if (more) offer(saying(more));
        else if (more === 0) showToast(t`There was nothing unread.`);
      }, say);
      return;
    }
    // Not when the answer is there: until then z would mean an older deed.
    const text = saying(count);
    const forget = offer(isSent ? text : `${text}. ${t`It is sent when you are online again.`}`);
    answer.then(
      (more) => more && rewordToast(text, saying(more)),
      (cause) => {
        forget();
        say(cause);
      },
    );
  } catch (cause) {
    say(cause);
  }
}

/** From any place; who reads the feed goes on with all items, and after an undo with the feed. */
export async function unsubscribe(client: QueryClient, feed: Feed): Promise<void> {
  const name = feedTitle(feed);
  const route = parseRoute(location.pathname, location.search);
  const place = readerPath({ kind: "feed", id: feed.id });
  const isRead =
    route.screen === "reader" && route.stream.kind === "feed" && route.stream.id === feed.id;
  const { done, undo } = leaveFeed(client, feed);
  if (isRead) go("/all");
  const forget = showUndo(t`Unsubscribed from ${name}`, t`Undo`, () => {
    undo()
      .then(() => isRead && go(place))
      .catch(say);
  });
  try {
    await done;
  } catch (cause) {
    forget();
    if (isRead) go(place);
    say(cause);
  }
}

/** The list whose feeds are being polled: the key pressed again only waits on. */
let refreshed: Promise<void> | null = null;

/** Has the feeds of a list polled, and says how far that is; the pill shows what is new. */
export function refresh(client: QueryClient, list: ListName): Promise<void> {
  refreshed ??= refreshNow(client, list).finally(() => {
    refreshed = null;
  });
  return refreshed;
}

async function refreshNow(client: QueryClient, list: ListName): Promise<void> {
  let shown = t`Checking for new items…`;
  showToast(shown);
  const say = (text: string) => {
    rewordToast(shown, text);
    shown = text;
  };
  try {
    void client.invalidateQueries({ queryKey: feedsKey });
    // What has come meanwhile is shown at once, what the polls bring when they end.
    const [last] = await Promise.all([
      refreshList(client, list.stream, (refresh) => {
        if (refresh.total > 0) say(progressText(refresh));
      }),
      askAnew(client, list),
    ]);
    if (last.checked > 0) await askAnew(client, list);
    say(endText(last));
  } catch (cause) {
    const { says, remedy } = errorText(toApiError(cause), i18n);
    say([says, remedy].filter(Boolean).join(" "));
  }
}

function progressText({ checked, total, newItems }: Refresh): string {
  const done = number(checked, i18n.locale);
  const all = number(total, i18n.locale);
  const fresh = number(newItems, i18n.locale);
  return newItems > 0 ? t`${done} of ${all} checked, ${fresh} new` : t`${done} of ${all} checked`;
}

function endText(refresh: Refresh): string {
  const { total, newItems, skipped, nextAt } = refresh;
  if (!refresh.isDone) return t`Still checking. New items appear by themselves.`;
  if (total === 0) {
    const wait = nextAt ? waitText(nextAt, Date.now(), i18n) : "";
    return wait ? t`Just checked. Try again in ${wait}.` : t`There is nothing to check here.`;
  }
  const found =
    newItems > 0
      ? t`${plural(newItems, { one: "# new item", other: "# new items" })}`
      : t`No new items`;
  if (skipped === 0) return found;
  const left = t`${plural(skipped, { one: "# feed was not checked", other: "# feeds were not checked" })}`;
  return `${found} · ${left}`;
}

export async function resume(client: QueryClient, feed: Feed): Promise<void> {
  try {
    await resumeFeed(client, feed.id);
    showToast(t`The feed is fetched again from now on.`);
  } catch (cause) {
    say(cause);
  }
}

/** Rows and the count above the list say what is pinned: in a quick walk no toast stands in the way. */
export function togglePin(item: Pin): void {
  const { id, link } = item;
  const done = pins.togglePin({ id, link });
  if (done === "full") showToast(t`${pins.mostPins} items are pinned. Open some of them first.`);
  else if (done === "no link") showToast(t`This item has no address to open in a tab.`);
  else pushUndo(() => void pins.togglePin({ id, link }));
}

export function sayEnd(): void {
  const goOn = () => {
    if (!runCommand("feed.next")) showToast(t`No other feed has unread items.`);
  };
  showToast(t`That was the last item.`, {
    label: t`Next feed`,
    run: goOn,
    command: "feed.next",
  });
}
