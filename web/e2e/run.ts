// Runs the browser tests: real Chromium, the real program, publishers on the loopback. RURI_HOME=rehearsal runs them
// against the template deployed onto emulated AWS, with the functions' real bootstraps. Names on the command line choose
// files: `run.ts reading` runs reading.test.ts alone.
import { spawn } from "node:child_process";
import { existsSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import {
  findTestBrowser,
  isRehearsal,
  keepsScreenshots,
  root,
  ruriBinary,
} from "./harness/paths.ts";
import { type Program, run, start } from "./harness/process.ts";
import { startWorker } from "./harness/worker.ts";

if (!findTestBrowser()) {
  console.log(
    "SKIPPED: the browser tests: no Chromium is installed (Debian: apt-get install chromium)",
  );
  process.exit(0);
}
if (!isRehearsal && !existsSync(ruriBinary)) {
  console.error(`${ruriBinary} does not exist: run make build, or set RURI_BIN`);
  process.exit(1);
}

const programs = mkdtempSync(join(tmpdir(), "ruri-e2e-bin-"));
process.on("exit", () => rmSync(programs, { recursive: true, force: true }));
process.env.RURI_PUBLISHER ??= await build("publisher", "./internal/testkit/publisher");
const rehearsal = isRehearsal ? await startRehearsal() : null;

async function build(name: string, folder: string): Promise<string> {
  const program = join(programs, name);
  await run("go", ["build", "-o", program, folder], { cwd: root });
  return program;
}

/** One emulated AWS for all files; each file deploys its own stack. */
async function startRehearsal(): Promise<Program> {
  const program = await build("rehearse", "./internal/testkit/rehearse/run");
  const arch = (await run("go", ["env", "GOARCH"])).trim();
  const started = await start(
    program,
    ["-control", "-root", root, "-bootstraps", join(root, "build/lambda", arch)],
    /remote control at (http:\S+)\n/,
  );
  process.env.RURI_REHEARSAL = started.ready[1] ?? "";
  return started;
}

// The longest go first, so that no worker is left with one at the end.
const longest = ["screens", "screens-phone", "article", "keys", "offline", "first-run", "adding"];
const rank = (file: string) => {
  const at = longest.indexOf(file.replace(".test.ts", ""));
  return at < 0 ? longest.length : at;
};
const wanted = process.argv.slice(2);
const queue = globSync("**/*.test.ts", { cwd: import.meta.dirname })
  .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
  .filter((file) => wanted.length === 0 || wanted.some((name) => file.includes(name)));

interface Result {
  file: string;
  seconds: number;
  passed: number;
  failed: number;
  skipped: number;
}

const results: Result[] = [];
// A browser uses more than one core at times, and waits at others.
const workers = Math.min(queue.length, Math.max(2, availableParallelism()));
await Promise.all(Array.from({ length: workers }, runWorker));
await rehearsal?.stop();

for (const { seconds, file } of results.sort((a, b) => b.seconds - a.seconds).slice(0, 10))
  console.log(`slow ${seconds.toFixed(1).padStart(6)}s web/e2e/${file}`);
const sum = (of: (result: Result) => number) => results.reduce((n, one) => n + of(one), 0);
const failed = sum((one) => one.failed);
console.log(
  `${sum((one) => one.passed)} passed, ${failed} failed, ${sum((one) => one.skipped)} skipped`,
);
if (keepsScreenshots) console.log("screenshots: artifacts/e2e/screens");
process.exit(failed > 0 ? 1 : 0);

/** Runs files from the queue, one after the other, in one browser and on one installation. */
async function runWorker(): Promise<void> {
  const worker = await startWorker();
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const result = await runFile(file, JSON.stringify(await worker.share()));
    results.push(result);
  }
  await worker.close();
}

/** Prints one line for a file that passed, and the whole output of one that failed. */
async function runFile(file: string, shared: string): Promise<Result> {
  const began = performance.now();
  const tests = spawn(
    process.execPath,
    ["--test", "--test-reporter=spec", "--test-timeout=1800000", join(import.meta.dirname, file)],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, RURI_E2E_WORKER: shared } },
  );
  let output = "";
  const append = (data: Buffer) => {
    output += data;
  };
  tests.stdout.on("data", append);
  tests.stderr.on("data", append);
  const code = await new Promise<number | null>((resolve) => tests.on("close", resolve));
  const count = (word: string) =>
    Number(new RegExp(`^ℹ ${word} (\\d+)$`, "m").exec(output)?.[1] ?? 0);
  const result = {
    file,
    seconds: (performance.now() - began) / 1000,
    passed: count("pass"),
    failed: Math.max(count("fail") + count("cancelled"), code === 0 ? 0 : 1),
    skipped: count("skipped"),
  };
  const line = `${file} ${result.seconds.toFixed(1)} s (${result.passed} passed, ${result.skipped} skipped)`;
  console.log(result.failed === 0 ? `ok   ${line}` : `FAIL ${line}\n${output}`);
  for (const skip of result.failed === 0 ? output.matchAll(/^.*SKIPPED: .*$/gm) : [])
    console.log(skip[0]);
  return result;
}
