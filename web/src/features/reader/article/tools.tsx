import { useLingui } from "@lingui/react/macro";
import { Clock, ExternalLink, Star, TextAlignJustify } from "lucide-react";
import { useFlags } from "@/data/flags";
import type { Item, ItemSummary } from "@/data/types";
import { runCommand } from "@/keys/use-command";
import { IconButton, withKey } from "@/ui/icon-button";
import type { Actions } from "../actions";
import { OriginalLink } from "../original-link";
import { useIsLater } from "../use-is-later";
import { MoreMenu } from "./more-menu";
import { TypePanel } from "./type-panel";
import type { FullTextView } from "./use-full-text";

interface Props {
  item: ItemSummary | Item;
  actions: Actions;
  text: FullTextView;
  hasImages: boolean;
  imagesShown: boolean;
  isAbout: boolean;
  onLabels: () => void;
}

/** The bar above the article; on phones the most used actions are in the bar below. */
export function Tools(props: Props) {
  const { item, actions, text, onLabels } = props;
  const { t } = useLingui();
  const { isStarred } = useFlags(item);
  const isLater = useIsLater(item.id);
  return (
    <>
      {!item.offer && (
        <IconButton
          label={t`Key sentences`}
          command="article.about"
          aria-pressed={props.isAbout}
          icon={<TextAlignJustify />}
          onClick={() => runCommand("article.about")}
        />
      )}
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
          label={t`Read later`}
          command="item.later"
          aria-pressed={isLater}
          icon={<Clock />}
          onClick={() => actions.toggleLater(item)}
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
    </>
  );
}
