import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A program that has said that it is ready. */
export interface Program {
  /** What it said. */
  ready: RegExpExecArray;
  /** Everything it has written so far. */
  output(): string;
  /** Asks it to stop and waits until it has. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

const running = new Set<ChildProcess>();

// A test file that is stopped leaves nothing behind.
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

/** Starts a program and waits for the words that tell it is ready; it ending before that is an error. */
export async function start(
  file: string,
  args: readonly string[],
  ready: RegExp,
  env: NodeJS.ProcessEnv = {},
): Promise<Program> {
  const child = spawn(file, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let output = "";
  // "close", not "exit": what it said last may still be on its way when it has ended.
  const ended = once(child, "close").then(([code, signal]): Ended => {
    running.delete(child);
    return { code, signal };
  });
  const said = new Promise<RegExpExecArray>((resolve, reject) => {
    const take = (data: Buffer) => {
      output += data;
      const match = ready.exec(output);
      if (match) resolve(match);
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("error", reject);
    ended.then(({ code }) => reject(new Error(`${file} ended with ${code}:\n${output}`)), reject);
  });
  return {
    ready: await said,
    output: () => output,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      return ended;
    },
  };
}

/** Runs a program to its end and gives what it printed; a failure is an error with its words. */
export async function run(
  file: string,
  args: readonly string[],
  options: { input?: string; env?: NodeJS.ProcessEnv; cwd?: string } = {},
): Promise<string> {
  const child = spawn(file, args, {
    env: { ...process.env, ...options.env },
    cwd: options.cwd,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (data) => {
    stdout += data;
  });
  child.stderr.on("data", (data) => {
    stderr += data;
  });
  child.stdin.on("error", () => undefined); // a program that does not read its input
  child.stdin.end(options.input ?? "");
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${code}:\n${stderr}`);
  return stdout;
}
