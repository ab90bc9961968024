import { Trans, useLingui } from "@lingui/react/macro";
import { ArrowDown, ArrowUp } from "lucide-react";
import type { Watch } from "@/data/watches";
import { moneyChange } from "@/i18n/money";
import { Price } from "./price";

/** The lowest price now, and how it changed in seven days; without prices how many things are listed. */
export function Lowest({ watch }: { watch: Watch }) {
  const { i18n } = useLingui();
  const { lowest, change7d } = watch;
  if (!lowest) {
    return (
      <p className="lowest">
        <span className="none">
          <Trans>No prices</Trans>
        </span>
      </p>
    );
  }
  const change = change7d ? moneyChange(change7d, lowest.currency, i18n.locale) : "";
  return (
    <p className="lowest">
      <small>
        <Trans>Lowest</Trans>
      </small>{" "}
      <span className="amount">
        <Price minor={lowest.price} currency={lowest.currency} isFrom={lowest.isFrom} />
      </span>{" "}
      {change7d !== null && (
        <span className="change" data-way={change7d < 0 ? "down" : change7d > 0 ? "up" : "level"}>
          {change7d < 0 ? <ArrowDown /> : change7d > 0 ? <ArrowUp /> : null}
          {change7d === 0 ? <Trans>unchanged in 7 days</Trans> : <Trans>{change} in 7 days</Trans>}
        </span>
      )}
    </p>
  );
}
