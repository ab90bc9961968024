import { Trans, useLingui } from "@lingui/react/macro";
import { RotateCcw, RotateCw } from "lucide-react";
import { useEffect, useRef } from "react";
import { playTime } from "./play-time";
import { followPlayback, keepPosition, setSpeed, speeds, usePosition, useSpeed } from "./playback";

interface Props {
  url: string;
  name: string;
  kind: "audio" | "video";
}

const back = 15;
const ahead = 30;

/** The player of the browser with stored position and speed. */
export function Player({ url, name, kind }: Props) {
  const { t } = useLingui();
  const media = useRef<HTMLVideoElement & HTMLAudioElement>(null);
  const speed = useSpeed();
  const position = usePosition(url);

  useEffect(() => (media.current ? followPlayback(media.current) : undefined), []);

  const jump = (by: number) => {
    const player = media.current;
    if (player && player.readyState > 0) player.currentTime += by;
  };
  const restart = () => {
    keepPosition(url, 0, 0);
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
