import { Trans, useLingui } from "@lingui/react/macro";
import { type FormEvent, useId, useState } from "react";
import { folderPaths } from "@/data/folder-paths";
import { useKnownTree } from "@/data/tree";
import type { FolderId } from "@/data/types";
import { problemText } from "@/i18n/problem-text";
import { Dialog } from "@/ui/dialog";
import { nameOf } from "./row-menu";
import type { Target } from "./targets";
import { isWithin } from "./tree";
import type { SideDeeds } from "./use-side-deeds";

interface Props {
  target: Exclude<Target, { kind: "label" }>;
  deeds: SideDeeds;
  onClose: () => void;
}

/** What dragging does, by keys: the folders of a feed, or the one around a folder. */
export function MoveDialog({ target, deeds, onClose }: Props) {
  const { t, i18n } = useLingui();
  const { folders } = useKnownTree();
  const id = useId();
  const [wrong, setWrong] = useState("");
  const name = nameOf(target);
  const isFeed = target.kind === "feed";
  const choices = folderPaths(folders).filter(
    ({ id }) => isFeed || !isWithin(folders, id, target.node.folder.id),
  );
  const held = isFeed ? target.feed.folders : [target.node.folder.parentId ?? ""];

  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const ids = data.getAll("folder").map(String) as FolderId[];
    const made = String(data.get("new") ?? "").trim();
    try {
      if (made !== "") {
        const id = await deeds.makeFolder(made, null);
        if (isFeed) ids.push(id);
        else ids.splice(0, ids.length, id);
      }
    } catch (cause) {
      setWrong(problemText(cause, i18n));
      return;
    }
    onClose();
    if (isFeed) void deeds.putFeed(target.feed, ids);
    else {
      const parent = ids[0] || null;
      if (parent === target.node.folder.parentId) return;
      void deeds.putFolder(target.node.folder, parent, folders.length);
    }
  };

  return (
    <Dialog title={t`Move ${name}`} onClose={onClose}>
      <form className="side-form" onSubmit={(event) => void save(event)}>
        <fieldset>
          <legend>
            {isFeed ? <Trans>In these folders</Trans> : <Trans>Into the folder</Trans>}
          </legend>
          <div className="choices">
            {!isFeed && (
              <label>
                <input
                  type="radio"
                  name="folder"
                  value=""
                  defaultChecked={held.includes("")}
                  data-first=""
                />
                <Trans>At the top</Trans>
              </label>
            )}
            {choices.map(({ id, path }, index) => (
              <label key={id}>
                <input
                  type={isFeed ? "checkbox" : "radio"}
                  name="folder"
                  value={id}
                  defaultChecked={held.includes(id)}
                  data-first={isFeed && index === 0 ? "" : undefined}
                />
                <span>{path}</span>
              </label>
            ))}
            {isFeed && choices.length === 0 && (
              <p className="hint">
                <Trans>There are no folders yet.</Trans>
              </p>
            )}
          </div>
        </fieldset>
        <div className="field">
          <label htmlFor={id}>
            {isFeed ? <Trans>And in a new folder</Trans> : <Trans>Or into a new folder</Trans>}
          </label>
          <input
            id={id}
            name="new"
            maxLength={120}
            autoComplete="off"
            aria-invalid={wrong !== "" || undefined}
          />
        </div>
        <p className="wrong empty:hidden" role="alert">
          {wrong}
        </p>
        <div className="buttons">
          <button type="button" className="btn" onClick={onClose}>
            <Trans>Cancel</Trans>
          </button>
          <button type="submit" className="btn btn-main">
            <Trans>Move</Trans>
          </button>
        </div>
      </form>
    </Dialog>
  );
}
