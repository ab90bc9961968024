import { useLingui } from "@lingui/react/macro";
import { Paperclip } from "lucide-react";
import type { Enclosure } from "@/data/types";
import { fileSize } from "@/i18n/numbers";
import { Player } from "./player";

export function Enclosures({ list }: { list: readonly Enclosure[] }) {
  const { t, i18n } = useLingui();
  if (list.length === 0) return null;
  return (
    <section className="enclosure" aria-label={t`Attachments`}>
      {list.map((one) => {
        const size = one.length > 0 ? ` · ${fileSize(one.length, i18n.locale)}` : "";
        const kind = /^https:/i.test(one.url)
          ? /^(audio|video)\//.exec(one.type.toLowerCase())?.[1]
          : undefined;
        const name = nameOf(one.url);
        return (
          <div key={one.url}>
            {kind && <Player url={one.url} name={name} kind={kind as "audio" | "video"} />}
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
