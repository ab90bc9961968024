import { parseStored } from "@/data/device-storage";
import { setPreference, useText } from "@/data/preferences";
import { templateFault } from "./share";

/** A service of the person's own that items can be sent to; stored on this device. */
export interface ShareTarget {
  name: string;
  /** An address with `{url}` and perhaps `{title}` in it. */
  template: string;
}

const preference = "share";

export function setShareTarget(target: ShareTarget | null): void {
  setPreference(preference, target ? JSON.stringify(target) : "");
}

export function useShareTarget(): ShareTarget | null {
  const { name, template } =
    parseStored<Partial<ShareTarget> | null>(useText(preference), null) ?? {};
  // Somebody may have written there by hand: a script must never become a link.
  if (typeof template !== "string" || templateFault(template)) return null;
  return { name: typeof name === "string" ? name : "", template };
}
