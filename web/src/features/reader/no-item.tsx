import { Trans, useLingui } from "@lingui/react/macro";
import { KeyHint, useKey } from "@/ui/key-hint";

/** The article's place while nothing is open. */
export function NoItem() {
  const { t } = useLingui();
  const next = useKey("item.next");
  const help = useKey("help");
  return (
    <section className="article-pane" aria-label={t`Item`}>
      <div className="state m-auto">
        <p>
          {next ? (
            <Trans>
              Choose an item, or press <KeyHint command="item.next" />.
            </Trans>
          ) : (
            <Trans>Choose an item.</Trans>
          )}{" "}
          {help && (
            <Trans>
              All keys: <KeyHint command="help" />
            </Trans>
          )}
        </p>
      </div>
    </section>
  );
}
