import { isPlaying } from "@/data/is-playing";
import { readerPath } from "@/data/routes";
import { createStore } from "@/data/store";
import type { Enclosure, ItemId, ItemSummary } from "@/data/types";
import { headingName } from "@/i18n/item-name";
import { followPlayback, type Heard } from "./playback";

/** An episode, as the mini-player names it. */
export interface Episode extends Heard {
  url: string;
  title: string;
  from: string;
  /** Path of its article. */
  path: string;
  image: string | null;
}

/** What plays although its article was left. */
export interface Playing {
  media: HTMLMediaElement;
  episode: Episode;
  end: () => void;
}

/** The one that the mini-player shows; null without any. */
export const playing = createStore<Playing | null>(null);

/** The kind of a file that can be played here. */
export function mediaKind({ url, type }: Enclosure): "audio" | "video" | null {
  if (!/^https:/i.test(url)) return null;
  const kind = type.toLowerCase().split("/")[0];
  return kind === "audio" || kind === "video" ? kind : null;
}

const mainOf = (item: ItemSummary) => item.enclosures.find((one) => mediaKind(one) !== null);

/** Whether times in the text of an item are places of an episode. */
export const hasEpisode = (item: ItemSummary): boolean => mainOf(item) !== undefined;

/** An attachment as an episode. The position in the first one is part of the item's place. */
export function episodeOf(item: ItemSummary, { url }: Enclosure, from: string): Episode {
  return {
    url,
    ...(mainOf(item)?.url === url ? { item: item.id } : {}),
    title: headingName(item, from),
    from,
    path: readerPath({ kind: "feed", id: item.feedId }, "all", item.id),
    image: item.imageUrl,
  };
}

/** The players of the articles that are open, by item: times in their texts lead to them. */
const open = new Map<ItemId, HTMLMediaElement>();

/** Plays an item's episode from a time on. */
export function playAt(id: ItemId, seconds: number): void {
  const media = open.get(id);
  if (!media) return;
  const go = () => {
    media.currentTime = seconds;
  };
  if (media.readyState > 0) go();
  else media.addEventListener("loadedmetadata", go, { once: true });
  void media.play().catch(() => undefined);
}

/** The player of an episode: the one that plays, or a new one. */
export function openPlayer(episode: Episode, kind: "audio" | "video"): Playing {
  const now = playing.get();
  const player = now?.episode.url === episode.url ? now : newPlayer(episode, kind);
  if (player === now) show(null);
  player.media.controls = true;
  player.media.hidden = false;
  if (episode.item !== undefined) open.set(episode.item, player.media);
  return player;
}

function show(player: Playing | null): void {
  playing.set(player);
  isPlaying.set(player !== null);
}

function newPlayer(episode: Episode, kind: "audio" | "video"): Playing {
  const media = document.createElement(kind);
  media.preload = "none";
  media.src = episode.url;
  const unfollow = followPlayback(media, episode);
  const onPlay = () => {
    // One at a time.
    const other = playing.get();
    if (other && other.media !== media) closePlayer();
    announce(media, episode);
  };
  media.addEventListener("play", onPlay);
  const end = () => {
    media.pause();
    unfollow();
    media.removeEventListener("play", onPlay);
    media.removeAttribute("src");
    media.load();
    media.remove();
  };
  return { media, episode, end };
}

/** To be called when the article is left: what plays goes on, in the same task, so that the browser does not pause it. */
export function leavePlayer(player: Playing): void {
  const { media, episode } = player;
  if (episode.item !== undefined) open.delete(episode.item);
  if (media.paused || media instanceof HTMLVideoElement) {
    player.end();
    return;
  }
  media.controls = false;
  media.hidden = true;
  document.body.append(media);
  show(player);
}

export function closePlayer(): void {
  playing.get()?.end();
  show(null);
  if ("mediaSession" in navigator) navigator.mediaSession.metadata = null;
}

export const back = 15;
export const ahead = 30;

/** Names the episode to the system, and takes its media keys. */
function announce(media: HTMLMediaElement, { title, from, image }: Episode): void {
  if (!("mediaSession" in navigator)) return;
  const session = navigator.mediaSession;
  session.metadata = new MediaMetadata({
    title,
    artist: from,
    ...(image ? { artwork: [{ src: image }] } : {}),
  });
  const to = (time: number) => {
    media.currentTime = Math.max(0, time);
  };
  const actions: [MediaSessionAction, MediaSessionActionHandler][] = [
    ["play", () => void media.play().catch(() => undefined)],
    ["pause", () => media.pause()],
    ["seekbackward", ({ seekOffset }) => to(media.currentTime - (seekOffset ?? back))],
    ["seekforward", ({ seekOffset }) => to(media.currentTime + (seekOffset ?? ahead))],
    ["seekto", ({ seekTime }) => seekTime !== undefined && to(seekTime)],
  ];
  for (const [action, run] of actions) {
    try {
      session.setActionHandler(action, run);
    } catch {
      // not every browser has each
    }
  }
}
