/**
 * Joins the tool calls of one streamed answer. Servers differ in all of it: `index` counts, is text, is missing, begins anywhere
 * or is the same for every call; ids and names come once, in each delta or as ""; arguments come whole or in pieces (T2).
 */
import { isJson, isObject, listAt, textAt, type Json } from './json.ts';
import type { StreamedCall } from './provider.ts';

interface OpenCall {
  index: number | undefined;
  id: string;
  name: string;
  arguments: string;
  /** Google's signature of the thought behind the call, which must come back with it. */
  extra_content: unknown;
}

export class CallMerge {
  readonly #calls: OpenCall[] = [];

  /** Takes the `tool_calls` of one delta. */
  push(deltas: unknown): void {
    for (const delta of listAt(deltas)) {
      if (!isObject(delta)) continue;
      const call = this.#callOf(delta);
      const piece = pieceOf(delta);
      call.id ||= piece.id;
      call.name ||= piece.name;
      call.arguments += piece.arguments;
      call.extra_content ??= delta['extra_content'];
    }
  }

  /** In the order in which they began. An id that an earlier call of the same answer has is none. */
  calls(): StreamedCall[] {
    const ids = new Set(['']);
    return this.#calls
      .filter((call) => call.name !== '' || call.arguments !== '')
      .map((call) => {
        const id = ids.has(call.id) ? null : call.id;
        ids.add(call.id);
        return {
          id,
          name: call.name,
          arguments: call.arguments,
          ...(call.extra_content == null ? {} : { data: { extra_content: call.extra_content } }),
        };
      });
  }

  #callOf(delta: Json): OpenCall {
    const index = indexOf(delta['index']);
    const piece = pieceOf(delta);
    const known = this.#continued(index, piece);
    if (known !== undefined && !beginsAnother(known, piece)) return known;
    const call: OpenCall = { index, id: '', name: '', arguments: '', extra_content: undefined };
    this.#calls.push(call);
    return call;
  }

  /** By index, else by id, else the last one: a piece without a name always continues something. */
  #continued(index: number | undefined, piece: Piece): OpenCall | undefined {
    const sameIndex = index === undefined ? undefined : this.#calls.findLast((call) => call.index === index);
    if (sameIndex !== undefined || (index !== undefined && piece.name !== '')) return sameIndex;
    const sameId = piece.id === '' ? undefined : this.#calls.findLast((call) => call.id === piece.id);
    return sameId ?? (piece.id === '' || piece.name === '' ? this.#calls.at(-1) : undefined);
  }
}

type Piece = Pick<OpenCall, 'id' | 'name' | 'arguments'>;

/** A piece with a name that cannot belong to `call`: it is another call at the same place. */
function beginsAnother(call: OpenCall, piece: Piece): boolean {
  if (piece.name === '' || call.name === '') return false;
  if (piece.id !== '' && call.id !== '') return piece.id !== call.id;
  return piece.name !== call.name || (piece.arguments !== '' && isJson(call.arguments));
}

function pieceOf(delta: Json): Piece {
  const fn = isObject(delta['function']) ? delta['function'] : {};
  const args = fn['arguments'];
  return {
    id: textAt(delta['id']),
    name: textAt(fn['name']),
    // An object in one piece, as Ollama's own protocol has it.
    arguments: isObject(args) ? JSON.stringify(args) : textAt(args),
  };
}

function indexOf(value: unknown): number | undefined {
  const index = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 ? index : undefined;
}
