import { Trans, useLingui } from "@lingui/react/macro";
import { SearchX } from "lucide-react";
import { toApiError } from "@/data/api-error";
import { useRules } from "@/data/rules";
import { go } from "@/data/use-route";
import { useCommands } from "@/keys/use-command";
import { ErrorNote } from "@/ui/error-note";
import { Link } from "@/ui/link";
import { Page, PageSkeleton } from "@/ui/page";
import { useDelayed } from "@/ui/use-delayed";
import { type Draft, draftOf } from "./draft";
import { RuleForm } from "./rule-form";

interface Props {
  /** Null for a new rule. */
  id: string | null;
  /** A new rule. */
  begun: Draft;
}

export function EditPage({ id, begun }: Props) {
  const { t } = useLingui();
  const rules = useRules();
  const isSlow = useDelayed(rules.isPending);
  useCommands({ back: () => go("/rules") });
  const rule = rules.data?.rules.find((one) => one.id === id);

  return (
    <Page
      title={id === null ? t`New rule` : t`Edit rule`}
      place={id ?? "new"}
      back={{ href: "/rules", label: t`Back to rules` }}
      busy={rules.isPending}
    >
      {rules.data && (rule || id === null) ? (
        <RuleForm rules={rules.data.rules} begun={rule ? draftOf(rule) : begun} />
      ) : rules.data ? (
        <section className="card">
          <div className="state">
            <SearchX />
            <p className="title">
              <Trans>This rule no longer exists</Trans>
            </p>
            <Link href="/rules" className="btn">
              <Trans>Back to rules</Trans>
            </Link>
          </div>
        </section>
      ) : rules.isError && toApiError(rules.error).status !== 401 ? (
        <ErrorNote error={rules.error} onRetry={() => void rules.refetch()} />
      ) : (
        isSlow && <PageSkeleton rows={4} />
      )}
    </Page>
  );
}
