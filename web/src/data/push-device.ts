import { readStored, writeStored } from "./device-storage";

const key = "ruri.push";

/** The id under which this browser gets notifications; null while it gets none. */
export const pushDevice = () => readStored(key);

export const keepPushDevice = (id: string | null) => writeStored(key, id);
