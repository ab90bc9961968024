import type { BrowserContext } from "playwright-core";

/** A recording without a sound, of some seconds. */
function silence(seconds: number): Buffer {
  const data = Buffer.alloc(8_000 * seconds, 128);
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(8_000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

/** Answers for the recordings of the publisher's feeds. */
export async function stubSound(context: BrowserContext, seconds: number): Promise<void> {
  const sound = silence(seconds);
  await context.route("https://sounds.example/**", (route) => {
    // Without ranges a browser does not move about in a recording.
    const from = Number(/bytes=(\d+)/.exec(route.request().headers().range ?? "")?.[1] ?? 0);
    return route.fulfill({
      status: 206,
      headers: {
        "Content-Type": "audio/wav",
        "Accept-Ranges": "bytes",
        "Content-Range": `bytes ${from}-${sound.length - 1}/${sound.length}`,
      },
      body: sound.subarray(from),
    });
  });
}
