import { createStore } from "./store";
import type { ItemSummary } from "./types";

/** The article for which a person chooses where to send it. */
export const sending = createStore<ItemSummary | null>(null);
