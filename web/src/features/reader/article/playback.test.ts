import { beforeEach, describe, expect, it } from "vitest";
import { playTime } from "./play-time";
import { followPlayback, getSpeed, keepPosition, positionIn, setSpeed } from "./playback";

const url = "https://sounds.example/1.mp3";

/** A player as far as it matters here: jsdom plays nothing. */
function aPlayer(duration: number): HTMLAudioElement {
  const player = new EventTarget() as unknown as Record<string, unknown>;
  Object.assign(player, { src: url, currentSrc: "", currentTime: 0, playbackRate: 1, duration });
  Object.assign(player, { paused: true, readyState: 0 });
  return player as unknown as HTMLAudioElement;
}

beforeEach(() => setSpeed(1));

describe("the place in a recording", () => {
  it.each([
    ["in the middle", 100, 600, 100],
    ["at the very beginning", 4, 600, 0],
    ["at the very end", 595, 600, 0],
    ["of a length that is not known", 100, Number.NaN, 100],
  ])("%s", (_, at, duration, kept) => {
    keepPosition(url, at, duration);
    expect(positionIn(url)).toBe(kept);
  });

  it("is forgotten once the recording was heard", () => {
    keepPosition(url, 100, 600);
    keepPosition(url, 600, 600);
    expect(positionIn(url)).toBe(0);
  });

  it("is kept for a hundred recordings", () => {
    for (let i = 0; i < 105; i += 1) keepPosition(`${url}?${i}`, 100, 600);
    expect(JSON.parse(localStorage.getItem("ruri.playback") ?? "")).toSatisfy(
      (all: object) => Object.keys(all).length === 100,
    );
  });

  it("survives what is none of ours in the storage", () => {
    localStorage.setItem("ruri.playback", "{");
    expect(positionIn(url)).toBe(0);
  });
});

describe("followPlayback", () => {
  it("begins where it stopped, at the speed in use", () => {
    keepPosition(url, 100, 600);
    setSpeed(1.5);
    const player = aPlayer(600);
    followPlayback(player);
    player.dispatchEvent(new Event("loadedmetadata"));
    expect([player.currentTime, player.playbackRate]).toEqual([100, 1.5]);
  });

  it("follows a change of speed, here and in the browser's own menu", () => {
    const player = aPlayer(600);
    const end = followPlayback(player);
    setSpeed(2);
    expect(player.playbackRate).toBe(2);
    player.playbackRate = 1.25;
    player.dispatchEvent(new Event("ratechange"));
    expect(getSpeed()).toBe(1.25);
    end();
    setSpeed(1);
    expect(player.playbackRate).toBe(1.25);
  });

  it("keeps the place when it is paused, and when its item is left", () => {
    const player = aPlayer(600);
    const end = followPlayback(player);
    player.currentTime = 200;
    player.dispatchEvent(new Event("pause"));
    expect(positionIn(url)).toBe(200);
    Object.assign(player, { currentTime: 300, paused: false });
    end();
    expect(positionIn(url)).toBe(300);
  });
});

describe("playTime", () => {
  it.each([
    [0, "0:00"],
    [65.9, "1:05"],
    [3_661, "1:01:01"],
  ])("%d is %s", (seconds, words) => {
    expect(playTime(seconds)).toBe(words);
  });
});
