import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  changeNotifications,
  devicePath,
  type NotifiedDevice,
  removeDevice,
  testDevice,
  useNotifications,
  type Wish,
} from "@/data/account/notifications";
import { feedTitle, useFeeds } from "@/data/feeds";
import { type PushState, pushState, startPush, stopPush } from "@/data/push";
import { pushDevice } from "@/data/push-device";
import { useSearches } from "@/data/searches";
import { useKnownTree } from "@/data/tree";
import { relativeTime } from "@/i18n/format";
import { useNow } from "@/i18n/use-now";
import { Link } from "@/ui/link";
import { Note } from "@/ui/note";
import { showError } from "@/ui/show-error";
import { showToast } from "@/ui/toasts";
import { Switch } from "./controls";
import { Asked, Card, DeviceName, Listed, leaveRow, RowButton } from "./parts";

/** Notifications by push: of this device, of the others, and what they are about (docs/use/notifications.md). */
export function Notifications() {
  const { t } = useLingui();
  const client = useQueryClient();
  const settings = useNotifications();
  const [state, setState] = useState(pushState);
  const run = async (action: () => Promise<unknown>) => {
    try {
      await action();
    } catch (cause) {
      showError(cause);
    } finally {
      setState(pushState());
    }
  };
  return (
    <>
      <Card
        title={t`On this device`}
        hint={t`New articles of feeds, folders and searches that you choose, also while the page is closed.`}
      >
        {state === "on" || state === "off" ? (
          <Switch
            label={t`Notifications on this device`}
            value={state === "on"}
            onChange={(on) => void run(() => (on ? startPush(client) : stopPush(client)))}
          />
        ) : (
          <Note kind="warn">
            <WhyNot state={state} />
          </Note>
        )}
      </Card>
      <Asked query={settings}>
        {(now) => (
          <>
            <Devices list={now.devices} isPossible={state === "on" || state === "off"} run={run} />
            <Quiet hours={now.quietHours} run={run} />
            <Chosen folderIds={now.folderIds} searchIds={now.searchIds} run={run} />
          </>
        )}
      </Asked>
    </>
  );
}

export function WhyNot({ state }: { state: PushState }) {
  switch (state) {
    case "insecure":
      return (
        <Trans>
          Browsers allow notifications only over https. Open this reader at an https:// address.
        </Trans>
      );
    case "add-to-home":
      return (
        <Trans>
          Add this page to the home screen first (Share, Add to Home Screen), and open it from
          there.
        </Trans>
      );
    case "blocked":
      return (
        <Trans>
          Notifications of this site are blocked. Allow them in the browser’s settings for this
          site, then reload the page.
        </Trans>
      );
    default:
      return <Trans>This browser cannot show notifications.</Trans>;
  }
}

type Run = (action: () => Promise<unknown>) => Promise<void>;

interface DevicesProps {
  list: readonly NotifiedDevice[];
  /** This browser can be one of them. */
  isPossible: boolean;
  run: Run;
}

function Devices({ list, isPossible, run }: DevicesProps) {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const now = useNow();
  const here = pushDevice();
  const ago = (at: string | null) => (at ? relativeTime(at, now, i18n.locale) : "");
  const remove = (id: string, button: Element) =>
    run(async () => {
      leaveRow(button);
      await (id === here ? stopPush(client) : removeDevice(client, id));
      showToast(t`Device removed`);
    });
  return (
    <Card title={t`Devices with notifications`}>
      {list.length === 0 ? (
        <p className="hint">
          {isPossible ? (
            <Trans>No device yet. Turn on notifications above.</Trans>
          ) : (
            <Trans>No device yet.</Trans>
          )}
        </p>
      ) : (
        <ul>
          {list.map((one) => {
            const name = one.name || t`Unknown device`;
            const since = ago(one.createdAt);
            const well = ago(one.lastDeliveredAt);
            const failing = ago(one.failingSince);
            return (
              <Listed
                key={devicePath(one.id)}
                name={<DeviceName name={name} isThis={one.id === here} />}
                facts={[
                  t`added ${since}`,
                  well && t`last delivered ${well}`,
                  failing && t`not reachable since ${failing}`,
                ]}
              >
                <RowButton
                  label={t`Test`}
                  of={name}
                  onPress={() =>
                    void run(async () => {
                      await testDevice(one.id);
                      showToast(t`Test sent`);
                    })
                  }
                />
                <RowButton
                  label={t`Remove`}
                  of={name}
                  onPress={(button) => void remove(one.id, button)}
                />
              </Listed>
            );
          })}
        </ul>
      )}
    </Card>
  );
}

const text = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

function Quiet({ hours, run }: { hours: Wish["quietHours"]; run: Run }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const set = (quietHours: NonNullable<Wish["quietHours"]> | null) =>
    void run(() => changeNotifications(client, { quietHours }));
  const field = (name: "from" | "to", label: string) => (
    <label className="field">
      <span>{label}</span>
      <input
        type="time"
        defaultValue={text(hours?.[name] ?? 0)}
        onBlur={(event) => {
          const minutes = minutesOf(event.currentTarget.value);
          const isNew = hours && Number.isFinite(minutes) && minutes !== hours[name];
          if (isNew) set({ ...hours, [name]: minutes, timeZone: zone });
        }}
      />
    </label>
  );
  return (
    <Card
      title={t`Quiet hours`}
      hint={t`Articles that arrive in between are announced together at the end.`}
    >
      <Switch
        label={t`Quiet hours`}
        hint={hours?.timeZone}
        value={hours != null}
        onChange={(on) => set(on ? { from: 22 * 60, to: 7 * 60, timeZone: zone } : null)}
      />
      {hours && (
        <div className="line">
          {field("from", t`From`)}
          {field("to", t`To`)}
        </div>
      )}
    </Card>
  );
}

/** What was chosen where it is read: here it is listed, and can be ended. */
function Chosen({
  folderIds,
  searchIds,
  run,
}: Required<Pick<Wish, "folderIds" | "searchIds">> & { run: Run }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const feeds = (useFeeds().data?.feeds ?? []).filter((one) => one.notify);
  const { folders } = useKnownTree();
  const searches = useSearches();
  const without = (ids: readonly string[] = [], id: string) => ids.filter((one) => one !== id);
  const rows = [
    ...folders
      .filter(({ id }) => folderIds?.includes(id))
      .map(({ id, name }) => ({
        name,
        path: `/folder/${id}`,
        end: () => changeNotifications(client, { folderIds: without(folderIds, id) }),
      })),
    ...searches
      .filter(({ id }) => searchIds?.includes(id))
      .map(({ id, name }) => ({
        name,
        path: `/saved/${id}`,
        end: () => changeNotifications(client, { searchIds: without(searchIds, id) }),
      })),
  ];
  return (
    <Card
      title={t`Notify about`}
      hint={t`Turn on “Notify my devices” in the menu of a feed, a folder, a saved search or a watch.`}
    >
      <ul>
        {feeds.map((feed) => (
          <li key={feed.id} className="setting">
            <Link href={`/subscriptions/${feed.id}`} className="text name">
              {feedTitle(feed)}
            </Link>
          </li>
        ))}
        {rows.map(({ name, path, end }) => (
          <li key={path} className="setting">
            <Link href={path} className="text name">
              {name}
            </Link>
            <RowButton
              label={t`Remove`}
              of={name}
              onPress={(button) => {
                leaveRow(button);
                void run(end);
              }}
            />
          </li>
        ))}
      </ul>
      {feeds.length + rows.length === 0 && (
        <p className="hint">
          <Trans>Nothing yet.</Trans>
        </p>
      )}
    </Card>
  );
}
