import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ruriBinary } from "./places.ts";
import { type Ended, run, start } from "./process.ts";

// Scripts are faster than people: the limits on requests are off.
const opened = { RURI_ALLOW_NETS: "127.0.0.0/8", RURI_RATE_USER: "0", RURI_RATE_ADDRESS: "0" };

/** The reader in one of its homes: the single binary on a data folder of its own, or the rehearsed cloud. */
export interface Ruri {
  base: string;
  /** A new one-time link for the owner. */
  ownerLink(): Promise<string>;
  /** The single binary's process; in the cloud there is none to stop. */
  server: {
    /** Its data folder. */
    data: string;
    output(): string;
    stop(): Promise<Ended>;
  } | null;
  addUser(email: string, password: string): Promise<void>;
  /** A one-time link for a user. */
  linkFor(email: string): Promise<string>;
  /** Starts again on the same data and at the same address; in the cloud, what comes next are cold starts. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function startRuri({ samples }: { samples: boolean }): Promise<Ruri> {
  const data = await mkdtemp(join(tmpdir(), "ruri-e2e-"));
  const launch = (addr: string) =>
    start(
      ruriBinary,
      ["serve", "--addr", addr, "--data", data, ...(samples ? ["--samples"] : [])],
      /is at (http:\S+)\s[\s\S]*?\n\n/,
      opened,
    );
  let program = await launch("127.0.0.1:0");
  const base = program.ready[1] ?? "";
  const command = (args: readonly string[], input = "") =>
    run(ruriBinary, args, { input, env: { ...opened, RURI_DATA: data } });
  return {
    base,
    async ownerLink() {
      return (await command(["link", "--addr", new URL(base).host])).trim();
    },
    server: {
      data,
      output: () => program.output(),
      stop: () => program.stop(),
    },
    async addUser(email, password) {
      await command(["user", "add", "--password-stdin", email], `${password}\n`);
    },
    async linkFor(email) {
      const printed = await command(["user", "link", "--addr", new URL(base).host, email]);
      return printed.trim();
    },
    async restart() {
      program = await launch(new URL(base).host);
    },
    async close() {
      await program.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}
