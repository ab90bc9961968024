import { afterEach, expect, it, vi } from "vitest";
import { ahead, back, type Episode, openPlayer } from "./playing";

afterEach(() => vi.unstubAllGlobals());

it("answers the media keys, and names the episode to the system", () => {
  const handlers = new Map<string, (details: MediaSessionActionDetails) => void>();
  const session = {
    metadata: null as MediaMetadataInit | null,
    setActionHandler(action: string, run: (details: MediaSessionActionDetails) => void) {
      // As a browser that does not have each.
      if (action === "seekto") throw new TypeError("unknown action");
      handlers.set(action, run);
    },
  };
  vi.stubGlobal("navigator", Object.assign(Object.create(navigator), { mediaSession: session }));
  vi.stubGlobal(
    "MediaMetadata",
    class {
      constructor(init: MediaMetadataInit) {
        Object.assign(this, init);
      }
    },
  );
  const episode: Episode = {
    url: "https://sounds.example/1.mp3",
    title: "A valley without a road",
    from: "Field Recordings",
    path: "/feed/2/item/1",
    image: null,
  };
  const { media, end } = openPlayer(episode, "audio");
  const play = vi.spyOn(media, "play").mockResolvedValue();
  const pause = vi.spyOn(media, "pause").mockReturnValue();
  media.dispatchEvent(new Event("play"));
  expect(session.metadata).toMatchObject({ title: episode.title, artist: episode.from });
  const press = (action: MediaSessionAction, details: object = {}) =>
    handlers.get(action)?.({ action, ...details });
  press("play");
  press("pause");
  expect([play.mock.calls.length, pause.mock.calls.length]).toEqual([1, 1]);
  media.currentTime = 100;
  press("seekforward");
  expect(media.currentTime).toBe(100 + ahead);
  press("seekbackward");
  expect(media.currentTime).toBe(100 + ahead - back);
  press("seekbackward", { seekOffset: 500 });
  expect(media.currentTime).toBe(0);
  vi.spyOn(media, "load").mockReturnValue();
  end();
});
