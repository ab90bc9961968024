import { useLingui } from "@lingui/react/macro";
import type { Fault } from "./draft";

export function useFaultText(): (fault: Fault) => string {
  const { t } = useLingui();
  return (fault) =>
    ({
      words: t`Enter the text to match.`,
      pattern: t`Enter a regular expression.`,
      actions: t`Select at least one action.`,
      scope: t`Select a folder or feed.`,
    })[fault];
}
