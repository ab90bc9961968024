import { Trans, useLingui } from "@lingui/react/macro";
import { SearchX } from "lucide-react";
import { toApiError } from "@/data/api-error";
import { useRules } from "@/data/rules";
import { go } from "@/data/use-route";
import { useCommands } from "@/keys/use-command";
import { ErrorNote } from "@/ui/error-note";
import { Link } from "@/ui/link";
import { Page, PageSkeleton } from "@/ui/page";
import { useLate } from "@/ui/use-late";
import { draftOf, newDraft } from "./draft";
import { RuleForm } from "./rule-form";

interface Props {
  /** Null for a new rule. */
  id: string | null;
  /** For which feed a new rule is begun. */
  feed: string | null;
}

export function EditPage({ id, feed }: Props) {
  const { t } = useLingui();
  const rules = useRules();
  const late = useLate(rules.isPending);
  useCommands({ back: () => go("/rules") });
  const rule = rules.data?.rules.find((one) => one.id === id);

  return (
    <Page
      title={id === null ? t`New rule` : t`Edit the rule`}
      place={id ?? "new"}
      back={{ href: "/rules", label: t`Back to the rules` }}
      busy={rules.isPending}
    >
      {rules.data && (rule || id === null) ? (
        <RuleForm rules={rules.data.rules} begun={rule ? draftOf(rule) : newDraft(feed)} />
      ) : rules.data ? (
        <section className="card">
          <div className="state">
            <SearchX aria-hidden="true" />
            <p className="title">
              <Trans>There is no such rule any more</Trans>
            </p>
            <Link href="/rules" className="btn">
              <Trans>Back to the rules</Trans>
            </Link>
          </div>
        </section>
      ) : rules.isError && toApiError(rules.error).status !== 401 ? (
        <ErrorNote error={rules.error} onRetry={() => void rules.refetch()} />
      ) : (
        late && <PageSkeleton rows={4} />
      )}
    </Page>
  );
}
