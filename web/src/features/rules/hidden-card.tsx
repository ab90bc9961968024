import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { showHidden, useHidden } from "@/data/hidden";
import { readerPath } from "@/data/routes";
import type { HiddenItem } from "@/data/rules";
import { relativeTime } from "@/i18n/format";
import { itemName } from "@/i18n/item-name";
import { textLang } from "@/i18n/text-lang";
import { useNow } from "@/i18n/use-now";
import { ErrorNote } from "@/ui/error-note";
import { Link } from "@/ui/link";
import { showError } from "@/ui/show-error";
import { showToast } from "@/ui/toasts";

/** The hidden items, each with the rule that hid it. */
export function HiddenCard() {
  const { t } = useLingui();
  const client = useQueryClient();
  const hidden = useHidden();
  const items = hidden.data?.pages.flatMap((page) => page.items) ?? [];

  const show = async ({ item }: HiddenItem) => {
    try {
      await showHidden(client, item.id);
      showToast(t`Marked as unread. Rules will not hide it again.`);
    } catch (cause) {
      showError(cause);
    }
  };
  return (
    <section className="card" aria-labelledby="hidden">
      <h2 id="hidden">
        <Trans>Hidden by rules</Trans>
      </h2>
      {hidden.isError && !hidden.data ? (
        <ErrorNote error={hidden.error} onRetry={() => void hidden.refetch()} />
      ) : !hidden.data ? (
        <div className="skeleton h-16" aria-hidden="true" />
      ) : items.length === 0 ? (
        <p className="hint">
          <Trans>No hidden articles. What rules hide is listed here.</Trans>
        </p>
      ) : (
        <>
          <ul className="hidden-list">
            {items.map((one) => (
              <HiddenRow key={one.item.id} hidden={one} onShow={() => void show(one)} />
            ))}
          </ul>
          {hidden.hasNextPage && (
            <button
              type="button"
              className="btn mt-3"
              aria-disabled={hidden.isFetchingNextPage}
              onClick={() => void hidden.fetchNextPage()}
            >
              <Trans>Show more</Trans>
            </button>
          )}
        </>
      )}
    </section>
  );
}

function HiddenRow({ hidden: { item, rule }, onShow }: { hidden: HiddenItem; onShow: () => void }) {
  const { t, i18n } = useLingui();
  const now = useNow();
  const title = itemName(item);
  return (
    <li data-row>
      <div className="text">
        <Link
          href={readerPath({ kind: "feed", id: item.feedId }, "all", item.id)}
          className="name"
          dir="auto"
          lang={textLang(item.lang, title, i18n.locale)}
        >
          {title}
        </Link>
        <p className="hint">
          <bdi>{item.feedTitle}</bdi> · {relativeTime(item.publishedAt, now, i18n.locale)} ·{" "}
          {rule ? (
            <Trans>
              by{" "}
              <Link href={`/rules?edit=${encodeURIComponent(rule.id)}`}>
                {rule.name || t`unnamed rule`}
              </Link>
            </Trans>
          ) : (
            <Trans>no longer hidden by any rule</Trans>
          )}
        </p>
      </div>
      <button type="button" className="btn" aria-label={t`Unhide: ${title}`} onClick={onShow}>
        <Trans>Unhide</Trans>
      </button>
    </li>
  );
}
