/** How much fits (X2). All figures are tokens unless they say characters. */

/** Assumed when nobody says how large the model's window is: small enough for most. */
const UNKNOWN_WINDOW = 32_768;
/** A rough figure for code and prose; outputs are cut and contexts estimated by it, nothing is billed by it. */
const CHARS_PER_TOKEN = 4;

/** The window less what is reserved for the answer: `max_output_tokens`, else the smaller of 8,192 and a quarter of the window. */
export function effectiveLimit(model: {
  context_window?: number | undefined;
  max_output_tokens?: number | undefined;
}): number {
  const window = model.context_window ?? UNKNOWN_WINDOW;
  return Math.max(1, window - (model.max_output_tokens ?? Math.min(8192, Math.floor(window / 4))));
}

/** How many tokens so many characters are, about. */
export function estimatedTokens(characters: number): number {
  return Math.ceil(characters / CHARS_PER_TOKEN);
}

/** Most characters of one tool output: a sixth of the effective limit (P1). */
export function outputLimitChars(limit: number): number {
  return Math.max(1000, Math.floor((limit / 6) * CHARS_PER_TOKEN));
}
