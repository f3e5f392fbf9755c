import type { Message } from '../../src/providers/provider.ts';

/**
 * What the strictest provider would refuse about a conversation, each with its place; empty when nothing: a system message
 * first and nowhere else, a user's message next, roles that alternate with the results of calls in between, no message without
 * content, each call with a name of its own and exactly one result right behind it, arguments that are a JSON object, no half
 * of a character, and of provider data only the provider's own.
 */
export function faultsOf(messages: readonly Message[], provider?: string): string[] {
  return [
    ...sequenceFaults(messages),
    ...messages.flatMap((message, at) => contentFaults(message, `messages[${at}]`, provider)),
  ];
}

/** What else a request must keep to: somebody waits for an answer. */
export function requestFaults(messages: readonly Message[], provider?: string): string[] {
  const last = messages.at(-1)?.role;
  return [
    ...faultsOf(messages, provider),
    ...(last === 'user' || last === 'tool' ? [] : [`ends with the role ${last ?? 'nothing'}`]),
  ];
}

function sequenceFaults(messages: readonly Message[]): string[] {
  const faults: string[] = [];
  const ids = new Set<string>();
  let open: { id: string; name: string }[] = [];
  for (const [position, message] of messages.entries()) {
    const at = `messages[${position}]`;
    const previous = messages[position - 1]?.role;
    if (message.role === 'tool') {
      const call = open.shift();
      if (call?.id !== message.call_id || call.name !== message.name)
        faults.push(`${at}: result of ${message.call_id} where ${call?.id ?? 'none'} is due`);
      continue;
    }
    if (open.length > 0) faults.push(`${at}: ${open.length} calls before it have no result`);
    open = [];
    if (message.role === 'system' ? position !== 0 : position === 0)
      faults.push(`${at}: ${message.role} stands ${position === 0 ? 'first' : 'later'}`);
    if (message.role === 'user' && previous !== 'system' && previous !== 'assistant')
      faults.push(`${at}: user after ${previous}`);
    if (message.role === 'assistant') {
      if (previous !== 'user' && previous !== 'tool') faults.push(`${at}: assistant after ${previous}`);
      open = [...(message.calls ?? [])];
      for (const { id } of open) {
        if (ids.has(id)) faults.push(`${at}: the id ${id} is used twice`);
        ids.add(id);
      }
    }
  }
  if (open.length > 0) faults.push(`the last ${open.length} calls have no result`);
  return faults;
}

function contentFaults(message: Message, at: string, provider: string | undefined): string[] {
  const faults: string[] = [];
  const isEmpty = message.content.trim() === '';
  if (message.role === 'assistant') {
    const { calls, thinking = [] } = message;
    if (isEmpty && calls === undefined) faults.push(`${at}: neither text nor calls`);
    if (calls?.length === 0) faults.push(`${at}: an empty list of calls`);
    for (const call of calls ?? [])
      if (call.id === '' || !isJsonObject(call.arguments)) faults.push(`${at}: call ${JSON.stringify(call)}`);
    const owners = [...thinking, ...(calls ?? [])].map((each) => each.data).filter((each) => each !== undefined);
    for (const owner of owners)
      if (provider !== undefined && owner['provider'] !== provider)
        faults.push(`${at}: data of ${String(owner['provider'])}`);
  } else if (isEmpty && message.role !== 'tool') faults.push(`${at}: empty`);
  // A lone surrogate is what JSON.stringify writes as an escape.
  if (/(^|[^\\])(\\\\)*\\ud[89a-f]/i.test(JSON.stringify(message))) faults.push(`${at}: half of a character`);
  return faults;
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
