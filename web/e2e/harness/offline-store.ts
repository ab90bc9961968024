import type { Reader } from "./reader.ts";

/** The keys in a store of the device's offline copy; none before there is one. */
export function offlineKeys(reader: Reader, store: "items" | "answers"): Promise<string[]> {
  return reader.page.evaluate(
    (name) =>
      new Promise<string[]>((resolve) => {
        const request = indexedDB.open("ruri-offline");
        // Not there yet: it must not be made here.
        request.onupgradeneeded = () => request.transaction?.abort();
        request.onerror = () => resolve([]);
        request.onsuccess = () => {
          const db = request.result;
          const keys = db.transaction(name).objectStore(name).getAllKeys();
          keys.onsuccess = () => {
            db.close();
            resolve(keys.result.map(String));
          };
        };
      }),
    store,
  );
}
