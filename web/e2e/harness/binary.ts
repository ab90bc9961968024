import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ruriBinary } from "./paths.ts";
import { type Ended, run, start } from "./process.ts";

// Tests send requests faster than people do, so the rate limits are off.
const environment = { RURI_ALLOW_NETS: "127.0.0.0/8", RURI_RATE_USER: "0", RURI_RATE_ADDRESS: "0" };

/** A running reader: the single binary, or the stack of the rehearsal. */
export interface Backend {
  base: string;
  /** A new one-time link for the owner. */
  ownerLink(): Promise<string>;
  /** The single binary's process; null where the tests cannot stop it: in the rehearsal, and when files share it. */
  server: {
    /** Its data folder. */
    data: string;
    output(): string;
    stop(): Promise<Ended>;
  } | null;
  addUser(email: string, password: string): Promise<void>;
  /** A one-time link for a user. */
  linkFor(email: string): Promise<string>;
  /** Starts again on the same data and at the same address; in the rehearsal, the next invocations are cold starts. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** A port that nothing used a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address ? address.port : 0;
}

/** Starts the binary on a data folder of its own; below a path of its host, if one is given. */
export async function startBinary({
  samples,
  below = "",
}: {
  samples: boolean;
  below?: string;
}): Promise<Backend> {
  const data = await mkdtemp(join(tmpdir(), "ruri-e2e-"));
  const port = below === "" ? 0 : await freePort();
  const env: Record<string, string> = { ...environment };
  if (below !== "") env.RURI_BASE_URL = `http://127.0.0.1:${port}${below}`;
  const launch = (addr: string) =>
    start(
      ruriBinary,
      ["serve", "--addr", addr, "--data", data, ...(samples ? ["--samples"] : [])],
      /is at (http:\S+)\s[\s\S]*?\n\n/,
      env,
    );
  let program = await launch(`127.0.0.1:${port}`);
  const base = program.ready[1] ?? "";
  return {
    ...attachBinary(base, data, env),
    server: {
      data,
      output: () => program.output(),
      stop: () => program.stop(),
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

/** The binary that run.ts started for all test files of a worker. */
export function attachBinary(
  base: string,
  data: string,
  env: NodeJS.ProcessEnv = environment,
): Backend {
  const command = (args: readonly string[], input = "") =>
    run(ruriBinary, args, { input, env: { ...env, RURI_DATA: data } });
  return {
    base,
    async ownerLink() {
      return (await command(["link", "--addr", new URL(base).host])).trim();
    },
    server: null,
    async addUser(email, password) {
      await command(["user", "add", "--password-stdin", email], `${password}\n`);
    },
    async linkFor(email) {
      return (await command(["user", "link", "--addr", new URL(base).host, email])).trim();
    },
    restart: () => Promise.reject(new Error("a shared installation is not restarted")),
    async close() {},
  };
}
