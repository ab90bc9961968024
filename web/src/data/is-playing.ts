import { createStore } from "./store";

/** Whether an episode plays although its article was left: then the mini-player is there. */
export const isPlaying = createStore(false);
