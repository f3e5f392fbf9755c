/** Session names and ids (R3, R4): mint, parse and check. */
import { customAlphabet } from 'nanoid';

import { spelled, UNSEEN } from './visible.ts';

export type SessionKind = 'ses' | 'sub' | 'job';

const ID_LENGTH = 6;
const randomId = customAlphabet('0123456789abcdefghijklmnopqrstuvwxyz', ID_LENGTH);
const GENERATED = /^(ses|sub|job)_\d{8}_\d{6}_([0-9a-z]{6})$/;

/** At least one letter, so that `#<digits>` is always a run number. */
function mintId(): string {
  for (;;) {
    const id = randomId();
    if (/[a-z]/.test(id)) return id;
  }
}

/** `ses_20260817_120000_ab12cd`, from the UTC time `at`. */
export function mintName(kind: SessionKind, at = new Date()): { name: string; id: string } {
  const [date, time] = at.toISOString().slice(0, 19).replaceAll('-', '').replaceAll(':', '').split('T');
  const id = mintId();
  return { name: `${kind}_${date}_${time}_${id}`, id };
}

/** The kind and id that a generated name carries; undefined for an explicit one (`notes_ab12cd` has no id). */
export function parseName(name: string): { kind: SessionKind; id: string } | undefined {
  const match = GENERATED.exec(name);
  return match === null ? undefined : { kind: match[1] as SessionKind, id: match[2] as string };
}

const MAX_BYTES = 120;
const RESERVED = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$) *(\.|$)/i;

/**
 * Why a name that a person gave is refused, and what would be accepted; undefined when it is fine. The same on every
 * system, because a workspace moves between them.
 */
export function checkName(name: string): string | undefined {
  const accepted = 'Use letters, digits, spaces, "-", "_" and "." (not first or last), at most 120 bytes.';
  const refuse = (why: string) => `The session name ${quote(name)} ${why}. ${accepted}`;
  if (name === '') return `A session name cannot be empty. ${accepted}`;
  if (name !== name.normalize('NFC')) return refuse('is not in Unicode form NFC');
  if (!name.isWellFormed()) return refuse('holds half of a character');
  if (Buffer.byteLength(name) > MAX_BYTES) return refuse(`is ${Buffer.byteLength(name)} bytes long`);
  if (/[\\/]/.test(name)) return refuse('holds a path separator');
  if (/%[0-9a-f]{2}/i.test(name)) return refuse('holds "%" with two hex digits, which can stand for a path separator');
  if (UNSEEN.test(name)) return refuse('holds a control or invisible character');
  if (/[<>:"|?*]/.test(name)) return refuse('holds a character that Windows file names cannot have (< > : " | ? *)');
  if (name.startsWith('.')) return refuse('begins with a dot');
  if (/^\s|[.\s]$/.test(name)) return refuse('begins with a space or ends with a dot or a space');
  if (name.startsWith('#')) return refuse('begins with "#", which stands for an id');
  if (name.startsWith('-')) return refuse('begins with "-", which stands for an option');
  if (RESERVED.test(name)) return refuse('is a device name on Windows');
  return undefined;
}

/** For an error text: what is unseen, and may be the reason, is spelled out; long names are cut at a code point. */
function quote(name: string): string {
  const points = [...name.toWellFormed()];
  const shown = JSON.stringify(points.length > 60 ? `${points.slice(0, 60).join('')}…` : points.join(''));
  return shown.replace(new RegExp(UNSEEN, 'gu'), spelled);
}
