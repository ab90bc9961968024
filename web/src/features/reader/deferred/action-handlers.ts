import { i18n } from "@lingui/core";
import { plural, t } from "@lingui/core/macro";
import type { QueryClient } from "@tanstack/react-query";
import { ApiError } from "@/data/api-error";
import { inward } from "@/data/base";
import { feedsKey, feedTitle } from "@/data/feeds";
import { resumeOutbox } from "@/data/item-state";
import { resumeFeed } from "@/data/mutations/feed-resume";
import { markListRead, olderThan, type Part, type ShownList } from "@/data/mutations/mark-read";
import type { Outbox, Refusal } from "@/data/mutations/outbox";
import * as pins from "@/data/mutations/pins";
import { type Refresh, refreshList } from "@/data/mutations/refresh-list";
import { unsubscribe as leave } from "@/data/mutations/unsubscribe";
import { checkForNewItems, type ListName } from "@/data/new-items";
import { parseRoute, readerPath } from "@/data/routes";
import type { Feed } from "@/data/types";
import { go } from "@/data/use-route";
import { number } from "@/i18n/numbers";
import { problemText, sentences } from "@/i18n/problem-text";
import { waitText } from "@/i18n/wait-text";
import { runCommand } from "@/keys/use-command";
import { showError } from "@/ui/show-error";
import { pushUndo, rewordToast, showToast } from "@/ui/toasts";
import { offerUndo, withUndo } from "@/ui/undo";

// The actions that are not needed before the first list.

let followed: Outbox | null = null;

/** Opens the outbox, which sends what an earlier visit left, and shows what of it is refused. */
export async function begin(client: QueryClient): Promise<void> {
  const outbox = await resumeOutbox(client);
  if (followed === outbox) return;
  followed = outbox;
  outbox.onRefused(showRefusal);
}

function showRefusal({ error, count }: Refusal): void {
  if (!error) {
    showToast(
      t`${plural(count, {
        one: "# article is no longer available and was not updated.",
        other: "# articles are no longer available and were not updated.",
      })}`,
    );
    return;
  }
  const what = t`${plural(count, { one: "# change was rejected.", other: "# changes were rejected." })}`;
  showToast(sentences(i18n.locale, what, problemText(error, i18n)));
}

export async function markList(
  client: QueryClient,
  list: ShownList,
  part: Part = null,
): Promise<void> {
  const textFor = (count: number) =>
    t`${plural(count, { one: "# article marked as read", other: "# articles marked as read" })}`;
  try {
    const { count, isSent, undo, answer } = await markListRead(client, list, part);
    if (count === 0) {
      answer.then((more) => {
        if (more) offerUndo(textFor(more), undo);
        else if (more === 0) showToast(t`Nothing to mark as read`);
      }, showError);
      return;
    }
    // Not only after the answer: until then `z` would undo an older action.
    const text = textFor(count);
    const withdraw = offerUndo(
      isSent ? text : `${text}. ${t`This will sync when you are back online.`}`,
      undo,
    );
    answer.then(
      (more) => more && rewordToast(text, textFor(more)),
      (cause) => {
        withdraw();
        showError(cause);
      },
    );
  } catch (cause) {
    showError(cause);
  }
}

export async function markOlder(
  client: QueryClient,
  list: ShownList,
  days: number,
  hasMore: boolean,
): Promise<void> {
  const part = olderThan(days, list, hasMore);
  if (part === undefined) showToast(t`Nothing to mark as read`);
  else await markList(client, list, part);
}

/** Goes to all items where the feed is open; an undo or a refusal leads back to it. */
export async function unsubscribe(client: QueryClient, feed: Feed): Promise<void> {
  const name = feedTitle(feed);
  const route = parseRoute(inward(location.pathname), location.search);
  const isOpen =
    route.screen === "reader" && route.stream.kind === "feed" && route.stream.id === feed.id;
  const goBack = () => isOpen && go(readerPath({ kind: "feed", id: feed.id }));
  const { done, undo } = leave(client, [feed]);
  if (isOpen) go("/all");
  const request = done.then(([refusal]) => {
    if (refusal) throw new ApiError(409, refusal);
  });
  request.catch(goBack);
  await withUndo(t`Unsubscribed from ${name}`, request, () => undo().then(goBack));
}

/** The running refresh: pressing the key again does not start another. */
let refreshing: Promise<void> | null = null;

/** Has the feeds of a list polled and shows the progress; the pill shows what is new. */
export function refresh(client: QueryClient, list: ListName): Promise<void> {
  refreshing ??= refreshNow(client, list).finally(() => {
    refreshing = null;
  });
  return refreshing;
}

async function refreshNow(client: QueryClient, list: ListName): Promise<void> {
  let shown = t`Checking for new articles…`;
  showToast(shown);
  const show = (text: string) => {
    rewordToast(shown, text);
    shown = text;
  };
  try {
    void client.invalidateQueries({ queryKey: feedsKey });
    // What came since the last poll is shown at once, what the polls bring at their end.
    const [last] = await Promise.all([
      refreshList(client, list.stream, (progress) => {
        if (progress.total > 0) show(progressText(progress));
      }),
      checkForNewItems(client, list),
    ]);
    if (last.checked > 0) await checkForNewItems(client, list);
    show(resultText(last));
  } catch (cause) {
    show(problemText(cause, i18n));
  }
}

function progressText({ checked, total, newItems }: Refresh): string {
  const done = number(checked, i18n.locale);
  const all = number(total, i18n.locale);
  const fresh = number(newItems, i18n.locale);
  return newItems > 0 ? t`${done} of ${all} checked, ${fresh} new` : t`${done} of ${all} checked`;
}

function resultText({ isDone, total, newItems, skipped, nextAt }: Refresh): string {
  if (!isDone) return t`Still checking. New articles will appear automatically.`;
  if (total === 0) {
    const wait = nextAt ? waitText(nextAt, Date.now(), i18n) : "";
    return wait ? t`Just checked. Try again in ${wait}.` : t`Nothing to check here`;
  }
  const found =
    newItems > 0
      ? t`${plural(newItems, { one: "# new article", other: "# new articles" })}`
      : t`No new articles`;
  if (skipped === 0) return found;
  const left = t`${plural(skipped, { one: "# feed skipped", other: "# feeds skipped" })}`;
  return `${found} · ${left}`;
}

export async function resume(client: QueryClient, feed: Feed): Promise<void> {
  try {
    await resumeFeed(client, feed.id);
    showToast(t`Feed resumed`);
  } catch (cause) {
    showError(cause);
  }
}

/** Without a toast for success: rows and the count above the list show what is pinned. */
export function togglePin({ id, link }: pins.Pin): void {
  const result = pins.togglePin({ id, link });
  if (result === "full")
    showToast(t`You have ${pins.maxPins} pinned articles, the maximum. Open some first.`);
  else if (result === "no link") showToast(t`This article has no link to open.`);
  else pushUndo(() => void pins.togglePin({ id, link }));
}

export function showEnd(): void {
  const goOn = () => {
    if (!runCommand("feed.next")) showToast(t`No other unread feeds`);
  };
  showToast(t`That was the last article.`, {
    label: t`Next feed`,
    run: goOn,
    command: "feed.next",
  });
}
