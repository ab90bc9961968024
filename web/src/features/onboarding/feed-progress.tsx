import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { CircleCheck, Download, LoaderCircle, RefreshCw, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { feedTitle } from "@/data/feeds";
import { refreshFeed } from "@/data/mutations/feed-refresh";
import { writeOpml } from "@/data/opml";
import { readerPath } from "@/data/routes";
import type { Feed } from "@/data/types";
import { textLang } from "@/i18n/text-lang";
import { Link } from "@/ui/link";
import { saveFile } from "@/ui/save-file";

const shownAtMost = 60;

type Stage = "failed" | "waiting" | "here";

function stageOf(feed: Feed): Stage {
  if (feed.status === "waiting") return "waiting";
  return feed.status === "active" ? "here" : "failed";
}

const order: Record<Stage, number> = { failed: 0, waiting: 1, here: 2 };

/** The state of each feed, failed ones first. */
export function FeedProgress({ feeds }: { feeds: readonly Feed[] }) {
  const { t } = useLingui();
  if (feeds.length === 0) return null;
  const sorted = feeds.toSorted((a, b) => order[stageOf(a)] - order[stageOf(b)]);
  const failed = feeds.filter((feed) => stageOf(feed) === "failed");
  const waiting = feeds.filter((feed) => stageOf(feed) === "waiting").length;
  const here = feeds.length - failed.length - waiting;
  return (
    <section className="so-far" aria-labelledby="so-far">
      <div className="head">
        <h2 id="so-far">
          <Trans>Your feeds</Trans>
        </h2>
        <p role="status">
          {waiting > 0 ? (
            <Trans>
              {here} of {feeds.length} ready
            </Trans>
          ) : (
            <Plural value={here} one="# feed ready" other="# feeds ready" />
          )}
        </p>
      </div>
      {waiting > 0 && (
        <progress max={feeds.length} value={feeds.length - waiting} aria-label={t`Feeds fetched`} />
      )}
      <ul>
        {sorted.slice(0, shownAtMost).map((feed) => (
          <Row key={feed.id} feed={feed} />
        ))}
      </ul>
      {sorted.length > shownAtMost && (
        <p className="text-ink2">
          <Plural value={sorted.length - shownAtMost} one="and # more" other="and # more" />
        </p>
      )}
      {failed.length > 0 && <Remedies failed={failed} />}
    </section>
  );
}

function Row({ feed }: { feed: Feed }) {
  const { i18n } = useLingui();
  const stage = stageOf(feed);
  const title = feedTitle(feed);
  return (
    <li data-stage={stage}>
      {stage === "waiting" ? (
        <LoaderCircle className="spin" />
      ) : stage === "here" ? (
        <CircleCheck />
      ) : (
        <TriangleAlert />
      )}
      <Link
        href={readerPath({ kind: "feed", id: feed.id })}
        lang={textLang(feed.language, title, i18n.locale)}
        dir="auto"
      >
        {title}
      </Link>
      <span className="what">
        {stage === "waiting" ? (
          <Trans>fetching…</Trans>
        ) : stage === "here" ? (
          <Plural value={feed.itemCount} one="# article" other="# articles" />
        ) : (
          feed.error?.message
        )}
      </span>
    </li>
  );
}

function Remedies({ failed }: { failed: readonly Feed[] }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const retry = async () => {
    setBusy(true);
    // One after the other: many may be on one host.
    for (const feed of failed) await refreshFeed(client, feed.id).catch(() => undefined);
    setBusy(false);
  };
  const save = () => {
    const list = failed.map((feed) => ({
      title: feedTitle(feed),
      url: feed.url,
      path: feed.folder.split("/").filter(Boolean),
    }));
    saveFile(
      "ruri-failed.opml",
      "text/x-opml",
      writeOpml(t`Feeds that could not be fetched`, list),
    );
  };
  return (
    <div className="flex flex-wrap gap-2">
      <button type="button" className="btn" disabled={isBusy} onClick={() => void retry()}>
        <RefreshCw size={16} className={isBusy ? "spin" : ""} />
        <Plural value={failed.length} one="Retry failed feed" other="Retry # failed feeds" />
      </button>
      <button type="button" className="btn" onClick={save}>
        <Download size={16} />
        <Trans>Save failed feeds as OPML</Trans>
      </button>
    </div>
  );
}
