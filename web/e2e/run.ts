// Runs the browser tests: real Chromium, the real program, a publisher on the loopback. RURI_HOME=rehearsal runs the
// same tests in the other home: the template deployed onto emulated AWS, with the functions' real bootstraps.
import { spawn } from "node:child_process";
import { existsSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findChromium, home, root, ruriBinary } from "./harness/places.ts";
import { type Program, run, start } from "./harness/process.ts";

if (!findChromium()) {
  console.log(
    "SKIPPED: the browser tests: no Chromium is installed (Debian: apt-get install chromium)",
  );
  process.exit(0);
}
if (home === "machine" && !existsSync(ruriBinary)) {
  console.error(`${ruriBinary} is not there: run make build, or name another in RURI_BIN`);
  process.exit(1);
}

const workshop = mkdtempSync(join(tmpdir(), "ruri-e2e-bin-"));
process.on("exit", () => rmSync(workshop, { recursive: true, force: true }));
const publisher = process.env.RURI_PUBLISHER ?? join(workshop, "publisher");
if (!process.env.RURI_PUBLISHER) {
  await run("go", ["build", "-o", publisher, "./internal/testkit/publisher"], { cwd: root });
}

// The rehearsal: one emulated AWS for all files; each deploys a stack of its own.
let rehearsal: Program | null = null;
if (home === "rehearsal") {
  const program = join(workshop, "rehearse");
  await run("go", ["build", "-o", program, "./internal/testkit/rehearse/run"], { cwd: root });
  const arch = (await run("go", ["env", "GOARCH"])).trim();
  rehearsal = await start(
    program,
    ["-control", "-lint=false", "-root", root, "-bootstraps", join(root, "build/lambda", arch)],
    /remote control at (http:\S+)\n/,
  );
  console.log("The browser tests, in the rehearsed cloud:");
}

// Names on the command line choose files: `run.ts reading` runs reading.test.ts alone.
const wanted = process.argv.slice(2);
const files = globSync("**/*.test.ts", { cwd: import.meta.dirname })
  .sort()
  .filter((file) => wanted.length === 0 || wanted.some((name) => file.includes(name)))
  .map((file) => join(import.meta.dirname, file));
const tests = spawn(
  process.execPath,
  ["--test", "--test-reporter=spec", "--test-concurrency=2", "--test-timeout=600000", ...files],
  {
    stdio: "inherit",
    env: {
      ...process.env,
      RURI_PUBLISHER: publisher,
      ...(rehearsal ? { RURI_REHEARSAL: rehearsal.ready[1] } : {}),
    },
  },
);
tests.on("exit", async (code) => {
  process.exitCode = code ?? 1;
  await rehearsal?.stop();
});
