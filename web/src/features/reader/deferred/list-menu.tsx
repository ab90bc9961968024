import { Trans, useLingui } from "@lingui/react/macro";
import {
  ArrowDownToLine,
  ArrowUpToLine,
  CheckCheck,
  ChevronDown,
  Ellipsis,
  Info,
  RefreshCw,
  Trash,
} from "lucide-react";
import { useMe } from "@/data/me";
import { type ReaderRoute, readerPath } from "@/data/routes";
import { getSetting, setSettings, useSetting } from "@/data/settings";
import type { Feed, Mode, Order } from "@/data/types";
import { go, navigate, openItemId } from "@/data/use-route";
import { runCommand } from "@/keys/use-command";
import { IconButton } from "@/ui/icon-button";
import { Menu, MenuChoice, MenuItem } from "@/ui/menu";
import { showError } from "@/ui/show-error";
import { transition } from "@/ui/transition";
import { phone, useMedia } from "@/ui/use-media";
import { MarkOlder } from "../mark-older";
import { chooseMode, type Shape } from "../use-shape";
import { useCheckTimes } from "./check-times";
import { MenuKey } from "./menu-key";
import { NotifyItem } from "./notify-item";
import { PinsMenu } from "./pins-menu";

interface Props {
  route: ReaderRoute;
  shape: Shape;
  feed: Feed | undefined;
  /** There is an item at the cursor, above and below which the list can be marked. */
  hasCursor: boolean;
  onUnsubscribe: (feed: Feed) => void;
}

type Close = (giveBack?: boolean) => void;
const closing = (close: Close) => (run: () => void) => () => {
  close();
  run();
};

/** The menus at the end of the head of a list. */
export function ListMenus(props: Props) {
  const { route, shape, feed, hasCursor, onUnsubscribe } = props;
  const { t } = useLingui();
  const checks = useCheckTimes(feed);
  const isPhone = useMedia(phone);
  // The head beside an article has room for one button, that of phones for two.
  const isNarrow = isPhone || shape.mode === "read";
  const markAll = (
    <IconButton
      label={t`Mark all as read`}
      icon={<CheckCheck />}
      onClick={() => runCommand("list.markRead")}
    />
  );
  return (
    <>
      <PinsMenu />
      {isPhone && markAll}
      {!isNarrow && (
        <span className="mark-menu">
          {markAll}
          <Menu
            label={t`Mark as read…`}
            icon={<ChevronDown />}
            className="narrow"
            place="top-9 end-0"
          >
            {(close) => <MarkItems hasCursor={hasCursor} then={closing(close)} />}
          </Menu>
        </span>
      )}
      <Menu label={t`List actions`} icon={<Ellipsis />} place="look-menu top-12 end-2">
        {(close) => {
          const then = closing(close);
          return (
            <>
              <MenuItem
                icon={<RefreshCw />}
                title={checks}
                onClick={then(() => runCommand("feed.refresh"))}
              >
                {feed ? <Trans>Refresh now</Trans> : <Trans>Refresh</Trans>}
                <MenuKey command="feed.refresh" />
              </MenuItem>
              <NotifyItem stream={route.stream} feed={feed} onDone={close} />
              {isNarrow && <MarkItems hasCursor={hasCursor} then={then} />}
              <hr />
              <Look route={route} shape={shape} close={close} />
              {feed && (
                <>
                  <hr />
                  <MenuItem
                    icon={<Info />}
                    title={checks}
                    onClick={then(() => go(`/subscriptions/${feed.id}`))}
                  >
                    <Trans>Details</Trans>
                  </MenuItem>
                  <MenuItem icon={<Trash />} onClick={then(() => onUnsubscribe(feed))}>
                    <Trans>Unsubscribe</Trans>
                  </MenuItem>
                </>
              )}
            </>
          );
        }}
      </Menu>
    </>
  );
}

function MarkItems({
  hasCursor,
  then,
}: {
  hasCursor: boolean;
  then: (run: () => void) => () => void;
}) {
  return (
    <>
      <MarkOlder then={then} />
      {hasCursor && (
        <>
          <MenuItem icon={<ArrowUpToLine />} onClick={then(() => runCommand("list.markAbove"))}>
            <Trans>Mark above as read</Trans>
            <MenuKey command="list.markAbove" />
          </MenuItem>
          <MenuItem icon={<ArrowDownToLine />} onClick={then(() => runCommand("list.markBelow"))}>
            <Trans>Mark below as read</Trans>
            <MenuKey command="list.markBelow" />
          </MenuItem>
        </>
      )}
    </>
  );
}

/** Mode and order of this list, and the density of all. */
function Look({ route, shape, close }: { route: ReaderRoute; shape: Shape; close: Close }) {
  const { t } = useLingui();
  const order = useSetting("order");
  const me = useMe();
  const { kind } = route.stream;
  const hasPopular =
    me.data?.bookmarkCounts === true &&
    route.filter !== "starred" &&
    ["all", "folder", "feed"].includes(kind);
  return (
    <>
      <MenuChoice<Mode>
        label={t`Mode`}
        value={shape.mode}
        onChoose={(mode) => {
          close();
          chooseMode(route, mode);
        }}
        options={[
          { value: "skim", label: t`Skim` },
          { value: "read", label: t({ message: "Read", context: "mode" }) },
          { value: "stream", label: t`Stream` },
          { value: "gallery", label: t`Gallery` },
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
          ...(hasPopular ? [{ value: "popular" as const, label: t`Most bookmarked first` }] : []),
        ]}
      />
      {shape.mode === "skim" && (
        <MenuChoice<"compact" | "normal">
          label={t`Density`}
          value={shape.isCompact ? "compact" : "normal"}
          onChoose={(density) => void setSettings({ density }).catch(showError)}
          options={[
            { value: "normal", label: t`Normal` },
            { value: "compact", label: t`Compact` },
          ]}
        />
      )}
    </>
  );
}

/** The address of the list in another order; the preferred order is left out. */
export function orderedAs(route: ReaderRoute, order: Order): string {
  return readerPath(route.stream, route.filter, openItemId(), {
    mode: route.mode,
    order: order === getSetting("order") ? null : order,
  });
}
