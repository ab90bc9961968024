import { Trans, useLingui } from "@lingui/react/macro";
import { RotateCcw, RotateCw } from "lucide-react";
import { useLayoutEffect, useRef } from "react";
import { playTime } from "./play-time";
import { keepPosition, setSpeed, speeds, usePosition, useSpeed } from "./playback";
import { ahead, back, type Episode, leavePlayer, openPlayer } from "./playing";

interface Props {
  episode: Episode;
  name: string;
  kind: "audio" | "video";
}

/** The player of the browser with stored position and speed. Audio that plays goes on when the article is left. */
export function Player({ episode, name, kind }: Props) {
  const { url } = episode;
  const { t } = useLingui();
  const slot = useRef<HTMLDivElement>(null);
  const media = useRef<HTMLMediaElement>(null);
  const latest = useRef(episode);
  latest.current = episode;
  const speed = useSpeed();
  const position = usePosition(url, episode);

  useLayoutEffect(() => {
    const player = openPlayer({ ...latest.current, url }, kind);
    media.current = player.media;
    player.media.ariaLabel = name;
    slot.current?.append(player.media);
    return () => leavePlayer(player);
  }, [url, kind, name]);

  const jump = (by: number) => {
    const player = media.current;
    if (player && player.readyState > 0) player.currentTime += by;
  };
  const restart = () => {
    keepPosition(url, 0, 0, episode);
    if (media.current) media.current.currentTime = 0;
  };
  return (
    <div className="player">
      <div ref={slot} className="contents" />
      <div className="player-tools">
        <button
          type="button"
          className="btn"
          aria-label={t`Back ${back} seconds`}
          onClick={() => jump(-back)}
        >
          <RotateCcw size={16} />
          {back}
        </button>
        <button
          type="button"
          className="btn"
          aria-label={t`Forward ${ahead} seconds`}
          onClick={() => jump(ahead)}
        >
          {ahead}
          <RotateCw size={16} />
        </button>
        <label>
          <Trans>Speed</Trans>
          <select
            className="btn"
            value={speed}
            onChange={(event) => setSpeed(Number(event.target.value))}
          >
            {speeds.map((one) => (
              <option key={one} value={one}>
                {one}×
              </option>
            ))}
          </select>
        </label>
        {position > 0 && (
          <span className="place">
            <Trans>Resumes at {playTime(position)}</Trans>
            <button type="button" className="link-btn" onClick={restart}>
              <Trans>Start over</Trans>
            </button>
          </span>
        )}
      </div>
    </div>
  );
}
