import type { FillTimes, KeptAnswer, Owner } from "@/data/offline/store";
import type { Item } from "@/data/types";

/** Stands for data/offline/store.ts: jsdom has no databases. */
export function memoryStore() {
  const kept = {
    owner: undefined as Owner | undefined,
    times: undefined as FillTimes | undefined,
    answers: new Map<string, KeptAnswer>(),
    items: new Map<string, Item>(),
  };
  const store = {
    owner: async () => kept.owner,
    setOwner: async (owner: Owner) => {
      kept.owner = owner;
    },
    times: async () => kept.times,
    setTimes: async (times: FillTimes) => {
      kept.times = times;
    },
    answer: async (url: string) => kept.answers.get(url),
    answers: async () => [...kept.answers.values()],
    putAnswers: async (all: readonly KeptAnswer[]) => {
      for (const one of all) kept.answers.set(one.url, one);
    },
    dropAnswers: async (urls: readonly string[]) => {
      for (const url of urls) kept.answers.delete(url);
    },
    item: async (id: string) => kept.items.get(id),
    items: async () => [...kept.items.values()],
    itemIds: async () => [...kept.items.keys()],
    putItems: async (items: readonly Item[]) => {
      for (const item of items) kept.items.set(item.id, item);
    },
    dropItems: async (ids: readonly string[]) => {
      for (const id of ids) kept.items.delete(id);
    },
  };
  const dropStore = async () => {
    kept.owner = undefined;
    kept.times = undefined;
    kept.answers.clear();
    kept.items.clear();
  };
  const distrustStore = async () => {
    if (kept.owner) kept.owner = { ...kept.owner, isSure: false };
  };
  return { kept, module: { store, dropStore, distrustStore } };
}
