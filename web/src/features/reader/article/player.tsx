import { Trans, useLingui } from "@lingui/react/macro";
import { RotateCcw, RotateCw } from "lucide-react";
import { useEffect, useRef } from "react";
import { playTime } from "./play-time";
import { followPlayback, keepPlace, setSpeed, speeds, usePlace, useSpeed } from "./playback";

interface Props {
  url: string;
  name: string;
  kind: "audio" | "video";
}

const back = 15;
const ahead = 30;

/** The browser's player, which goes on where it stopped, at the speed that was chosen. */
export function Player({ url, name, kind }: Props) {
  const { t } = useLingui();
  const media = useRef<HTMLVideoElement & HTMLAudioElement>(null);
  const speed = useSpeed();
  const place = usePlace(url);

  useEffect(() => (media.current ? followPlayback(media.current) : undefined), []);

  const jump = (by: number) => {
    const player = media.current;
    if (player && player.readyState > 0) player.currentTime += by;
  };
  const restart = () => {
    keepPlace(url, 0, 0);
    if (media.current) media.current.currentTime = 0;
  };
  const Media = kind;
  return (
    <div className="player">
      <Media ref={media} controls preload="none" src={url} aria-label={name} />
      <div className="player-tools">
        <button
          type="button"
          className="btn"
          aria-label={t`${back} seconds back`}
          onClick={() => jump(-back)}
        >
          <RotateCcw size={16} aria-hidden="true" />
          {back}
        </button>
        <button
          type="button"
          className="btn"
          aria-label={t`${ahead} seconds ahead`}
          onClick={() => jump(ahead)}
        >
          {ahead}
          <RotateCw size={16} aria-hidden="true" />
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
        {place > 0 && (
          <span className="place">
            <Trans>Goes on at {playTime(place)}</Trans>
            <button type="button" className="link-btn" onClick={restart}>
              <Trans>From the start</Trans>
            </button>
          </span>
        )}
      </div>
    </div>
  );
}
