/** Careful looks into JSON that somebody else wrote: what has another shape than expected reads as absent, never as an exception. */

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectAt(value: unknown): Json {
  return isObject(value) ? value : {};
}

export function listAt(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textAt(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function numberAt(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Whether the text is one whole JSON value. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
