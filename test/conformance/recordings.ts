/** The recorded answers of real providers, which stand outside the project in the folder that POLYGLAV_RECORDINGS names. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

export interface ExpectedText {
  length: number;
  sha256: string;
}

export interface Recording {
  file: string;
  kind: 'stream' | 'nonstream' | 'error';
  provider: string;
  api: string;
  status: number;
  headers?: Record<string, string>;
  request?: { model?: string };
  accepted_followup?: { appended: Record<string, unknown>[] };
  expect: {
    text: ExpectedText;
    reasoning: ExpectedText;
    refusal: string | null;
    tool_calls: { id: string; name: string; arguments_raw: string }[];
    finish_reason: string | null;
    usage: Record<string, number | null> | null;
    reasoning_details_merged?: Record<string, unknown>[];
    error: {
      class?: string;
      message: string;
      code?: string | number | null;
      status_code?: number;
    } | null;
    retry_after?: string | null;
    retry_after_ms?: string | null;
  };
}

/** How many recordings these tests would replay; kept here so that a run without them can say what it leaves out. */
export const EXPECTED_RECORDINGS = 75;

export const folder = process.env['POLYGLAV_RECORDINGS'] || undefined;

export function recordings(from: string): Recording[] {
  const index = JSON.parse(readFileSync(path.join(from, 'index.json'), 'utf8')) as { files: Recording[] };
  return index.files;
}

export function bytesOf(from: string, recording: Recording): Uint8Array {
  return new Uint8Array(readFileSync(path.join(from, recording.file)));
}

export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
