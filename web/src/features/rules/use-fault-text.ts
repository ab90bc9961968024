import { useLingui } from "@lingui/react/macro";
import type { Fault } from "./draft";

export function useFaultText(): (fault: Fault) => string {
  const { t } = useLingui();
  return (fault) =>
    ({
      words: t`Enter the words to look for.`,
      pattern: t`Enter a regular expression.`,
      actions: t`Choose at least one thing to do.`,
      scope: t`Choose a folder or a feed.`,
    })[fault];
}
