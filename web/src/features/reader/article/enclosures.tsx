import { useLingui } from "@lingui/react/macro";
import type { Enclosure } from "@/data/types";
import { fileSize } from "@/i18n/format";

export function Enclosures({ list }: { list: readonly Enclosure[] }) {
  const { t, i18n } = useLingui();
  if (list.length === 0) return null;
  return (
    <section className="enclosure" aria-label={t`Attachments`}>
      {list.map((one) => {
        const size = one.length > 0 ? ` (${fileSize(one.length, i18n.locale)})` : "";
        const playable = /^https:/i.test(one.url);
        return (
          <div key={one.url}>
            {playable && one.type.startsWith("audio/") && (
              // biome-ignore lint/a11y/useMediaCaption: a stranger's podcast brings none
              <audio controls preload="none" src={one.url} aria-label={nameOf(one.url)} />
            )}
            {playable && one.type.startsWith("video/") && (
              // biome-ignore lint/a11y/useMediaCaption: a stranger's film brings none
              <video controls preload="none" src={one.url} aria-label={nameOf(one.url)} />
            )}
            <a href={one.url} target="_blank" rel="noopener noreferrer">
              {nameOf(one.url)}
            </a>
            <span className="text-ink3">
              {" "}
              {one.type}
              {size}
            </span>
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
