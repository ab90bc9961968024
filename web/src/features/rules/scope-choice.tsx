import { Trans, useLingui } from "@lingui/react/macro";
import { useId, useState } from "react";
import { feedTitle, useFeeds } from "@/data/feeds";
import { folderPaths } from "@/data/folder-paths";
import { useKnownTree } from "@/data/tree";
import type { Draft } from "./draft";

interface Props {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
  wrong: string | undefined;
}

/** The scope of a rule: everything, or selected folders and feeds. */
export function ScopeChoice({ draft, onChange, wrong }: Props) {
  const { t } = useLingui();
  const id = useId();
  const feeds = useFeeds();
  const { folders } = useKnownTree();
  const [query, setQuery] = useState("");
  const word = query.normalize("NFKC").toLocaleLowerCase().trim();
  const has = (text: string) => text.normalize("NFKC").toLocaleLowerCase().includes(word);
  const toggled = (list: readonly string[], one: string, on: boolean) =>
    on ? [...list, one] : list.filter((other) => other !== one);

  return (
    <fieldset className="part" data-wrong={wrong ? "" : undefined}>
      <legend>
        <Trans>Applies to</Trans>
      </legend>
      <label className="check">
        <input
          type="radio"
          name={id}
          checked={!draft.isScoped}
          onChange={() => onChange({ isScoped: false })}
        />
        <Trans>All feeds</Trans>
      </label>
      <label className="check">
        <input
          type="radio"
          name={id}
          checked={draft.isScoped}
          onChange={() => onChange({ isScoped: true })}
        />
        <Trans>Selected folders and feeds</Trans>
      </label>
      {draft.isScoped && (
        <>
          <div className="field">
            <input
              type="search"
              aria-label={t`Find folders and feeds`}
              placeholder={t`Find folders and feeds`}
              value={query}
              onChange={(event) => setQuery(event.target.value)}
            />
          </div>
          <div className="tick-list">
            {folderPaths(folders)
              .filter(({ label }) => has(label))
              .map(({ id: folder, label }) => (
                <label key={folder} className="check">
                  <input
                    type="checkbox"
                    checked={draft.folders.includes(folder)}
                    onChange={(event) =>
                      onChange({ folders: toggled(draft.folders, folder, event.target.checked) })
                    }
                  />
                  <span>
                    {label}{" "}
                    <span className="hint">
                      <Trans>folder and subfolders</Trans>
                    </span>
                  </span>
                </label>
              ))}
            {feeds.data?.feeds
              .filter((feed) => has(feedTitle(feed)))
              .map((feed) => (
                <label key={feed.id} className="check">
                  <input
                    type="checkbox"
                    checked={draft.feeds.includes(feed.id)}
                    onChange={(event) =>
                      onChange({ feeds: toggled(draft.feeds, feed.id, event.target.checked) })
                    }
                  />
                  <span className="min-w-0 break-words" dir="auto">
                    {feedTitle(feed)}
                  </span>
                </label>
              ))}
          </div>
        </>
      )}
      <p className="wrong empty:hidden" role="alert">
        {wrong}
      </p>
    </fieldset>
  );
}
