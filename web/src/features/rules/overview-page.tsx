import { Trans, useLingui } from "@lingui/react/macro";
import { Plus } from "lucide-react";
import { useRef } from "react";
import { toApiError } from "@/data/api-error";
import { useRules } from "@/data/rules";
import { go, readerPlace } from "@/data/use-route";
import { useCommands } from "@/keys/use-command";
import { ErrorNote } from "@/ui/error-note";
import { Link } from "@/ui/link";
import { Page, PageSkeleton } from "@/ui/page";
import { useDelayed } from "@/ui/use-delayed";
import { useFocusKeeper } from "@/ui/use-focus-keeper";
import { HiddenCard } from "./hidden-card";
import { LabelsCard } from "./labels-card";
import { RulesCard } from "./rules-card";

export function OverviewPage() {
  const { t } = useLingui();
  const rules = useRules();
  const isSlow = useDelayed(rules.isPending);
  const box = useRef<HTMLElement>(null);
  const keeper = useFocusKeeper(box);
  useCommands({ back: () => go(readerPlace()) });

  return (
    <Page
      title={t`Rules and labels`}
      place="rules"
      busy={rules.isPending}
      ref={box}
      actions={
        <Link href="/rules?edit=new" className="btn">
          <Plus size={16} />
          <Trans>New rule</Trans>
        </Link>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only listens where the focus is */}
      <div className="contents" onFocus={keeper.onFocus}>
        {rules.data ? (
          <RulesCard rules={rules.data.rules} />
        ) : rules.isError && toApiError(rules.error).status !== 401 ? (
          <ErrorNote error={rules.error} onRetry={() => void rules.refetch()} />
        ) : (
          isSlow && <PageSkeleton rows={3} />
        )}
        <HiddenCard />
        <LabelsCard />
      </div>
    </Page>
  );
}
