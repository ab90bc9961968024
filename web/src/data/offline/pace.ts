import { ApiError } from "../api-error";
import { isWaitedFor } from "../client";
import { pause } from "../pause";
import { keepTimes } from "./keeper";
import { store } from "./store";

const second = 1_000;
const minute = 60 * second;

/** Between two requests, whichever tab sends them: less than the server allows (docs/use/api.md, "Limits"). */
const between = 3 * second;
/** A copy that was filled is filled again after half an hour. */
const pauseWhenDone = 30 * minute;
/** One whose tab was closed or reloaded meanwhile goes on after a minute. */
const pauseWhenLeft = minute;
/** After an error of the server that names no time. */
const pauseWhenFailed = 5 * minute;
/** Times further ahead are those of a clock that was wrong. */
const furthest = 60 * minute;

/** Lets the requests of one filling go on when nobody waits for others, one every few seconds. */
export class Pace {
  private readonly amount: number;
  private readonly signal: AbortSignal;
  private next: number;

  private constructor(amount: number, signal: AbortSignal, next: number) {
    this.amount = amount;
    this.signal = signal;
    this.next = next;
  }

  /** Null when it is not yet time. */
  static async start(amount: number, signal: AbortSignal): Promise<Pace | null> {
    const times = await store.times();
    const isDue = times?.amount !== amount || left(times.due) === 0;
    const next = times?.next ?? 0;
    return isDue && left(next) <= between ? new Pace(amount, signal, next) : null;
  }

  async turn(): Promise<void> {
    const wait = left(this.next);
    if (wait > 0) await pause(wait, this.signal);
    await quiet(this.signal);
    this.signal.throwIfAborted();
    if (!(await this.keep(between, pauseWhenLeft))) throw new Error("nothing can be stored");
  }

  async done(): Promise<void> {
    await this.keep(between, pauseWhenDone);
  }

  /** After an error of the server; what it asks for holds for every tab. */
  async failed(cause: unknown): Promise<void> {
    if (!(cause instanceof ApiError) || cause.status === 0) return;
    const { retryAfter } = cause;
    const wait = retryAfter === null ? pauseWhenFailed : Math.min(retryAfter * second, furthest);
    await this.keep(wait, Math.max(wait, pauseWhenLeft));
  }

  private keep(untilNext: number, untilDue: number): Promise<boolean> {
    const now = Date.now();
    this.next = now + untilNext;
    return keepTimes({ next: this.next, due: now + untilDue, amount: this.amount });
  }
}

/** Milliseconds until a time. */
function left(time: number): number {
  const wait = time - Date.now();
  return wait > furthest ? 0 : Math.max(wait, 0);
}

/** Resolves when nobody waits for the server, and the browser has nothing to do. */
async function quiet(signal: AbortSignal): Promise<void> {
  do {
    while (isWaitedFor()) await pause(200, signal);
    await idle();
  } while (isWaitedFor());
}

function idle(): Promise<void> {
  return new Promise((resolve) => {
    if ("requestIdleCallback" in window) requestIdleCallback(() => resolve(), { timeout: 2_000 });
    else setTimeout(resolve, 50);
  });
}
