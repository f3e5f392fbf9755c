/**
 * Bytes of a file as text, and back to the same bytes. Encoding and byte-order mark belong to the file: they are kept, and the
 * model never sees a mark as text (P1).
 */
import { isUtf8 } from 'node:buffer';

export interface FileText {
  /** Without the byte-order mark. */
  text: string;
  encoding: 'utf-8' | 'utf-16le' | 'utf-16be';
  bom: boolean;
  /** Some bytes are no UTF-8 and stand as U+FFFD: good for reading, but it must not be written back. */
  lossy: boolean;
}

/** The file is no text. The message completes "… is": `a PNG image`. */
export class NotTextError extends Error {
  override readonly name = 'NotTextError';
}

const MARKS = [
  { encoding: 'utf-8', mark: [0xef, 0xbb, 0xbf] },
  { encoding: 'utf-16le', mark: [0xff, 0xfe] },
  { encoding: 'utf-16be', mark: [0xfe, 0xff] },
] as const;

/** UTF-8 with or without a mark, UTF-16 with one. Throws {@link NotTextError} for anything that is no text. */
export function decodeText(bytes: Uint8Array): FileText {
  if (startsWith(bytes, [...Buffer.from('%PDF-')])) throw new NotTextError('a PDF document');
  const marked = MARKS.find(({ mark }) => startsWith(bytes, mark));
  const { encoding, mark } = marked ?? { encoding: 'utf-8' as const, mark: [] };
  const body = Buffer.from(bytes.subarray(mark.length));
  const text = encoding === 'utf-8' ? body.toString('utf8') : decodeUtf16(body, encoding);
  if (text.includes('\0')) throw new NotTextError(binaryKind(bytes));
  const lossy = encoding === 'utf-8' && !isUtf8(body);
  if (lossy && text.split('\uFFFD').length - 1 > text.length * MOST_UNDECODABLE)
    throw new NotTextError(binaryKind(bytes));
  return { text, encoding, bom: marked !== undefined, lossy };
}

/** What is not written, since it would be no text to any tool afterwards: says so to the model, or nothing. */
export function faultOf(text: string, name: string): string | undefined {
  if (!text.includes('\0')) return undefined;
  return `The text (${name}) has a NUL character in it, which makes a file binary. Leave it out, or make such a file by a command; nothing was written.`;
}

/** The bytes of a text in the encoding of `like`, with its mark if it has one. */
export function encodeText(text: string, like: Pick<FileText, 'encoding' | 'bom'>): Buffer {
  const marked = like.bom ? `\uFEFF${text}` : text;
  if (like.encoding === 'utf-8') return Buffer.from(marked, 'utf8');
  const bytes = Buffer.from(marked, 'utf16le');
  return like.encoding === 'utf-16be' ? bytes.swap16() : bytes;
}

/** Beyond this share of undecodable characters a file is no text in some other encoding, but data. */
const MOST_UNDECODABLE = 0.3;

function decodeUtf16(body: Buffer, encoding: 'utf-16le' | 'utf-16be'): string {
  if (body.length % 2 === 1) throw new NotTextError('broken UTF-16 text (an odd number of bytes)');
  const text = (encoding === 'utf-16be' ? Buffer.from(body).swap16() : body).toString('utf16le');
  if (/\p{Surrogate}/u.test(text)) throw new NotTextError('broken UTF-16 text (with halves of characters)');
  return text;
}

const KINDS: readonly (readonly [kind: string, start: readonly number[]])[] = [
  ['a PNG image', [0x89, 0x50, 0x4e, 0x47]],
  ['a JPEG image', [0xff, 0xd8, 0xff]],
  ['a GIF image', [0x47, 0x49, 0x46, 0x38]],
  ['a zip archive', [0x50, 0x4b, 0x03, 0x04]],
  ['a gzip archive', [0x1f, 0x8b]],
  ['a program (ELF)', [0x7f, 0x45, 0x4c, 0x46]],
  ['a program (Mach-O)', [0xcf, 0xfa, 0xed, 0xfe]],
  ['a program (Windows)', [0x4d, 0x5a]],
];

function binaryKind(bytes: Uint8Array): string {
  return KINDS.find(([, start]) => startsWith(bytes, start))?.[0] ?? 'a binary file';
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, at) => bytes[at] === byte);
}
