import { parseStored, readStored, writeStored } from "./device-storage";
import { getSetting } from "./settings";

/** What the sums of statistics count: the original of an item, a tag whose list was opened, words that were searched for. */
export type NoteKind = "clicked" | "tags" | "searched";

export interface Note {
  kind: NoteKind;
  text: string;
  /** When, in milliseconds. */
  at: number;
}

const key = "ruri.notes";
const most = 50;

export function readNotes(): Note[] {
  return parseStored<Note[]>(readStored(key), []);
}

export function keepNotes(notes: readonly Note[]): void {
  writeStored(key, notes.length === 0 ? null : JSON.stringify(notes.slice(-most)));
}

/** Remembers what the person did. It goes along with the next marks that are sent, never alone. */
export function note(kind: NoteKind, text: string): void {
  if (getSetting("countUse") && text !== "")
    keepNotes([...readNotes(), { kind, text, at: Date.now() }]);
}
