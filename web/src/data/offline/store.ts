import type { Item, ItemId } from "../types";

/** An answer of the server, by the address of the request. */
export interface KeptAnswer {
  url: string;
  body: unknown;
  at: number;
}

interface KeptItem {
  id: ItemId;
  item: Item;
}

/** Whose copy this is, and whether that person is confirmed to be signed in. */
export interface Owner {
  user: string;
  isSure: boolean;
}

/** When the copy is filled, in milliseconds since 1970: for all tabs, and across reloads. */
export interface FillTimes {
  /** No request before. */
  next: number;
  /** It is not filled again before, unless another amount is wanted. */
  due: number;
  amount: number;
}

const databaseName = "ruri-offline";
let opened: Promise<IDBDatabase> | null = null;

/** One database, for one person at a time. Reading does not create it. */
function database(isWriter: boolean): Promise<IDBDatabase> {
  opened ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(databaseName, 1);
    request.onupgradeneeded = () => {
      if (!isWriter) {
        request.transaction?.abort();
        return;
      }
      request.result.createObjectStore("answers", { keyPath: "url" });
      request.result.createObjectStore("items", { keyPath: "id" });
      request.result.createObjectStore("owner");
    };
    request.onsuccess = () => {
      const db = request.result;
      // Another tab signs out, and must not wait for this one.
      db.onversionchange = () => {
        db.close();
        opened = null;
      };
      db.onclose = () => {
        opened = null;
      };
      resolve(db);
    };
    request.onerror = () => reject(request.error);
  });
  const mine = opened;
  mine.catch(() => {
    if (opened === mine) opened = null;
  });
  return mine;
}

type StoreName = "answers" | "items" | "owner";

/** One transaction on one object store; resolves when it is written. */
async function within<T>(
  name: StoreName,
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T> | undefined,
): Promise<T | undefined> {
  const isWriter = mode === "readwrite";
  const db = await database(isWriter).catch((cause) => {
    if (isWriter) throw cause;
    return null;
  });
  if (!db) return undefined;
  return new Promise((resolve, reject) => {
    const transaction = db.transaction(name, mode);
    const request = work(transaction.objectStore(name));
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
  });
}

export const store = {
  owner: () => within<Owner>("owner", "readonly", (at) => at.get("owner")),
  setOwner: (owner: Owner) => within("owner", "readwrite", (at) => at.put(owner, "owner")),

  // Beside the owner, so that they go with the copy.
  times: () => within<FillTimes>("owner", "readonly", (at) => at.get("times")),
  setTimes: (times: FillTimes) => within("owner", "readwrite", (at) => at.put(times, "times")),

  answer: (url: string) => within<KeptAnswer>("answers", "readonly", (at) => at.get(url)),
  answers: () => within<KeptAnswer[]>("answers", "readonly", (at) => at.getAll()),
  putAnswers: (kept: readonly KeptAnswer[]) =>
    within("answers", "readwrite", (at) => {
      for (const one of kept) at.put(one);
      return undefined;
    }),
  dropAnswers: (urls: readonly string[]) =>
    within("answers", "readwrite", (at) => {
      for (const url of urls) at.delete(url);
      return undefined;
    }),

  item: async (id: ItemId) =>
    (await within<KeptItem>("items", "readonly", (at) => at.get(id)))?.item,
  items: async () =>
    ((await within<KeptItem[]>("items", "readonly", (at) => at.getAll())) ?? []).map(
      ({ item }) => item,
    ),
  itemIds: async () =>
    ((await within<IDBValidKey[]>("items", "readonly", (at) => at.getAllKeys())) ?? []).map(String),
  putItems: (items: readonly Item[]) =>
    within("items", "readwrite", (at) => {
      for (const item of items) at.put({ id: item.id, item });
      return undefined;
    }),
  dropItems: (ids: readonly ItemId[]) =>
    within("items", "readwrite", (at) => {
      for (const id of ids) at.delete(id);
      return undefined;
    }),
};

/** Deletes the copy from the device. */
export async function dropStore(): Promise<void> {
  const db = await opened?.catch(() => null);
  db?.close();
  opened = null;
  await new Promise<void>((resolve) => {
    try {
      const request = indexedDB.deleteDatabase(databaseName);
      request.onsuccess = () => resolve();
      request.onerror = () => resolve();
      request.onblocked = () => resolve(); // deleted when the last tab closes it
    } catch {
      resolve(); // storage is forbidden: there is nothing
    }
  });
}

/** The copy is not used until its owner is confirmed again. */
export async function distrustStore(): Promise<void> {
  const owner = await store.owner();
  if (owner) await store.setOwner({ ...owner, isSure: false });
}
