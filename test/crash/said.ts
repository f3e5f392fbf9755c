/** What a child of the crash tests says, a line of JSON each. */
export type Said =
  | { acknowledged: { path: (string | number)[]; value: unknown } }
  | { opened: number }
  | { answered: number }
  | { closed: true }
  | { held: string }
  | { failed: string };
