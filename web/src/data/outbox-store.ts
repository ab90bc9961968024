import type { Wish } from "./item-state";
import type { ItemId } from "./types";

/** A stream marked read, as a list showed it. */
export interface MarkDeed {
  feed?: string;
  folder?: string;
  asOf?: string;
  above?: ItemId;
  below?: ItemId;
  order?: "newest" | "oldest";
}

/**
 * What goes to the server in one request. Its device and counter make a repeat do nothing there. While it is
 * open, more wishes come into it; the attempt to send closes it for good, since the attempt may have arrived.
 */
export interface Batch {
  device: number;
  counter: number;
  isClosed: boolean;
  wishes: Wish[];
  /** Instead of wishes: a stream to be marked read, and the items that this turns among those loaded. */
  mark?: {
    deed: MarkDeed;
    touched: Wish[];
    /** Taken back after an attempt that may have arrived: it is marked, and with what the answer gives, unmarked. */
    isTakenBack?: boolean;
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
  /** All that is kept, by device and counter. */
  all(): Promise<Batch[]>;
  /** The devices that this browser has been, each with the highest counter that it has used. */
  devices(): Promise<Device[]>;
  close(): void;
}

/** A browser that forbids storage keeps the outbox for the page's life. */
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

/** A database for each user, so that nobody ever sends what another has marked on the same device. */
export async function openStore(user: string): Promise<OutboxStore> {
  try {
    return new DatabaseStore(await openDatabase(databaseName(user)));
  } catch {
    return new MemoryStore();
  }
}

/** At sign-out: nothing of it stays on the device. */
export function deleteStore(user: string): void {
  try {
    indexedDB.deleteDatabase(databaseName(user));
  } catch {
    // there never was one
  }
}

function openDatabase(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(name, 1);
    opening.onupgradeneeded = () => {
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

class DatabaseStore implements OutboxStore {
  private readonly database: IDBDatabase;

  constructor(database: IDBDatabase) {
    this.database = database;
  }

  put(batch: Batch): Promise<void> {
    return this.run("readwrite", (batches, devices) => {
      batches.put(batch);
      // The counter outlives its batch: a number used twice would be taken for a repeat.
      devices.put({ device: batch.device, counter: batch.counter });
    });
  }

  remove({ device, counter }: Pick<Batch, "device" | "counter">): Promise<void> {
    return this.run("readwrite", (batches) => {
      batches.delete([device, counter]);
    });
  }

  async all(): Promise<Batch[]> {
    let asked: IDBRequest<Batch[]> | undefined;
    await this.run("readonly", (batches) => {
      asked = batches.getAll();
    });
    return asked?.result ?? [];
  }

  async devices(): Promise<Device[]> {
    let asked: IDBRequest<Device[]> | undefined;
    await this.run("readonly", (_, devices) => {
      asked = devices.getAll();
    });
    return asked?.result ?? [];
  }

  close(): void {
    this.database.close();
  }

  private run(
    mode: IDBTransactionMode,
    work: (batches: IDBObjectStore, devices: IDBObjectStore) => void,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const turn = this.database.transaction(["batches", "devices"], mode);
      turn.oncomplete = () => resolve();
      turn.onabort = () => reject(turn.error);
      work(turn.objectStore("batches"), turn.objectStore("devices"));
      // Not to wait for the event loop: the page may be on its way out.
      turn.commit?.();
    });
  }
}
