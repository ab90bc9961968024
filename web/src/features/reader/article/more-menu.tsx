import { Trans, useLingui } from "@lingui/react/macro";
import {
  BookmarkPlus,
  Ellipsis,
  Image,
  ImageOff,
  Link2,
  Mail,
  Maximize2,
  Pin,
  PinOff,
  Send,
  Settings2,
  Share2,
  Tag,
  TextSelect,
} from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useIsPinned } from "@/data/pinned";
import type { Item, ItemSummary } from "@/data/types";
import { itemName } from "@/i18n/item-name";
import { KeysWait } from "@/keys/keys-wait";
import { runCommand } from "@/keys/use-command";
import { Menu, MenuItem } from "@/ui/menu";
import { showToast } from "@/ui/toasts";
import { canBeAlone } from "./alone";
import { MenuLink } from "./menu-link";
import { useOwnPlace } from "./own-place";
import { fillTemplate, hatenaUrl, isSharable, mailUrl } from "./share";
import type { FullTextView } from "./use-full-text";

const OwnPlaceDialog = lazy(() =>
  import("./own-place-dialog").then((m) => ({ default: m.OwnPlaceDialog })),
);

interface Props {
  item: ItemSummary | Item;
  text: FullTextView;
  hasImages: boolean;
  imagesShown: boolean;
  onLabels: () => void;
  onPin: () => void;
}

/** What else can be done with an item: send it on, label it, read it otherwise. */
export function MoreMenu({ item, text, hasImages, imagesShown, onLabels, onPin }: Props) {
  const { t } = useLingui();
  const place = useOwnPlace();
  const isPinned = useIsPinned(item.id);
  const [isPlacing, setPlacing] = useState(false);
  const shared = { title: itemName(item), link: item.link };
  const canShare = isSharable(item.link);

  const copy = () => {
    navigator.clipboard
      .writeText(item.link)
      .then(() => showToast(t`The link is copied.`))
      .catch(() => showToast(t`The browser does not allow copying. The link: ${item.link}`));
  };
  const share = () => {
    navigator.share({ title: shared.title, url: shared.link }).catch((cause: unknown) => {
      if (cause instanceof DOMException && cause.name === "AbortError") return; // thought better of it
      showToast(t`Sharing did not work here. Copy the link instead.`);
    });
  };
  return (
    <>
      <Menu label={t`More for this item`} icon={<Ellipsis />} place="top-14 end-2">
        {(close) => {
          const then = (run: () => void) => () => {
            close();
            run();
          };
          return (
            <>
              {canShare && (
                <>
                  <MenuItem icon={<Link2 aria-hidden="true" />} onClick={then(copy)}>
                    <Trans>Copy the link</Trans>
                  </MenuItem>
                  {"share" in navigator && (
                    <MenuItem icon={<Share2 aria-hidden="true" />} onClick={then(share)}>
                      <Trans>Share…</Trans>
                    </MenuItem>
                  )}
                  <MenuLink
                    icon={<BookmarkPlus aria-hidden="true" />}
                    href={hatenaUrl(shared)}
                    onClick={() => close()}
                  >
                    <Trans>Hatena Bookmark</Trans>
                  </MenuLink>
                  <MenuLink
                    icon={<Mail aria-hidden="true" />}
                    href={mailUrl(shared)}
                    onClick={() => close()}
                  >
                    <Trans>Send by e-mail</Trans>
                  </MenuLink>
                  {place && (
                    <MenuLink
                      icon={<Send aria-hidden="true" />}
                      href={fillTemplate(place.template, shared)}
                      onClick={() => close()}
                    >
                      {place.name ? (
                        <Trans>Send to {place.name}</Trans>
                      ) : (
                        <Trans>Send to your place</Trans>
                      )}
                    </MenuLink>
                  )}
                  <MenuItem
                    icon={<Settings2 aria-hidden="true" />}
                    onClick={then(() => setPlacing(true))}
                  >
                    {place ? (
                      <Trans>Change your place…</Trans>
                    ) : (
                      <Trans>A place of your own…</Trans>
                    )}
                  </MenuItem>
                  <hr />
                  <MenuItem
                    icon={isPinned ? <PinOff aria-hidden="true" /> : <Pin aria-hidden="true" />}
                    onClick={then(onPin)}
                  >
                    {isPinned ? <Trans>Unpin</Trans> : <Trans>Pin</Trans>}
                  </MenuItem>
                  <MenuItem
                    icon={<TextSelect aria-hidden="true" />}
                    onClick={then(() => text.choose(!text.isWanted))}
                  >
                    {text.isWanted ? <Trans>Text of the feed</Trans> : <Trans>Whole text</Trans>}
                  </MenuItem>
                </>
              )}
              {hasImages && (
                <MenuItem
                  icon={
                    imagesShown ? <ImageOff aria-hidden="true" /> : <Image aria-hidden="true" />
                  }
                  onClick={then(() => runCommand("article.images"))}
                >
                  {imagesShown ? <Trans>Hide the images</Trans> : <Trans>Show the images</Trans>}
                </MenuItem>
              )}
              {canBeAlone() && (
                <MenuItem
                  icon={<Maximize2 aria-hidden="true" />}
                  onClick={then(() => runCommand("article.alone"))}
                >
                  {document.documentElement.hasAttribute("data-alone") ? (
                    <Trans>Show the list again</Trans>
                  ) : (
                    <Trans>Show the item alone</Trans>
                  )}
                </MenuItem>
              )}
              <MenuItem icon={<Tag aria-hidden="true" />} onClick={then(onLabels)}>
                <Trans>Labels…</Trans>
              </MenuItem>
            </>
          );
        }}
      </Menu>
      {isPlacing && (
        <Suspense fallback={<KeysWait onCancel={() => setPlacing(false)} />}>
          <OwnPlaceDialog place={place} onClose={() => setPlacing(false)} />
        </Suspense>
      )}
    </>
  );
}
