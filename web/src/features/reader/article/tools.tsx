import { useLingui } from "@lingui/react/macro";
import {
  ArrowDown,
  ArrowUp,
  Circle,
  CircleDot,
  ExternalLink,
  Star,
  Tag,
  TextSelect,
} from "lucide-react";
import { useFlags } from "@/data/flags";
import type { Item, ItemSummary } from "@/data/types";
import { runCommand } from "@/keys/use-command";
import { IconButton, withKey } from "@/ui/icon-button";
import type { Actions } from "../actions";
import { OriginalLink } from "../original-link";
import { MoreMenu } from "./more-menu";
import { isSharable } from "./share";
import { TypePanel } from "./type-panel";
import type { FullTextView } from "./use-full-text";

interface Props {
  item: ItemSummary | Item;
  actions: Actions;
  text: FullTextView;
  hasImages: boolean;
  imagesShown: boolean;
  hasPrevious: boolean;
  hasNext: boolean;
  onLabels: () => void;
}

/** The bar above the article; on phones the most used actions are in tab-bar.tsx. */
export function Tools(props: Props) {
  const { item, actions, text, onLabels } = props;
  const { t } = useLingui();
  const { isRead, isStarred } = useFlags(item);
  return (
    <>
      <span className="wide-only contents-row">
        <IconButton
          label={t`Star`}
          command="item.star"
          aria-pressed={isStarred}
          data-on={isStarred ? "star" : undefined}
          icon={<Star fill={isStarred ? "currentColor" : "none"} />}
          onClick={() => actions.toggleStar(item)}
        />
        <IconButton
          label={isRead ? t`Mark as unread` : t`Mark as read`}
          command="item.read"
          icon={isRead ? <Circle /> : <CircleDot />}
          onClick={() => actions.toggleRead(item)}
        />
        {item.link && (
          <OriginalLink
            item={item}
            className="icon-btn"
            aria-label={t`Open original`}
            title={withKey(t`Open original`, "item.original")}
          >
            <ExternalLink />
          </OriginalLink>
        )}
        {isSharable(item.link) && (
          <IconButton
            label={t`Full article`}
            aria-pressed={text.isWanted}
            data-on={text.isWanted ? "text" : undefined}
            icon={<TextSelect />}
            onClick={() => text.choose(!text.isWanted)}
          />
        )}
        <IconButton label={t`Labels…`} icon={<Tag />} onClick={onLabels} />
      </span>
      <TypePanel />
      <MoreMenu
        item={item}
        text={text}
        hasImages={props.hasImages}
        imagesShown={props.imagesShown}
        onLabels={onLabels}
        onPin={() => actions.togglePin(item)}
      />
      <IconButton
        label={t`Previous article`}
        command="item.previous"
        icon={<ArrowUp />}
        disabled={!props.hasPrevious}
        className="wide-only"
        onClick={() => runCommand("item.previous")}
      />
      <IconButton
        label={t`Next article`}
        command="item.next"
        icon={<ArrowDown />}
        disabled={!props.hasNext}
        className="wide-only"
        onClick={() => runCommand("item.next")}
      />
    </>
  );
}
