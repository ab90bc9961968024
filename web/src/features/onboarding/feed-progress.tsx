import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import {
  BookOpen,
  CircleCheck,
  Download,
  LoaderCircle,
  RefreshCw,
  TriangleAlert,
} from "lucide-react";
import { useState } from "react";
import { refreshFeed } from "@/data/feed-refresh";
import { feedTitle } from "@/data/feeds";
import { writeOpml } from "@/data/opml";
import { readerPath } from "@/data/routes";
import type { Feed } from "@/data/types";
import { wordsFor } from "@/i18n/error-words";
import { textLang } from "@/i18n/text-lang";
import { Link } from "@/ui/link";
import { saveFile } from "@/ui/save-file";

const shownAtMost = 60;

export type Stage = "failed" | "waiting" | "here";

export function stageOf(feed: Feed): Stage {
  if (feed.status === "waiting") return "waiting";
  return feed.status === "active" ? "here" : "failed";
}

const order: Record<Stage, number> = { failed: 0, waiting: 1, here: 2 };

/** How each feed is doing, what needs a person first. */
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
              {here} of {feeds.length} are here
            </Trans>
          ) : (
            <Plural value={here} one="# feed is here" other="# feeds are here" />
          )}
        </p>
        <Link className="btn btn-main" href="/all">
          <BookOpen size={16} aria-hidden="true" />
          <Trans>Start reading</Trans>
        </Link>
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
        <LoaderCircle className="spin" aria-hidden="true" />
      ) : stage === "here" ? (
        <CircleCheck aria-hidden="true" />
      ) : (
        <TriangleAlert aria-hidden="true" />
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
          <Trans>on its way</Trans>
        ) : stage === "here" ? (
          <Plural value={feed.itemCount} one="# item" other="# items" />
        ) : (
          i18n._(wordsFor(feed.error?.code ?? "", "feed").says)
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
    // One after the other: many may be of one site.
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
        <RefreshCw size={16} aria-hidden="true" className={isBusy ? "spin" : ""} />
        <Plural
          value={failed.length}
          one="Try the failed one again"
          other="Try the # failed again"
        />
      </button>
      <button type="button" className="btn" onClick={save}>
        <Download size={16} aria-hidden="true" />
        <Trans>Save the failed as OPML</Trans>
      </button>
    </div>
  );
}
