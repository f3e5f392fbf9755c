/** What outlives the window: small values of JSON by key. */
export interface Memory {
  keys(): readonly string[];
  /** A value can be read back as soon as `update` was called. */
  get(key: string): unknown;
  /** Undefined forgets. */
  update(key: string, value: unknown): Thenable<void>;
}
