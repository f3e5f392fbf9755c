import { createHash } from 'node:crypto';

/** `sha256:<hex>` of a file's bytes, as the record keeps it (R2). */
export function contentHash(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
