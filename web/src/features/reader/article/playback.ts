import { parseStored, readStored, writeStored } from "@/data/device-storage";
import { stop, stoppedAt } from "@/data/stopped";
import { createStore, useStore } from "@/data/store";
import type { ItemId } from "@/data/types";

/** Playback position in seconds, and when it was stored. */
interface Position {
  at: number;
  kept: number;
}

const positionsKey = "ruri.playback";
const speedKey = "ruri.playback.speed";
const maxPositions = 100;
/** Seconds from the beginning and the end within which no position is kept. */
const edge = 10;
const saveInterval = 5_000;

export const speeds = [0.75, 1, 1.25, 1.5, 1.75, 2] as const;

/** Counts changes of what is stored. */
const changes = createStore(0);

function read(): Record<string, Position> {
  return parseStored(readStored(positionsKey), {});
}

function write(name: string, value: string): void {
  writeStored(name, value);
  changes.set(changes.get() + 1);
}

/** Of an episode the position is also in the place of its item, which other devices have too. */
export interface Heard {
  item?: ItemId;
}

export function positionIn(url: string, { item }: Heard = {}): number {
  const here = read()[url];
  const place = item === undefined ? undefined : stoppedAt(item);
  return (
    (place && place.at > (here?.kept ?? 0) && place.seconds > 0 ? place.seconds : here?.at) ?? 0
  );
}

export function keepPosition(url: string, at: number, duration: number, heard: Heard = {}): void {
  const positions = read();
  delete positions[url];
  const seconds = at >= edge && !(duration - at < edge) ? Math.floor(at) : 0;
  if (seconds > 0) positions[url] = { at: seconds, kept: Date.now() };
  if (heard.item !== undefined && (seconds > 0 || stoppedAt(heard.item)))
    stop(heard.item, { seconds });
  const newest = Object.entries(positions)
    .sort(([, a], [, b]) => b.kept - a.kept)
    .slice(0, maxPositions);
  write(positionsKey, JSON.stringify(Object.fromEntries(newest)));
}

export function getSpeed(): number {
  const speed = Number(readStored(speedKey));
  return speeds.find((one) => one === speed) ?? 1;
}

export function setSpeed(speed: number): void {
  write(speedKey, String(speed));
}

export function useSpeed(): number {
  return useStore(changes, getSpeed);
}

export function usePosition(url: string, heard?: Heard): number {
  return useStore(changes, () => positionIn(url, heard));
}

/** Starts a player at its stored position and speed, and stores both. Returns a function that stops following it. */
export function followPlayback(media: HTMLMediaElement, heard: Heard = {}): () => void {
  const url = media.currentSrc || media.src;
  let keptAt = 0;
  const atSpeed = () => {
    media.defaultPlaybackRate = getSpeed();
    media.playbackRate = getSpeed();
  };
  const begin = () => {
    atSpeed();
    const at = positionIn(url, heard);
    if (at > 0 && media.currentTime < 1) media.currentTime = at;
  };
  const keep = () => {
    if (media.currentTime > 0) keepPosition(url, media.currentTime, media.duration, heard);
    keptAt = performance.now();
  };
  const onTimeUpdate = () => {
    if (performance.now() - keptAt > saveInterval) keep();
  };
  const onRateChange = () => {
    // From the browser's own menu; speeds that we do not offer are not stored.
    if (media.playbackRate !== getSpeed() && speeds.some((one) => one === media.playbackRate)) {
      setSpeed(media.playbackRate);
    }
  };
  const events: readonly [string, () => void][] = [
    ["loadedmetadata", begin],
    ["timeupdate", onTimeUpdate],
    ["pause", keep],
    ["seeked", keep],
    ["ended", keep],
    ["ratechange", onRateChange],
  ];
  for (const [name, run] of events) media.addEventListener(name, run);
  addEventListener("pagehide", keep);
  const unsubscribe = changes.subscribe(() => {
    if (media.playbackRate !== getSpeed()) atSpeed();
  });
  if (media.readyState > 0) begin();
  return () => {
    if (!media.paused) keep();
    for (const [name, run] of events) media.removeEventListener(name, run);
    removeEventListener("pagehide", keep);
    unsubscribe();
  };
}
