import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { ChevronDown } from "lucide-react";
import { isSearch, type ReaderRoute } from "@/data/routes";
import type { Filter } from "@/data/types";
import { number } from "@/i18n/numbers";
import { withKey } from "@/ui/icon-button";
import { Menu, MenuChoice } from "@/ui/menu";
import { useUnread } from "../stream-title";
import { chooseFilter } from "../use-shape";

/** What of a list is shown; the button has the number of unread articles. */
export function FilterMenu({ route }: { route: ReaderRoute }) {
  const { t, i18n } = useLingui();
  const unread = useUnread(route);
  const { stream, filter } = route;
  if (["starred", "recent", "explore", "today"].includes(stream.kind) || isSearch(stream))
    return null;
  // Its width depends on the count: nothing moves when that comes.
  if (unread === undefined && stream.kind !== "label") return null;
  const names = { all: t`All`, unread: t`Unread`, starred: t`Starred` };
  const count = unread === undefined ? "" : number(unread, i18n.locale);
  // The name of the list says the rest.
  const isNumber = stream.kind === "all" && filter !== "starred" && count !== "";
  const shown =
    filter === "starred" || count === ""
      ? names[filter]
      : isNumber
        ? count
        : filter === "unread"
          ? t`${plural(unread ?? 0, { one: "# unread", other: "# unread" })}`
          : `${names.all} · ${count}`;
  const tip = [
    withKey(names.unread, "filter.unread"),
    withKey(names.all, "filter.all"),
    withKey(names.starred, "filter.starred"),
  ].join(" · ");
  return (
    <span className="menu-place" title={tip}>
      <Menu
        label={t`Show: ${isNumber ? `${names[filter]}, ${count}` : shown}`}
        icon={
          <>
            {shown}
            <ChevronDown />
          </>
        }
        className="filter-btn"
        place="top-9 start-0"
      >
        {(close) => (
          <MenuChoice<Filter>
            label={t`Show`}
            value={filter}
            onChoose={(one) => {
              close();
              chooseFilter(route, one);
            }}
            options={(["unread", "all", "starred"] as const).map((value) => ({
              value,
              label: names[value],
            }))}
          />
        )}
      </Menu>
    </span>
  );
}
