import { lazyNamed } from "@/ui/lazy-named";

/** What an item of a watch announces. Lists and articles without one do not load it. */
export const OfferLine = lazyNamed("OfferLine", () => import("@/ui/offer-line"));
