const minute = 60_000;
/** Half of what a person may ask in a minute (docs/config.md, RURI_RATE_USER): the other half is theirs. */
const perMinute = 60;

/** Of all work of this tab: another amount begins anew, and has no minute of its own. */
const turns: number[] = [];

/** Lets work go on when the page has nothing better to do, and never more than so often in a minute. */
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

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
