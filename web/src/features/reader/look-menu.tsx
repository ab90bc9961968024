import { useLingui } from "@lingui/react/macro";
import { LayoutGrid, LayoutList, List } from "lucide-react";
import { toApiError } from "@/data/api-error";
import type { ReaderRoute } from "@/data/routes";
import { setSettings, useSetting } from "@/data/settings";
import type { Order, Settings, View } from "@/data/types";
import { navigate } from "@/data/use-route";
import { errorWords } from "@/i18n/error-words";
import { Menu, MenuChoice } from "@/ui/menu";
import { showToast } from "@/ui/toasts";
import { transition } from "@/ui/transition";
import { chooseView, orderedAs, type Shape } from "./use-shape";

/** How this list looks, and how all lists are set. */
export function LookMenu({ route, shape }: { route: ReaderRoute; shape: Shape }) {
  const { t, i18n } = useLingui();
  const order = useSetting("order");
  const layout = useSetting("layout");
  const set = (patch: Partial<Settings>) =>
    setSettings(patch).catch((cause) => showToast(i18n._(errorWords(toApiError(cause)).says)));
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
              { value: "list", label: t`List`, icon: <List aria-hidden="true" /> },
              { value: "card", label: t`Cards`, icon: <LayoutGrid aria-hidden="true" /> },
              { value: "magazine", label: t`Magazine`, icon: <LayoutList aria-hidden="true" /> },
            ]}
          />
          <MenuChoice<Order>
            label={t`Order`}
            value={route.order ?? order}
            onChoose={(order) => {
              close();
              transition("look", () => navigate(orderedAs(route, order), { replace: true }));
            }}
            options={[
              { value: "new", label: t`Newest first` },
              { value: "old", label: t`Oldest first` },
            ]}
          />
          <hr />
          <MenuChoice<Settings["density"]>
            label={t`Density`}
            value={shape.density}
            onChoose={(density) => void set({ density })}
            options={[
              { value: "compact", label: t`Compact` },
              { value: "normal", label: t`Normal` },
              { value: "spacious", label: t`Spacious` },
            ]}
          />
          <MenuChoice<"split" | "inline">
            label={t`Layout`}
            value={layout === "inline" ? "inline" : "split"}
            onChoose={(layout) => void set({ layout })}
            options={[
              { value: "split", label: t`Beside` },
              { value: "inline", label: t`Unfolded` },
            ]}
          />
        </>
      )}
    </Menu>
  );
}
