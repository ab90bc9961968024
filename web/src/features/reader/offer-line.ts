import { lazyNamed } from "@/ui/lazy-named";

/** What an item of a watch announces. Lists and articles without one do not load it. */
const load = () => import("@/ui/offer-line");
export const OfferLine = lazyNamed("OfferLine", load);
export const RowPrice = lazyNamed("RowPrice", load);
