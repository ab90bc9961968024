import { Trans, useLingui } from "@lingui/react/macro";
import { KeyHint, useKey } from "@/ui/key-hint";

/** The article pane while no item is open. */
export function NoItem() {
  const { t } = useLingui();
  const next = useKey("item.next");
  const help = useKey("help");
  return (
    <section className="article-pane" aria-label={t`Article`}>
      <div className="state m-auto">
        <p>
          {next ? (
            <Trans>
              Select an article, or press <KeyHint command="item.next" />.
            </Trans>
          ) : (
            <Trans>Select an article.</Trans>
          )}{" "}
          {help && (
            <Trans>
              All shortcuts: <KeyHint command="help" />
            </Trans>
          )}
        </p>
      </div>
    </section>
  );
}
