import { t } from "@lingui/core/macro";
import { modeOf } from "@/data/modes";
import { readPreference, setPreference } from "@/data/preferences";
import type { ReaderRoute } from "@/data/routes";
import type { ItemSummary } from "@/data/types";
import { showToast } from "@/ui/toasts";
import { chooseMode } from "../use-shape";

const least = { width: 600, share: 0.8, items: 5 };
const preference = "gallery-offered";
const mostKept = 300;

/** Whether nearly all items have a large picture. */
export function isOfPictures(items: readonly ItemSummary[]): boolean {
  const large = items.filter(({ imageWidth }) => (imageWidth ?? 0) >= least.width).length;
  return items.length >= least.items && large >= items.length * least.share;
}

/** Offers the gallery for a feed of pictures, once for each feed. */
export function offerGallery(route: ReaderRoute, items: readonly ItemSummary[]): void {
  const { stream } = route;
  if (stream.kind !== "feed" || (route.mode ?? modeOf(stream)) === "gallery") return;
  const offered = (readPreference(preference) ?? "").split(" ");
  if (offered.includes(stream.id) || !isOfPictures(items)) return;
  setPreference(preference, [...offered, stream.id].slice(-mostKept).join(" ").trim());
  showToast(t`This feed is mostly pictures.`, {
    label: t`Show as gallery`,
    run: () => chooseMode(route, "gallery"),
  });
}
