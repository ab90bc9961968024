import { Trans, useLingui } from "@lingui/react/macro";
import { money } from "@/i18n/money";

interface Props {
  minor: number;
  currency: string;
  /** It is the lower end of a range. */
  isFrom: boolean;
}

/** A price: "€12.50", or "from €12.50". */
export function Price({ minor, currency, isFrom }: Props) {
  const { i18n } = useLingui();
  const amount = money(minor, currency, i18n.locale);
  return isFrom ? <Trans>from {amount}</Trans> : amount;
}
