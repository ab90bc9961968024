import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { CircleDot, Clock, Search, Star, Sun, Tags, TrendingUp } from "lucide-react";
import type { ReactNode } from "react";
import { useMe } from "@/data/me";
import { makeReadLater } from "@/data/mutations/labels";
import { readerPath } from "@/data/routes";
import type { Label } from "@/data/types";
import { go } from "@/data/use-route";
import { showError } from "@/ui/show-error";
import { Row } from "./row";

interface Props {
  current: string;
  stop: string;
  totals: { unread: number; starred: number } | undefined;
  readLater: Label | undefined;
}

/** Makes Read later and goes there. */
export function useTurnOnLater(): () => void {
  const client = useQueryClient();
  return () => {
    makeReadLater(client).then((label) => {
      if (label) go(readerPath({ kind: "label", id: label.id }));
    }, showError);
  };
}

/** The places above the feeds, the same for everybody: what is off stays there, and can be turned on. */
export function Places({ current, stop, totals, readLater }: Props) {
  const { t } = useLingui();
  const turnOn = useTurnOnLater();
  const isSearchOff = useMe().data?.search === "off";
  const place = (
    row: string,
    href: string,
    icon: ReactNode,
    name: string,
    count?: number,
    countName?: string,
  ) => (
    <li>
      <Row
        row={row}
        href={href}
        icon={icon}
        name={name}
        isCurrent={current === row}
        isStop={stop === row}
        count={count}
        {...(countName ? { countName } : {})}
      />
    </li>
  );
  return (
    <ul>
      {place("today", "/", <Sun />, t`Today`)}
      {place("unread", "/all?f=unread", <CircleDot />, t`Unread`, totals?.unread)}
      {readLater ? (
        place("later", readerPath({ kind: "label", id: readLater.id }), <Clock />, t`Read later`)
      ) : (
        <li>
          <div className="side-row" data-row="later">
            <button
              type="button"
              className="side-link"
              data-stop=""
              data-off=""
              data-name={t`Read later`}
              tabIndex={stop === "later" ? 0 : -1}
              onClick={turnOn}
            >
              <Clock />
              <span className="name">
                <Trans>Read later</Trans>
              </span>
              <span className="turn-on">
                <Trans>Turn on</Trans>
              </span>
            </button>
          </div>
        </li>
      )}
      {place("starred", "/starred", <Star />, t`Starred`, totals?.starred, t`starred`)}
      {place("explore", "/my/popular/hot", <TrendingUp />, t`Popular`)}
      {place("watches", "/watches", <Tags />, t`Watches`)}
      {isSearchOff ? (
        <li>
          <span className="side-link" data-off="" title={t`Search is off on this server`}>
            <Search />
            <span className="name">
              <Trans>Search</Trans>
            </span>
            <span className="turn-on">
              <Trans>Off</Trans>
            </span>
          </span>
        </li>
      ) : (
        place("search", "/search", <Search />, t`Search`)
      )}
    </ul>
  );
}
