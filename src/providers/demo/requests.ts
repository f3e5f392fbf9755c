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

/** A longer message is no plain request, and the patterns would take their time with it. */
const LONGEST = 10_000;

/**
 * Instructions may stand before the prompt in the same message, as paragraphs of their own, so each rest of the message from the
 * start of a paragraph is tried, the longest first.
 */
export function understand(message: string): DemoRequest {
  if (message.length > LONGEST) return { kind: 'help' };
  const starts = [0, ...Array.from(message.matchAll(/\n\s*\n/g), (gap) => gap.index)];
  for (const start of starts) {
    const text = message.slice(start).trim().replace(POLITE, '');
    for (const read of READERS) {
      const request = read(text);
      if (request !== undefined) return request;
    }
  }
  return { kind: 'help' };
}

/** A regular expression put together from others, regardless of case. */
function pattern(parts: TemplateStringsArray, ...values: string[]): RegExp {
  return new RegExp(String.raw(parts, ...values), 'i');
}

const POLITE =
  /^(?:(?:please|kindly|now|then|next|just|ok|okay|hey|hi|hello|polyglav|demo|(?:can|could|would|will) you|i(?:'d| would) like you to|i want you to|let'?s)[\s,!:]+)+/i;

const QUOTED = String.raw`"[^"\n]*"|'[^'\n]*'|\`[^\`\n]*\``;
/** Quoted in any way, or without spaces. */
const NAME = String.raw`(?:${QUOTED}|[^\s"'\`,;:]+)`;
/** Quoted in any way, or any words. */
const WORDS = String.raw`(?:${QUOTED}|\S.*?)`;
/** Quoted, or with an ending or a slash: surely a file. */
const FILE = pattern`${QUOTED}|[\w@~.\-/\\]*[\w-]\.[a-z]\w{0,9}|[\w@~.-]+/[\w@~.\-/]+`;
const END = String.raw`\s*[.!?]?\s*$`;
/** What stands between the name of a new file and its content. */
const SAYS = String.raw`(?:that|which)\s+(?:says|contains|reads|has)|saying|containing|reading|with(?:\s+the)?(?:\s+(?:text|contents?|words?|line))?|and\s+(?:put|write)`;

type Reader = (text: string) => DemoRequest | undefined;

/** In this order: a prompt that reads a file in order to change it is a change. */
const READERS: Reader[] = [edit, create, longAnswer, sample, plan, run, search, list, read];

function edit(text: string): DemoRequest | undefined {
  const line = text.split('\n', 1)[0] ?? '';
  const match =
    pattern`\b(?:replace|change|swap)\s+(${WORDS})\s+(?:with|to|by|into|for)\s+(${WORDS})(?:\s+in(?:side)?\s+(?:the\s+)?(?:file\s+)?(${NAME}))?${END}`.exec(
      line,
    );
  if (match === null) return undefined;
  const [, old = '', replacement = '', named] = match;
  const path = named ?? FILE.exec(line.slice(0, match.index))?.[0];
  return path === undefined
    ? undefined
    : { kind: 'edit', path: bare(path), old: unquoted(old), new: unquoted(replacement) };
}

function create(text: string): DemoRequest | undefined {
  const made =
    pattern`^(?:create|make|write|add)\s+(?:me\s+)?(?:(?:a|an|the)\s+)?(?:new\s+)?(?:text\s+)?(?:file\s+)?(?:called\s+|named\s+)?(${NAME})(?:\s*:?\s*(?:${SAYS})\s*:?\s*([\s\S]+)|\s*:\s*([\s\S]+))?$`.exec(
      text,
    );
  if (made !== null && isFile(made[1]))
    return { kind: 'create', path: bare(made[1]), content: content(made[2] ?? made[3]) };
  const put =
    pattern`^(?:write|put|save)\s+(${WORDS})\s+(?:in|into|to)\s+(?:(?:a|the)\s+)?(?:new\s+)?(?:file\s+)?(${NAME})${END}`.exec(
      text,
    );
  return put !== null && isFile(put[2]) ? { kind: 'create', path: bare(put[2]), content: content(put[1]) } : undefined;
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
  const asked =
    /^(?:(?:make|write|create|draw up|work out)\s+(?:me\s+)?(?:a\s+|the\s+)?)?(?:plan|to-?do list)\b[\s:]*(?:(?:for|to|how to|of)\s+)?([\s\S]*?)[.!?\s]*$/i;
  const topic = asked.exec(text)?.[1];
  return topic === undefined ? undefined : { kind: 'plan', topic };
}

function run(text: string): DemoRequest | undefined {
  const match = /^(?:run|execute)\s+(?:(?:the\s+)?command\b[:\s]*)?(\S[\s\S]*)$/i.exec(text);
  if (match === null) return undefined;
  const command = unquoted((match[1] ?? '').trim());
  return { kind: 'run', command: /^(?:the\s+|all\s+)*tests?[.!]?$/i.test(command) ? 'npm test' : command };
}

function search(text: string): DemoRequest | undefined {
  const match =
    pattern`^(?:search|grep|look|find)\s+(?:for\s+)?(${WORDS})(?:\s+in\s+(?:the\s+)?(?:folder\s+|file\s+)?(${NAME}))?${END}`.exec(
      text,
    ) ?? pattern`^where\s+(?:is|are|do(?:es)?\s+we)\s+(${WORDS})(?:\s+(?:used|defined|declared))?${END}`.exec(text);
  if (match === null || /^(?:all\s+|the\s+)*files\b/i.test(match[1] ?? '')) return undefined;
  return { kind: 'search', pattern: unquoted(match[1] ?? ''), path: place(match[2]) };
}

function list(text: string): DemoRequest | undefined {
  if (!/^(?:list|ls)\b|^(?:show|what|which|find|give)\b.*\b(?:files|folders)\b/i.test(text)) return undefined;
  const within =
    pattern`\b(?:in|of|under)\s+(?:the\s+)?(?:folder\s+|directory\s+)?(${NAME})`.exec(text)?.[1] ??
    /^ls\s+(\S+)/i.exec(text)?.[1];
  return { kind: 'list', path: place(within), pattern: /(?:^|\s)[`"']?([^\s`"']*\*[^\s`"']*)/.exec(text)?.[1] };
}

function read(text: string): DemoRequest | undefined {
  const path =
    pattern`^(?:read|open|cat|show|view|print|display|summari[sz]e|explain|look\s+(?:at|into)|what(?:'s|\s+is)\s+in)\s+(?:me\s+)?(?:the\s+)?(?:contents?\s+of\s+)?(?:the\s+)?(?:file\s+)?(${NAME})`.exec(
      text,
    )?.[1];
  if (path === undefined || !(isFile(path) || /^(?:read|open|cat)\b/i.test(text))) return undefined;
  return { kind: 'read', path: bare(path) };
}

/** `README` and `Makefile` are files, too. */
function isFile(name: string | undefined): name is string {
  return name !== undefined && (FILE.test(name) || /^[A-Z][A-Za-z]*$/.test(name));
}

/** Words for "here" are no folder. */
function place(name: string | undefined): string | undefined {
  const path = name === undefined ? '' : bare(name);
  const here = /^(?:here|this|that|it|my|our|project|workspace|folder|directory|repo|repository|code|all|every)?$/i;
  return here.test(path) ? undefined : path;
}

function unquoted(text: string): string {
  return /^(["'`])([\s\S]*)\1[.!?]?$/.exec(text)?.[2] ?? text;
}

/** A name without quotes and without the dot of its sentence. */
function bare(name: string): string {
  return unquoted(name).replace(/(?<=.)[.!?]+$/, '');
}

function content(text: string | undefined): string {
  const given = (text ?? 'Hello from the demo model.').trim();
  return `${/^```[^\n]*\n([\s\S]*?)\n?```$/.exec(given)?.[1] ?? unquoted(given)}\n`;
}
