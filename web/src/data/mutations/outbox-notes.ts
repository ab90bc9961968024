import { keepNotes, type Note, readNotes } from "../notes";

const week = 7 * 86_400_000;
/** The server keeps 300 bytes of notes in a row: what goes along at once leaves room for more. */
const maxBytes = 150;

/** Takes the oldest notes out, as many as one request may have; those older than a week are dropped. */
export function takeNotes(): Note[] {
  const notes = readNotes().filter(({ at }) => at > Date.now() - week);
  let bytes = 0;
  const left = notes.findIndex(({ text }) => {
    bytes += 6 + new TextEncoder().encode(text).length;
    return bytes > maxBytes;
  });
  // One that is too long by itself goes alone: the server shortens it.
  const count = left < 0 ? notes.length : Math.max(left, 1);
  keepNotes(notes.slice(count));
  return notes.slice(0, count);
}

/** Puts notes back that the server had no room for. */
export function returnNotes(notes: readonly Note[]): void {
  keepNotes([...notes, ...readNotes()]);
}

/** Notes as a request has them. */
export function bodyOf(notes: readonly Note[]) {
  const of = (kind: Note["kind"]) =>
    notes.filter((one) => one.kind === kind).map(({ text }) => text);
  return { clicked: of("clicked"), tags: of("tags"), searched: of("searched") };
}
