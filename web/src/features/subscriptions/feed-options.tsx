import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useId, useRef } from "react";
import { inward } from "@/data/base";
import { folderPaths } from "@/data/folder-paths";
import { parseRoute } from "@/data/routes";
import type { Folder } from "@/data/types";

/** Settings of the new subscription. */
interface Options {
  folder: string;
  isNewFolder: boolean;
  intervalMinutes: number;
}

/** The defaults: the folder that is open. */
export function defaultOptions(folders: readonly Folder[]): Options {
  const route = parseRoute(inward(location.pathname), "");
  const here = route.screen === "reader" && route.stream.kind === "folder" ? route.stream.id : null;
  const folder = folderPaths(folders).find((one) => one.id === here)?.path ?? "";
  return { folder, isNewFolder: false, intervalMinutes: 0 };
}

/** Minutes; 0 is the default, which follows how often the feed changes. */
const intervals = [0, 30, 60, 120, 180, 360, 720] as const;

const newFolder = "\n"; // not a possible name

interface Props {
  folders: readonly Folder[];
  options: Options;
  onChange: (options: Options) => void;
}

export function FeedOptions({ folders, options, onChange }: Props) {
  const { t } = useLingui();
  const id = useId();
  const name = useRef<HTMLInputElement>(null);
  const chooseFolder = (value: string) => {
    const isNew = value === newFolder;
    onChange({ ...options, folder: isNew ? "" : value, isNewFolder: isNew });
    if (isNew) requestAnimationFrame(() => name.current?.focus());
  };
  return (
    <div className="feed-options">
      <div className="field">
        <label htmlFor={`${id}-folder`}>
          <Trans>Folder</Trans>
        </label>
        <select
          id={`${id}-folder`}
          value={options.isNewFolder ? newFolder : options.folder}
          onChange={(event) => chooseFolder(event.target.value)}
        >
          <option value="">{t`No folder`}</option>
          {folderPaths(folders).map((one) => (
            <option key={one.id} value={one.path}>
              {one.label}
            </option>
          ))}
          <option value={newFolder}>{t`New folder…`}</option>
        </select>
      </div>
      <div className="field">
        <label htmlFor={`${id}-interval`}>
          <Trans>Interval</Trans>
        </label>
        <select
          id={`${id}-interval`}
          value={options.intervalMinutes}
          onChange={(event) =>
            onChange({ ...options, intervalMinutes: Number(event.target.value) })
          }
        >
          {intervals.map((minutes) => (
            <option key={minutes} value={minutes}>
              <IntervalName minutes={minutes} />
            </option>
          ))}
        </select>
      </div>
      {options.isNewFolder && (
        <div className="field wide">
          <label htmlFor={`${id}-new`}>
            <Trans>New folder name</Trans>
          </label>
          <input
            ref={name}
            id={`${id}-new`}
            maxLength={120}
            autoComplete="off"
            value={options.folder}
            onChange={(event) => onChange({ ...options, folder: event.target.value })}
          />
        </div>
      )}
    </div>
  );
}

function IntervalName({ minutes }: { minutes: number }) {
  const { t } = useLingui();
  if (minutes === 0) return t`Default`;
  if (minutes < 60) return <Plural value={minutes} one="every minute" other="every # minutes" />;
  return <Plural value={minutes / 60} one="every hour" other="every # hours" />;
}
