import { Trans, useLingui } from "@lingui/react/macro";

/** The article's place while nothing is open. */
export function NoItem() {
  const { t } = useLingui();
  return (
    <section className="article-pane" aria-label={t`Item`}>
      <div className="state m-auto">
        <p>
          <Trans>
            Choose an item, or press <kbd>j</kbd>. All keys: <kbd>?</kbd>
          </Trans>
        </p>
      </div>
    </section>
  );
}
