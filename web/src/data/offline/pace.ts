import { pause } from "../pause";

const minute = 60_000;
/** Half of the requests that a person may make in a minute (docs/config.md, RURI_RATE_USER). */
const perMinute = 60;

/** Times of the last requests of this tab, whatever started them. */
const turns: number[] = [];

/** Lets background requests go on when the page is idle, up to a number in each minute. */
export class Pace {
  private readonly signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.signal = signal;
  }

  async turn(): Promise<void> {
    await idle();
    const oldest = turns.at(-perMinute);
    const wait = oldest === undefined ? 0 : oldest + minute - performance.now();
    if (wait > 0) await pause(wait, this.signal);
    this.signal.throwIfAborted();
    turns.push(performance.now());
    if (turns.length > perMinute) turns.shift();
  }
}

function idle(): Promise<void> {
  return new Promise((resolve) => {
    if ("requestIdleCallback" in window) requestIdleCallback(() => resolve(), { timeout: 2_000 });
    else setTimeout(resolve, 50);
  });
}
