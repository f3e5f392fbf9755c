/** What a run of tests leaves for `npm test` to add up. */
export interface Results {
  passed: number;
  failed: number;
  skipped: number;
  failures: { title: string; reason: string }[];
}
