import { useLingui } from "@lingui/react/macro";
import { Pause, Play, X } from "lucide-react";
import { useEffect, useState } from "react";
import { useStore } from "@/data/store";
import { IconButton } from "@/ui/icon-button";
import { Link } from "@/ui/link";
import { playTime } from "./article/play-time";
import { setSpeed, speeds, useSpeed } from "./article/playback";
import { closePlayer, type Playing, playing } from "./article/playing";
import "./mini-player.css";

/** What plays while one reads on. */
export function MiniPlayer() {
  const player = useStore(playing, (now) => now);
  return player && <Controls key={player.episode.url} player={player} />;
}

function Controls({ player: { media, episode } }: { player: Playing }) {
  const { t } = useLingui();
  const speed = useSpeed();
  const [, render] = useState(0);

  useEffect(() => {
    const update = () => render((n) => n + 1);
    const events = ["play", "pause", "timeupdate", "durationchange", "seeked"] as const;
    for (const name of events) media.addEventListener(name, update);
    media.addEventListener("ended", closePlayer);
    return () => {
      for (const name of events) media.removeEventListener(name, update);
      media.removeEventListener("ended", closePlayer);
    };
  }, [media]);

  const { currentTime, duration, paused } = media;
  const part = duration > 0 ? (100 * currentTime) / duration : 0;
  const next = speeds[(speeds.indexOf(speed as (typeof speeds)[number]) + 1) % speeds.length] ?? 1;
  const toggle = () => {
    if (paused) void media.play().catch(() => undefined);
    else media.pause();
  };
  return (
    <section className="mini-player" aria-label={t`Player`}>
      <button
        type="button"
        className="round"
        aria-label={paused ? t`Play` : t`Pause`}
        title={paused ? t`Play` : t`Pause`}
        onClick={toggle}
      >
        <svg className="part-ring" viewBox="0 0 32 32" aria-hidden="true">
          <circle className="track" cx="16" cy="16" r="14" />
          <circle
            className="arc"
            cx="16"
            cy="16"
            r="14"
            pathLength="100"
            strokeDasharray={`${part} 100`}
          />
        </svg>
        {paused ? <Play size={14} /> : <Pause size={14} />}
      </button>
      <p className="words">
        <Link href={episode.path} title={episode.title}>
          <b dir="auto">{episode.title}</b>
        </Link>
        <span className="tabular-nums">
          {playTime(currentTime)}
          {duration > 0 && ` / ${playTime(duration)}`}
        </span>
      </p>
      <button
        type="button"
        className="speed"
        aria-label={t`Speed ${speed}×`}
        title={t`Speed`}
        onClick={() => setSpeed(next)}
      >
        {speed}×
      </button>
      <IconButton label={t`Stop playing`} icon={<X />} onClick={closePlayer} />
    </section>
  );
}
