import type { Batch, Device, OutboxStore } from "./outbox-store";

/**
 * The server takes the batches of a device in the order of their counters, so each open tab is a device of its
 * own. A number is used again by the next tab, as the server remembers only a few for each feed.
 */
export async function claimDevice(store: OutboxStore): Promise<Device> {
  for (const known of await store.devices()) {
    if (await hold(known.device)) return known;
  }
  const fresh = newDevice();
  await hold(fresh.device);
  return fresh;
}

export function newDevice(): Device {
  const [number] = crypto.getRandomValues(new Uint32Array(1));
  return { device: number || 1, counter: 0 };
}

/** What tabs have left behind that are no more. */
export async function orphans(store: OutboxStore, own: number): Promise<Batch[]> {
  const mine = new Map<number, boolean>([[own, true]]);
  const list: Batch[] = [];
  for (const batch of await store.all()) {
    if (!mine.has(batch.device)) mine.set(batch.device, await hold(batch.device));
    if (mine.get(batch.device)) list.push(batch);
  }
  return list;
}

const held = new Set<number>();

/** Holds a device for the life of this tab; false when another tab is it. */
async function hold(device: number): Promise<boolean> {
  // Locks exist only at https addresses and this machine's own. Elsewhere tabs tell each other: see Outbox.
  if (held.has(device) || !navigator.locks) return true;
  const got = await new Promise<boolean>((resolve) => {
    void navigator.locks.request(`ruri-device-${device}`, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock ? new Promise<void>(() => {}) : undefined;
    });
  });
  if (got) held.add(device);
  return got;
}
