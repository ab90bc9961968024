import { Trans } from "@lingui/react/macro";

export function EndOfResults() {
  return <Trans>End of results</Trans>;
}
