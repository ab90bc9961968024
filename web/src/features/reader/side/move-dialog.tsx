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
import type { SideActions } from "./use-side-actions";

interface Props {
  target: Extract<Target, { kind: "feed" | "folder" }>;
  actions: SideActions;
  onClose: () => void;
}

/** The folders of a feed, or the parent of a folder: the keyboard alternative to dragging. */
export function MoveDialog({ target, actions, onClose }: Props) {
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
        const id = await actions.createFolder(made, null);
        if (isFeed) ids.push(id);
        else ids.splice(0, ids.length, id);
      }
    } catch (cause) {
      setWrong(problemText(cause, i18n));
      return;
    }
    onClose();
    if (isFeed) void actions.putFeed(target.feed, ids);
    else {
      const parent = ids[0] || null;
      if (parent === target.node.folder.parentId) return;
      void actions.moveFolder(target.node.folder, parent, folders.length);
    }
  };

  return (
    <Dialog title={t`Move ${name}`} onClose={onClose}>
      <form className="side-form" onSubmit={(event) => void save(event)}>
        <fieldset>
          <legend>{isFeed ? <Trans>Folders</Trans> : <Trans>Move to</Trans>}</legend>
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
                <Trans>Top level</Trans>
              </label>
            )}
            {choices.map(({ id, label }, index) => (
              <label key={id}>
                <input
                  type={isFeed ? "checkbox" : "radio"}
                  name="folder"
                  value={id}
                  defaultChecked={held.includes(id)}
                  data-first={isFeed && index === 0 ? "" : undefined}
                />
                <span>{label}</span>
              </label>
            ))}
            {isFeed && choices.length === 0 && (
              <p className="hint">
                <Trans>No folders yet</Trans>
              </p>
            )}
          </div>
        </fieldset>
        <div className="field">
          <label htmlFor={id}>
            {isFeed ? <Trans>Also in a new folder</Trans> : <Trans>Or new folder</Trans>}
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
