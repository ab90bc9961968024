/** Some measurements in a word: half of them are at most the median. */
export function spread(all: readonly number[], unit = "ms"): string {
  const at = (share: number) => quantile(all, share).toFixed(1);
  return `median ${at(0.5)}, p95 ${at(0.95)}, most ${at(1)} ${unit} (of ${all.length})`;
}

export function quantile(all: readonly number[], share: number): number {
  const sorted = [...all].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export function row(name: string, figure: string): void {
  console.log(`  ${name.padEnd(46)} ${figure}`);
}

export function heading(text: string): void {
  console.log(`\n${text}`);
}
