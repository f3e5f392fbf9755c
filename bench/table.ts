/** Rows of what was measured, with the bar that each must keep. */

export interface Row {
  what: string;
  measured: string;
  /** The slowest of a hundred, and of all. */
  p99?: string;
  max?: string;
  against: string;
  ratio?: number;
  /** Most that the ratio may be; without one, the row only tells. */
  bar?: number;
}

export function print(rows: readonly Row[]): void {
  const cells = rows.map(({ what, measured, p99 = '', max = '', against, ratio, bar }) => [
    what,
    measured,
    p99,
    max,
    against,
    ratio === undefined ? '' : ratio.toFixed(2),
    bar === undefined ? '' : `≤ ${bar}`,
    ratio === undefined || bar === undefined ? '' : ratio <= bar ? 'pass' : 'FAIL',
  ]);
  const all = [['', 'measured', 'p99', 'max', 'against', 'ratio', 'bar', ''], ...cells];
  const widths = [0, 1, 2, 3, 4, 5, 6, 7].map((column) =>
    Math.max(...all.map((row) => (row[column] as string).length)),
  );
  for (const row of all) console.log(row.map((cell, column) => cell.padEnd(widths[column] as number)).join('  '));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** `part` 0.99: what one of a hundred exceeds; 1: the largest. */
export function quantile(values: readonly number[], part: number): number {
  const place = Math.min(values.length - 1, Math.floor(values.length * part));
  return [...values].sort((a, b) => a - b)[place] ?? Number.NaN;
}

/** Milliseconds of one run of `work`. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export function ms(milliseconds: number): string {
  return milliseconds >= 1000 ? `${(milliseconds / 1000).toFixed(2)} s` : `${milliseconds.toFixed(2)} ms`;
}

export function size(bytes: number): string {
  return bytes >= 1e6
    ? `${(bytes / 1e6).toFixed(1)} MB`
    : bytes >= 1e3
      ? `${(bytes / 1e3).toFixed(1)} kB`
      : `${bytes} B`;
}
