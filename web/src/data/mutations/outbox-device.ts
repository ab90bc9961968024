import type { Batch, Device, OutboxStore } from "./outbox-store";

/**
 * The server takes the batches of a device in the order of their counters, so each open tab is a device of its own. The
 * next tab reuses its number, as the server remembers only a few for each feed.
 */
export async function claimDevice(store: OutboxStore): Promise<Device> {
  for (const known of await store.devices()) {
    if (await claim(known.device)) return known;
  }
  const fresh = newDevice();
  await claim(fresh.device);
  return fresh;
}

export function newDevice(): Device {
  const [number] = crypto.getRandomValues(new Uint32Array(1));
  return { device: number || 1, counter: 0 };
}

/** The batches of tabs that no longer exist. */
export async function orphans(store: OutboxStore, own: number): Promise<Batch[]> {
  const mine = new Map<number, boolean>([[own, true]]);
  const list: Batch[] = [];
  for (const batch of await store.all()) {
    if (!mine.has(batch.device)) mine.set(batch.device, await claim(batch.device));
    if (mine.get(batch.device)) list.push(batch);
  }
  return list;
}

const claimed = new Set<number>();

/** Locks a device for the life of this tab; false when another tab has it. */
async function claim(device: number): Promise<boolean> {
  // Locks exist only in secure contexts. Elsewhere tabs notify each other: see Outbox.
  if (claimed.has(device) || !navigator.locks) return true;
  const isOurs = await new Promise<boolean>((resolve) => {
    void navigator.locks.request(`ruri-device-${device}`, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock ? new Promise<void>(() => {}) : undefined;
    });
  });
  if (isOurs) claimed.add(device);
  return isOurs;
}
