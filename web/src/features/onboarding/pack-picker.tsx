import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { ChevronDown, LoaderCircle } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { startImport } from "@/data/imports";
import { writeOpml } from "@/data/opml";
import type { Feed, Imported } from "@/data/types";
import { ErrorNote } from "@/ui/error-note";
import { Link } from "@/ui/link";
import { Note } from "@/ui/note";
import { packsFor } from "./packs";
import type { Pack } from "./packs/pack";

interface Props {
  feeds: readonly Feed[];
  /** The limit of subscriptions. */
  cap: number | undefined;
}

/** Starter packs to select, whole or feed by feed. One request subscribes to all selected feeds. */
export function PackPicker({ feeds, cap }: Props) {
  const { i18n } = useLingui();
  const client = useQueryClient();
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [report, setReport] = useState<Imported | null>(null);
  const packs = packsFor(i18n.locale);
  const had = new Set(feeds.map((feed) => feed.url));

  const tick = (urls: readonly string[], isOn: boolean) => {
    setReport(null);
    setTicked((old) => {
      const next = new Set(old);
      for (const url of urls) {
        if (isOn) next.add(url);
        else next.delete(url);
      }
      return next;
    });
  };

  const subscribe = async () => {
    const wanted = packs.flatMap((pack) =>
      pack.feeds
        .filter((feed) => ticked.has(feed.url))
        .map((feed) => ({ ...feed, path: [i18n._(pack.title)] })),
    );
    if (wanted.length === 0 || isBusy) return;
    setBusy(true);
    setError(null);
    try {
      const file = new File([writeOpml("", wanted)], "packs.opml");
      setReport(await startImport(client, file));
      setTicked(new Set());
    } catch (cause) {
      setError(cause);
    }
    setBusy(false);
  };

  const reason = report?.errors[0];
  const room = cap === undefined ? Number.POSITIVE_INFINITY : Math.max(0, cap - feeds.length);
  return (
    <>
      <p>
        <Trans>Popular feeds by topic. Each pack gets its own folder.</Trans>
      </p>
      <ul className="packs">
        {packs.map((pack) => (
          <PackRow key={pack.id} pack={pack} ticked={ticked} had={had} onTick={tick} />
        ))}
      </ul>
      {error !== null && <ErrorNote error={error} onRetry={() => void subscribe()} />}
      {report && reason && (
        <Note kind="warn" live>
          <strong>
            <Plural
              value={report.failed}
              one="# could not be added."
              other="# could not be added."
            />
          </strong>
          {reason.message}
        </Note>
      )}
      {cap !== undefined && ticked.size > room && (
        <Note kind="warn" live>
          <Trans>
            Limit: {cap} subscriptions. You can add {room} more.
          </Trans>{" "}
          <Link href="/subscriptions">
            <Trans>View subscriptions</Trans>
          </Link>
        </Note>
      )}
      <button
        type="button"
        className={
          ticked.size > 0 && feeds.length === 0 ? "btn btn-main self-start" : "btn self-start"
        }
        aria-disabled={ticked.size === 0 || isBusy}
        onClick={() => void subscribe()}
      >
        {isBusy && <LoaderCircle className="spin" size={16} />}
        {ticked.size === 0 ? (
          <Trans>Select feeds</Trans>
        ) : (
          <Plural value={ticked.size} one="Subscribe to # feed" other="Subscribe to # feeds" />
        )}
      </button>
    </>
  );
}

interface RowProps {
  pack: Pack;
  ticked: ReadonlySet<string>;
  had: ReadonlySet<string>;
  onTick: (urls: readonly string[], isOn: boolean) => void;
}

function PackRow({ pack, ticked, had, onTick }: RowProps) {
  const { t, i18n } = useLingui();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const all = useRef<HTMLInputElement>(null);
  const free = pack.feeds.filter((feed) => !had.has(feed.url)).map((feed) => feed.url);
  const count = free.filter((url) => ticked.has(url)).length;
  const isMixed = count > 0 && count < free.length;
  useEffect(() => {
    if (all.current) all.current.indeterminate = isMixed;
  }, [isMixed]);
  const title = i18n._(pack.title);
  return (
    <li>
      <div className="pack">
        <label>
          <input
            ref={all}
            type="checkbox"
            checked={free.length === 0 || (count > 0 && count === free.length)}
            disabled={free.length === 0}
            onChange={(event) => onTick(free, event.target.checked)}
          />
          <strong>{title}</strong>
          <span className="text-ink3">{pack.feeds.length}</span>
        </label>
        <button
          type="button"
          className="icon-btn"
          aria-expanded={isOpen}
          aria-controls={id}
          aria-label={t`Feeds in ${title}`}
          title={t`Feeds in ${title}`}
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronDown />
        </button>
      </div>
      <ul id={id} hidden={!isOpen}>
        {pack.feeds.map((feed) => {
          const isHad = had.has(feed.url);
          return (
            <li key={feed.url}>
              <label>
                <input
                  type="checkbox"
                  checked={isHad || ticked.has(feed.url)}
                  disabled={isHad}
                  onChange={(event) => onTick([feed.url], event.target.checked)}
                />
                <span lang={pack.lang}>{feed.title}</span>
                {isHad && (
                  <span className="text-ink3">
                    <Trans>Subscribed</Trans>
                  </span>
                )}
              </label>
            </li>
          );
        })}
      </ul>
    </li>
  );
}
