import { useLingui } from "@lingui/react/macro";
import { Paperclip } from "lucide-react";
import type { ItemSummary } from "@/data/types";
import { fileSize } from "@/i18n/numbers";
import { isPicture } from "./attached-pictures";
import { Player } from "./player";
import { episodeOf, mediaKind } from "./playing";

interface Props {
  item: ItemSummary;
  /** The name of the feed. */
  from: string;
}

export function Enclosures({ item, from }: Props) {
  const { t, i18n } = useLingui();
  const files = item.enclosures.filter((one) => !isPicture(one));
  if (files.length === 0) return null;
  return (
    <section className="enclosure" aria-label={t`Attachments`}>
      {files.map((one) => {
        const size = one.length > 0 ? ` · ${fileSize(one.length, i18n.locale)}` : "";
        const kind = mediaKind(one);
        const name = nameOf(one.url);
        return (
          <div key={one.url}>
            {kind && <Player episode={episodeOf(item, one, from)} name={name} kind={kind} />}
            <p className="file">
              <Paperclip size={14} />
              <a href={one.url} target="_blank" rel="noopener noreferrer">
                {name}
              </a>
              <span className="text-ink3">
                {one.type}
                {size}
              </span>
            </p>
          </div>
        );
      })}
    </section>
  );
}

function nameOf(url: string): string {
  try {
    const { pathname, host } = new URL(url);
    return decodeURIComponent(pathname.split("/").pop() || host);
  } catch {
    return url;
  }
}
