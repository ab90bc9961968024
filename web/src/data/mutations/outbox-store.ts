import type { Mutation } from "../mark-mutation";
import type { Note } from "../notes";
import type { ItemId } from "../types";

/** Body of POST /api/items/mark-read: a list marked read, as it was shown. */
export interface MarkReadRequest {
  feed?: string;
  folder?: string;
  asOf?: string;
  above?: ItemId;
  below?: ItemId;
  before?: string;
  order?: "newest" | "oldest";
}

/**
 * What goes to the server in one request. The server ignores a device and counter that it has seen. While a batch is
 * open, mutations are added to it; the attempt to send closes it for good, since the attempt may have arrived.
 */
export interface Batch {
  device: number;
  counter: number;
  isClosed: boolean;
  mutations: Mutation[];
  /** What goes along, taken when the batch was closed. */
  notes?: Note[];
  /** Instead of mutations: a list to be marked read, and the loaded items that this changes. */
  mark?: {
    request: MarkReadRequest;
    touched: Mutation[];
    /** Undone after an attempt that may have arrived: it is marked, and unmarked with what the answer gives. */
    isUndone?: boolean;
    undo?: string;
  };
}

export interface Device {
  device: number;
  counter: number;
}

/** Where batches outlive the tab. */
export interface OutboxStore {
  put(batch: Batch): Promise<void>;
  remove(batch: Pick<Batch, "device" | "counter">): Promise<void>;
  /** All batches, by device and counter. */
  all(): Promise<Batch[]>;
  /** The devices that this browser has been, each with the highest counter that it has used. */
  devices(): Promise<Device[]>;
  close(): void;
}

/** For browsers that forbid storage: keeps batches for the page's life. */
export class MemoryStore implements OutboxStore {
  private readonly batches = new Map<string, Batch>();
  private readonly counters = new Map<number, number>();

  async put(batch: Batch): Promise<void> {
    this.batches.set(`${batch.device} ${batch.counter}`, structuredClone(batch));
    this.counters.set(batch.device, Math.max(this.counters.get(batch.device) ?? 0, batch.counter));
  }
  async remove({ device, counter }: Pick<Batch, "device" | "counter">): Promise<void> {
    this.batches.delete(`${device} ${counter}`);
  }
  async all(): Promise<Batch[]> {
    return [...this.batches.values()].sort((a, b) => a.device - b.device || a.counter - b.counter);
  }
  async devices(): Promise<Device[]> {
    return [...this.counters].map(([device, counter]) => ({ device, counter }));
  }
  close(): void {}
}

const databaseName = (user: string) => `ruri-outbox-${user}`;

/** Opens a database of this user alone, so that nobody sends what another marked on the same device. */
export async function openStore(user: string): Promise<OutboxStore> {
  try {
    return new DatabaseStore(await openDatabase(databaseName(user)));
  } catch {
    return new MemoryStore();
  }
}

/** At sign-out: deletes everything from the device. */
export function deleteStore(user: string): void {
  try {
    indexedDB.deleteDatabase(databaseName(user));
  } catch {
    // there never was one
  }
}

function openDatabase(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(name, 2);
    opening.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion === 1) {
        renameMembers((opening.transaction as IDBTransaction).objectStore("batches"));
        return;
      }
      opening.result.createObjectStore("batches", { keyPath: ["device", "counter"] });
      opening.result.createObjectStore("devices", { keyPath: "device" });
    };
    opening.onsuccess = () => {
      const database = opening.result;
      // Another tab signs out.
      database.onversionchange = () => database.close();
      resolve(database);
    };
    opening.onerror = () => reject(opening.error);
    opening.onblocked = () => reject(new Error("blocked"));
  });
}

/** Renames the members of batches that version 1 stored. */
function renameMembers(batches: IDBObjectStore): void {
  batches.openCursor().onsuccess = (event) => {
    const cursor = (event.target as IDBRequest<IDBCursorWithValue | null>).result;
    if (!cursor) return;
    const { wishes, mark, ...batch } = cursor.value;
    if (mark) {
      const { deed, isTakenBack, ...others } = mark;
      batch.mark = { ...others, request: deed, isUndone: isTakenBack };
    }
    cursor.update({ ...batch, mutations: wishes });
    cursor.continue();
  };
}

class DatabaseStore implements OutboxStore {
  private readonly database: IDBDatabase;

  constructor(database: IDBDatabase) {
    this.database = database;
  }

  async put(batch: Batch): Promise<void> {
    await this.run("readwrite", (batches, devices) => {
      batches.put(batch);
      // The counter outlives its batch: a number used twice would be taken for a repeat.
      devices.put({ device: batch.device, counter: batch.counter });
      return undefined;
    });
  }

  async remove({ device, counter }: Pick<Batch, "device" | "counter">): Promise<void> {
    await this.run("readwrite", (batches) => {
      batches.delete([device, counter]);
      return undefined;
    });
  }

  async all(): Promise<Batch[]> {
    return (await this.run<Batch[]>("readonly", (batches) => batches.getAll())) ?? [];
  }

  async devices(): Promise<Device[]> {
    return (await this.run<Device[]>("readonly", (_, devices) => devices.getAll())) ?? [];
  }

  close(): void {
    this.database.close();
  }

  private run<T>(
    mode: IDBTransactionMode,
    work: (batches: IDBObjectStore, devices: IDBObjectStore) => IDBRequest<T> | undefined,
  ): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const transaction = this.database.transaction(["batches", "devices"], mode);
      const request = work(transaction.objectStore("batches"), transaction.objectStore("devices"));
      transaction.oncomplete = () => resolve(request?.result);
      transaction.onabort = () => reject(transaction.error);
      // Does not wait for the event loop: the page may be closing.
      transaction.commit?.();
    });
  }
}
