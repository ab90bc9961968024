import { useSyncExternalStore } from "react";

/** Where this device stopped listening, and how fast it listens. */
interface Place {
  at: number;
  kept: number;
}

const placesName = "ruri.playback";
const speedName = "ruri.playback.speed";
const keptPlaces = 100;
/** Less than this from the beginning, or from the end, is no place to come back to. */
const edge = 10;
const every = 5_000;

export const speeds = [0.75, 1, 1.25, 1.5, 1.75, 2] as const;

const listeners = new Set<() => void>();

function read(): Record<string, Place> {
  try {
    return JSON.parse(localStorage.getItem(placesName) ?? "{}");
  } catch {
    return {};
  }
}

function write(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // storage is forbidden: nothing is remembered
  }
  for (const listener of listeners) listener();
}

export function placeIn(url: string): number {
  return read()[url]?.at ?? 0;
}

export function keepPlace(url: string, at: number, duration: number): void {
  const places = read();
  delete places[url];
  if (at >= edge && !(duration - at < edge)) places[url] = { at: Math.floor(at), kept: Date.now() };
  const newest = Object.entries(places)
    .sort(([, a], [, b]) => b.kept - a.kept)
    .slice(0, keptPlaces);
  write(placesName, JSON.stringify(Object.fromEntries(newest)));
}

export function getSpeed(): number {
  try {
    const speed = Number(localStorage.getItem(speedName));
    return speeds.find((one) => one === speed) ?? 1;
  } catch {
    return 1;
  }
}

export function setSpeed(speed: number): void {
  write(speedName, String(speed));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useSpeed(): number {
  return useSyncExternalStore(subscribe, getSpeed);
}

export function usePlace(url: string): number {
  return useSyncExternalStore(subscribe, () => placeIn(url));
}

/** Lets a player begin where it stopped, at the speed in use, and remembers as it plays. */
export function followPlayback(media: HTMLMediaElement): () => void {
  const url = media.currentSrc || media.src;
  let keptAt = 0;
  const atSpeed = () => {
    media.defaultPlaybackRate = getSpeed();
    media.playbackRate = getSpeed();
  };
  const begin = () => {
    atSpeed();
    const at = placeIn(url);
    if (at > 0 && media.currentTime < 1) media.currentTime = at;
  };
  const keep = () => {
    if (media.currentTime > 0) keepPlace(url, media.currentTime, media.duration);
    keptAt = performance.now();
  };
  const nowAndThen = () => {
    if (performance.now() - keptAt > every) keep();
  };
  const chooseSpeed = () => {
    // The browser's own menu of speeds; what it has and we do not is for this once.
    if (media.playbackRate !== getSpeed() && speeds.some((one) => one === media.playbackRate)) {
      setSpeed(media.playbackRate);
    }
  };
  const events: readonly [string, () => void][] = [
    ["loadedmetadata", begin],
    ["timeupdate", nowAndThen],
    ["pause", keep],
    ["seeked", keep],
    ["ended", keep],
    ["ratechange", chooseSpeed],
  ];
  for (const [name, run] of events) media.addEventListener(name, run);
  addEventListener("pagehide", keep);
  const unsubscribe = subscribe(() => {
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
