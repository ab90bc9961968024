import { createStore } from "./store";
import type { ItemId } from "./types";

/** The article whose key sentences are shown. */
export const about = createStore<ItemId | null>(null);
