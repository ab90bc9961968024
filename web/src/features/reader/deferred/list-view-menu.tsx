import { useLingui } from "@lingui/react/macro";
import { LayoutGrid, LayoutList, List } from "lucide-react";
import { useMe } from "@/data/me";
import { type ReaderRoute, readerPath } from "@/data/routes";
import { getSetting, setSettings, useSetting } from "@/data/settings";
import type { Order, Settings, View } from "@/data/types";
import { navigate } from "@/data/use-route";
import { Menu, MenuChoice } from "@/ui/menu";
import { showError } from "@/ui/show-error";
import { transition } from "@/ui/transition";
import { chooseView, type Shape } from "../use-shape";

/** The view of this list, and settings of all lists. */
export function ListViewMenu({ route, shape }: { route: ReaderRoute; shape: Shape }) {
  const { t } = useLingui();
  const order = useSetting("order");
  const layout = useSetting("layout");
  const me = useMe();
  const hasPopular =
    me.data?.bookmarkCounts === true &&
    route.filter !== "starred" &&
    ["all", "folder", "feed"].includes(route.stream.kind);
  const set = (patch: Partial<Settings>) => void setSettings(patch).catch(showError);
  return (
    <Menu label={t`View`} icon={<LayoutList />} place="look-menu top-14 end-2">
      {(close) => (
        <>
          <MenuChoice<View>
            label={t`View`}
            value={shape.view}
            onChoose={(view) => {
              close();
              chooseView(route, view);
            }}
            options={[
              { value: "list", label: t`List`, icon: <List /> },
              { value: "card", label: t`Cards`, icon: <LayoutGrid /> },
              { value: "magazine", label: t`Magazine`, icon: <LayoutList /> },
            ]}
          />
          <MenuChoice<Order>
            label={t`Sort`}
            value={route.order ?? order}
            onChoose={(order) => {
              close();
              transition("look", () => navigate(orderedAs(route, order), { replace: true }));
            }}
            options={[
              { value: "new", label: t`Newest first` },
              { value: "old", label: t`Oldest first` },
              ...(hasPopular
                ? [{ value: "popular" as const, label: t`Most bookmarked first` }]
                : []),
            ]}
          />
          <hr />
          <MenuChoice<Settings["density"]>
            label={t`Density`}
            value={shape.density}
            onChoose={(density) => set({ density })}
            options={[
              { value: "compact", label: t`Compact` },
              { value: "normal", label: t`Normal` },
              { value: "spacious", label: t`Spacious` },
            ]}
          />
          <MenuChoice<"split" | "inline">
            label={t`Layout`}
            value={layout === "inline" ? "inline" : "split"}
            onChoose={(layout) => set({ layout })}
            options={[
              { value: "split", label: t`Side by side` },
              { value: "inline", label: t`Inline` },
            ]}
          />
        </>
      )}
    </Menu>
  );
}

/** The address of the list in another order; the preferred order is left out. */
export function orderedAs(route: ReaderRoute, order: Order): string {
  return readerPath(route.stream, route.filter, route.item, {
    view: route.view,
    order: order === getSetting("order") ? null : order,
  });
}
