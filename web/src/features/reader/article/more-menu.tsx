import { Trans, useLingui } from "@lingui/react/macro";
import {
  BookmarkPlus,
  Circle,
  CircleDot,
  Ellipsis,
  ExternalLink,
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
import { Suspense, useState } from "react";
import { useFlags } from "@/data/flags";
import { useIsPinned } from "@/data/pinned";
import type { Item, ItemSummary } from "@/data/types";
import { itemName } from "@/i18n/item-name";
import { HoldKeys } from "@/keys/hold-keys";
import { runCommand } from "@/keys/use-command";
import { lazyNamed } from "@/ui/lazy-named";
import { Menu, MenuItem } from "@/ui/menu";
import { showToast } from "@/ui/toasts";
import { OriginalLink } from "../original-link";
import { canFocus } from "./focus-mode";
import { MenuLink } from "./menu-link";
import { fillTemplate, hatenaUrl, isSharable, mailUrl } from "./share";
import { useShareTarget } from "./share-target";
import type { FullTextView } from "./use-full-text";

const ShareTargetDialog = lazyNamed("ShareTargetDialog", () => import("./share-target-dialog"));

interface Props {
  item: ItemSummary | Item;
  text: FullTextView;
  hasImages: boolean;
  imagesShown: boolean;
  onLabels: () => void;
  onPin: () => void;
}

/** Further actions for an item: sharing, labels, display. */
export function MoreMenu({ item, text, hasImages, imagesShown, onLabels, onPin }: Props) {
  const { t } = useLingui();
  const target = useShareTarget();
  const { isRead } = useFlags(item);
  const isPinned = useIsPinned(item.id);
  const [isEditingTarget, setEditingTarget] = useState(false);
  const shared = { title: itemName(item), link: item.link };
  const canShare = isSharable(item.link);

  const copy = () => {
    navigator.clipboard
      .writeText(item.link)
      .then(() => showToast(t`Link copied`))
      .catch(() => showToast(t`Could not copy. Link: ${item.link}`));
  };
  const share = () => {
    navigator.share({ title: shared.title, url: shared.link }).catch((cause: unknown) => {
      if (cause instanceof DOMException && cause.name === "AbortError") return; // cancelled
      showToast(t`Sharing is not available. Copy the link instead.`);
    });
  };
  return (
    <>
      <Menu label={t`More actions`} icon={<Ellipsis />} place="top-14 end-2">
        {(close) => {
          const then = (run: () => void) => () => {
            close();
            run();
          };
          return (
            <>
              <MenuItem
                icon={isRead ? <CircleDot /> : <Circle />}
                onClick={then(() => runCommand("item.read"))}
              >
                {isRead ? <Trans>Mark unread</Trans> : <Trans>Mark as read</Trans>}
              </MenuItem>
              {canShare && (
                <>
                  <OriginalLink
                    item={item}
                    className="phone-only"
                    role="menuitem"
                    tabIndex={-1}
                    onClick={() => close()}
                  >
                    <ExternalLink />
                    <Trans>Open original</Trans>
                  </OriginalLink>
                  <MenuItem icon={<Link2 />} onClick={then(copy)}>
                    <Trans>Copy link</Trans>
                  </MenuItem>
                  {"share" in navigator && (
                    <MenuItem icon={<Share2 />} onClick={then(share)}>
                      <Trans>Share…</Trans>
                    </MenuItem>
                  )}
                  <MenuLink
                    icon={<BookmarkPlus />}
                    href={hatenaUrl(shared)}
                    onClick={() => close()}
                  >
                    <Trans>Hatena Bookmark</Trans>
                  </MenuLink>
                  <MenuLink icon={<Mail />} href={mailUrl(shared)} onClick={() => close()}>
                    <Trans>Send by email</Trans>
                  </MenuLink>
                  {target && (
                    <MenuLink
                      icon={<Send />}
                      href={fillTemplate(target.template, shared)}
                      onClick={() => close()}
                    >
                      {target.name ? (
                        <Trans>Send to {target.name}</Trans>
                      ) : (
                        <Trans>Send to custom target</Trans>
                      )}
                    </MenuLink>
                  )}
                  <MenuItem icon={<Send />} onClick={then(() => runCommand("item.send"))}>
                    <Trans>Send to…</Trans>
                  </MenuItem>
                  <MenuItem icon={<Settings2 />} onClick={then(() => setEditingTarget(true))}>
                    {target ? (
                      <Trans>Edit custom share target…</Trans>
                    ) : (
                      <Trans>Custom share target…</Trans>
                    )}
                  </MenuItem>
                  <hr />
                  <MenuItem icon={isPinned ? <PinOff /> : <Pin />} onClick={then(onPin)}>
                    {isPinned ? <Trans>Unpin</Trans> : <Trans>Pin</Trans>}
                  </MenuItem>
                  <MenuItem icon={<TextSelect />} onClick={then(() => text.choose(!text.isWanted))}>
                    {text.isWanted ? <Trans>Feed text</Trans> : <Trans>Full article</Trans>}
                  </MenuItem>
                </>
              )}
              {hasImages && (
                <MenuItem
                  icon={imagesShown ? <ImageOff /> : <Image />}
                  onClick={then(() => runCommand("article.images"))}
                >
                  {imagesShown ? <Trans>Hide images</Trans> : <Trans>Show images</Trans>}
                </MenuItem>
              )}
              {canFocus() && (
                <MenuItem icon={<Maximize2 />} onClick={then(() => runCommand("article.alone"))}>
                  {document.documentElement.hasAttribute("data-alone") ? (
                    <Trans>Exit focus mode</Trans>
                  ) : (
                    <Trans>Focus mode</Trans>
                  )}
                </MenuItem>
              )}
              <MenuItem icon={<Tag />} onClick={then(onLabels)}>
                <Trans>Labels…</Trans>
              </MenuItem>
            </>
          );
        }}
      </Menu>
      {isEditingTarget && (
        <Suspense fallback={<HoldKeys onCancel={() => setEditingTarget(false)} />}>
          <ShareTargetDialog target={target} onClose={() => setEditingTarget(false)} />
        </Suspense>
      )}
    </>
  );
}
