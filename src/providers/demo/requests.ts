/** What the demo model understands of a prompt: a handful of plain requests in plain words. Anything else is `help`. */

export type DemoRequest =
  | { kind: 'list'; path: string | undefined; pattern: string | undefined }
  | { kind: 'read'; path: string }
  | { kind: 'search'; pattern: string; path: string | undefined }
  | { kind: 'create'; path: string; content: string }
  | { kind: 'edit'; path: string; old: string; new: string }
  | { kind: 'run'; command: string }
  | { kind: 'plan'; topic: string }
  | { kind: 'long' }
  | { kind: 'sample' }
  | { kind: 'help' };

/**
 * Instructions may stand before the prompt in the same message, as paragraphs of their own, so each rest of the message from the
 * start of a paragraph is tried, the longest first.
 */
export function understand(message: string): DemoRequest {
  for (let from = 0; from !== -1;) {
    const text = message.slice(from).trim();
    const request = READERS.map((read) => read(text.replace(POLITE, ''))).find((found) => found !== undefined);
    if (request !== undefined) return request;
    const next = /\n\s*\n/g;
    next.lastIndex = from;
    from = next.test(message) ? next.lastIndex : -1;
  }
  return { kind: 'help' };
}

const POLITE =
  /^(?:(?:please|kindly|now|then|next|just|ok|okay|hey|hi|hello|polyglav|demo|(?:can|could|would|will) you|i(?:'d| would) like you to|i want you to|let'?s)[\s,!:]+)+/i;

/** Quoted in any way, or without spaces. */
const NAME = String.raw`(?:"[^"\n]+"|'[^'\n]+'|\`[^\`\n]+\`|[^\s"'\`,;:]+)`;
/** Quoted in any way, or any words. */
const WORDS = String.raw`(?:"[^"\n]*"|'[^'\n]*'|\`[^\`\n]*\`|\S.*?)`;
/** What ends with a dot and letters, or has a slash: surely a file. */
const FILE = /(?:"[^"\n]+"|'[^'\n]+'|`[^`\n]+`|[\w@~.\-/\\]*[\w-]\.[A-Za-z]\w{0,9}|[\w@~.-]+\/[\w@~.\-/]+)/;
const END = String.raw`\s*[.!?]?\s*$`;

type Reader = (text: string) => DemoRequest | undefined;

/** In this order: a prompt that reads a file in order to change it is a change. */
const READERS: Reader[] = [edit, create, longAnswer, sample, plan, run, search, list, read];

function edit(text: string): DemoRequest | undefined {
  const change = pattern(
    `\\b(?:replace|change|swap)\\s+(${WORDS})\\s+(?:with|to|by|into|for)\\s+(${WORDS})(?:\\s+in(?:side)?\\s+(?:the\\s+)?(?:file\\s+)?(${NAME}))?${END}`,
  );
  const firstLine = text.split('\n', 1)[0] ?? '';
  const match = change.exec(firstLine);
  if (match === null) return undefined;
  const [, old = '', replacement = '', named] = match;
  const path = named ?? FILE.exec(firstLine.slice(0, match.index))?.[0];
  return path === undefined
    ? undefined
    : { kind: 'edit', path: bare(path), old: unquoted(old), new: unquoted(replacement) };
}

function create(text: string): DemoRequest | undefined {
  const says =
    '(?:(?:that|which)\\s+(?:says|contains|reads|has)|saying|containing|reading|with(?:\\s+the)?(?:\\s+(?:text|contents?|words?|line))?|and\\s+(?:put|write))';
  const file = '(?:me\\s+)?(?:(?:a|an|the)\\s+)?(?:new\\s+)?(?:text\\s+)?(?:file\\s+)?(?:called\\s+|named\\s+)?';
  const made = pattern(
    `^(?:create|make|write|add)\\s+${file}(${NAME})(?:\\s*:?\\s*${says}\\s*:?\\s*([\\s\\S]+)|\\s*:\\s*([\\s\\S]+))?$`,
  ).exec(text);
  if (made !== null && isFile(made[1] ?? ''))
    return { kind: 'create', path: bare(made[1] ?? ''), content: content(made[2] ?? made[3]) };
  const put = pattern(
    `^(?:write|put|save)\\s+(${WORDS})\\s+(?:in|into|to)\\s+(?:(?:a|the)\\s+)?(?:new\\s+)?(?:file\\s+)?(${NAME})${END}`,
  ).exec(text);
  return put !== null && isFile(put[2] ?? '')
    ? { kind: 'create', path: bare(put[2] ?? ''), content: content(put[1]) }
    : undefined;
}

function longAnswer(text: string): DemoRequest | undefined {
  return /\b(?:long|lengthy)\s+(?:answer|text|reply|response|story|message)\b/i.test(text)
    ? { kind: 'long' }
    : undefined;
}

function sample(text: string): DemoRequest | undefined {
  const asked =
    /\b(?:code|markdown)\s+(?:sample|example)s?\b|\b(?:sample|example|some)\s+(?:of\s+)?(?:code|markdown)\b/i;
  return asked.test(text) ? { kind: 'sample' } : undefined;
}

function plan(text: string): DemoRequest | undefined {
  const match =
    /^(?:(?:make|write|create|draw up|work out)\s+(?:me\s+)?(?:a\s+|the\s+)?)?(?:plan|to-?do list)\b[\s:]*([\s\S]*)$/i.exec(
      text,
    );
  return match === null
    ? undefined
    : { kind: 'plan', topic: (match[1] ?? '').replace(/^(?:for|to|how to|of)\s+/i, '').replace(/[.!?\s]+$/, '') };
}

function run(text: string): DemoRequest | undefined {
  const match = /^(?:run|execute)\s+(?:the\s+command\s+|command\s+)?[:\s]*(\S[\s\S]*)$/i.exec(text);
  if (match === null) return undefined;
  const command = unquoted((match[1] ?? '').trim());
  return { kind: 'run', command: /^(?:the\s+|all\s+)*tests?[.!]?$/i.test(command) ? 'npm test' : command };
}

function search(text: string): DemoRequest | undefined {
  const match =
    pattern(
      `^(?:search|grep|look|find)\\s+(?:for\\s+)?(${WORDS})(?:\\s+in\\s+(?:the\\s+)?(?:folder\\s+|file\\s+)?(${NAME}))?${END}`,
    ).exec(text) ??
    pattern(`^where\\s+(?:is|are|do(?:es)?\\s+we)\\s+(${WORDS})(?:\\s+(?:used|defined|declared))?${END}`).exec(text);
  if (match === null || /^(?:all\s+|the\s+)*files\b/i.test(match[1] ?? '')) return undefined;
  return { kind: 'search', pattern: unquoted(match[1] ?? ''), path: place(match[2]) };
}

function list(text: string): DemoRequest | undefined {
  if (!/^(?:list|ls)\b|^(?:show|what|which|find|give)\b.*\b(?:files|folders)\b/i.test(text)) return undefined;
  const within =
    pattern(`\\b(?:in|of|under)\\s+(?:the\\s+)?(?:folder\\s+|directory\\s+)?(${NAME})`).exec(text)?.[1] ??
    /^ls\s+(\S+)/i.exec(text)?.[1];
  return { kind: 'list', path: place(within), pattern: /(?:^|\s)[`"']?([^\s`"']*\*[^\s`"']*)/.exec(text)?.[1] };
}

function read(text: string): DemoRequest | undefined {
  const verb =
    "(?:read|open|cat|show|view|print|display|summari[sz]e|explain|look\\s+(?:at|into)|what(?:'s|\\s+is)\\s+in)";
  const match = pattern(
    `^${verb}\\s+(?:me\\s+)?(?:the\\s+)?(?:contents?\\s+of\\s+)?(?:the\\s+)?(?:file\\s+)?(${NAME})`,
  ).exec(text);
  const path = match?.[1];
  return path !== undefined && (isFile(path) || /^(?:read|open|cat)\b/i.test(text))
    ? { kind: 'read', path: bare(path) }
    : undefined;
}

function pattern(source: string): RegExp {
  return new RegExp(source, 'i');
}

function isFile(name: string): boolean {
  return FILE.test(name) || /^[A-Z][A-Za-z]*(?:file|FILE)?$/.test(name);
}

/** Words for "here" are no folder. */
function place(name: string | undefined): string | undefined {
  const path = name === undefined ? undefined : bare(name);
  return path === undefined ||
    /^(?:here|this|that|it|my|our|project|workspace|folder|directory|repo|repository|code|all|every)$/i.test(path)
    ? undefined
    : path;
}

function unquoted(text: string): string {
  return /^(["'`])([\s\S]*)\1[.!?]?$/.exec(text)?.[2] ?? text;
}

/** A name without quotes and without the dot of its sentence. */
function bare(name: string): string {
  return unquoted(name).replace(/(?<=.)[.!?]+$/, '');
}

function content(text: string | undefined): string {
  const inner = unquoted((text ?? 'Hello from the demo model.').trim());
  return `${/^```[^\n]*\n([\s\S]*?)\n?```$/.exec(inner)?.[1] ?? inner}\n`;
}
