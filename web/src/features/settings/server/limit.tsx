import { Trans, useLingui } from "@lingui/react/macro";
import type { ProjectedCost } from "@/data/stats";
import { dollars } from "@/i18n/numbers";
import { dayLabel } from "./figures";
import { Meter } from "./units";

/** The owner's monthly limit, this month so far, and what follows from it. */
export function Limit({ limit }: { limit: NonNullable<ProjectedCost["limit"]> }) {
  const { t, i18n } = useLingui();
  const { limitUSD, spentUSD, intervalFactor: factor, endsAt } = limit;
  const spent = dollars(spentUSD, i18n.locale);
  const most = dollars(limitUSD, i18n.locale);
  const until = endsAt && dayLabel(endsAt.slice(0, 10), i18n.locale);
  return (
    <>
      <p>
        <Trans>
          {spent} of the monthly limit of {most} used so far
        </Trans>
      </p>
      <Meter
        label={t`Monthly limit`}
        spent={spentUSD}
        budget={limitUSD}
        level={spentUSD > limitUSD ? "err" : factor > 1 ? "warn" : "ok"}
      />
      {factor > 1 && (
        <p>
          <Trans>
            To stay within the limit, intervals between checks are {factor} times as long until{" "}
            {until} (UTC). Reading works as usual.
          </Trans>
        </p>
      )}
    </>
  );
}
