/**
 * What the demo model does next: a pure function of the prompt and of what became of its calls so far. It calls only tools that
 * are offered, and its closing words quote what the tools answered, whether they did it, failed or were not allowed to.
 */
import { understand, type DemoRequest } from './requests.ts';
import { HELP, longAnswer, SAMPLE } from './texts.ts';

export interface Conversation {
  prompt: string;
  /** In the order of the calls made since the prompt. */
  outcomes: Outcome[];
  /** Names of the tools on offer. */
  tools: ReadonlySet<string>;
}

export interface Outcome {
  tool: string;
  output: string;
}

interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

export interface Step {
  thinking: string;
  text: string;
  calls: Call[];
}

/** One kind of request, played out. */
interface Play {
  thinking: string;
  /** What to call after `done`; undefined when nothing is left to do. */
  next(done: readonly Outcome[]): Call | undefined;
  /** Said before the first call. */
  opening: string;
  closing(done: readonly Outcome[]): string;
}

export function demoStep({ prompt, outcomes, tools }: Conversation): Step {
  const play = playOf(understand(prompt), tools);
  const call = play.next(outcomes);
  if (call === undefined)
    return {
      thinking: outcomes.length === 0 ? play.thinking : 'The tools have answered, so I can say how it went.',
      text: play.closing(outcomes),
      calls: [],
    };
  if (!tools.has(call.name))
    return {
      thinking: `I would need ${call.name}, which is not on offer.`,
      text: notOffered(call.name, tools),
      calls: [],
    };
  return {
    thinking: outcomes.length === 0 ? play.thinking : `Next I call ${call.name}.`,
    text: outcomes.length === 0 ? play.opening : '',
    calls: [call],
  };
}

function playOf(request: DemoRequest, tools: ReadonlySet<string>): Play {
  switch (request.kind) {
    case 'list':
      return oneCall(
        { name: 'file_list', arguments: given({ path: request.path, pattern: request.pattern }) },
        'The person wants to see which files there are. file_list tells.',
        'I look which files there are.',
      );
    case 'read':
      return oneCall(
        { name: 'file_read', arguments: { path: request.path } },
        `The person asks about ${request.path}, so I read it.`,
        `I read \`${request.path}\`.`,
      );
    case 'search':
      return oneCall(
        { name: 'file_search', arguments: given({ pattern: request.pattern, path: request.path }) },
        `The person looks for "${request.pattern}". Searching beats guessing.`,
        `I search for \`${request.pattern}\`.`,
      );
    case 'create':
      return oneCall(
        { name: 'file_write', arguments: { path: request.path, content: request.content } },
        `A new file, ${request.path}, with the text that was given. Writing may need permission.`,
        `I write \`${request.path}\`.`,
      );
    case 'run':
      return oneCall(
        { name: 'run_command', arguments: { command: request.command } },
        `The person wants "${request.command}" to be run. That may need permission.`,
        `I run \`${request.command}\`.`,
      );
    case 'edit':
      return editPlay(request);
    case 'plan':
      return planPlay(request.topic, tools);
    case 'long':
      return saying('A long answer is wanted: I go through the numbers and say something true of each.', longAnswer());
    case 'sample':
      return saying('I show what an answer can hold: code, a list, a table, a quotation.', SAMPLE);
    case 'help':
      return saying('This is none of the requests that I understand, so I say what I am and what I can do.', HELP);
  }
}

function saying(thinking: string, text: string): Play {
  return { thinking, opening: '', next: () => undefined, closing: () => text };
}

function oneCall(call: Call, thinking: string, opening: string): Play {
  return { thinking, opening, next: (done) => (done.length === 0 ? call : undefined), closing: report };
}

function editPlay({ path, old, new: replacement }: Extract<DemoRequest, { kind: 'edit' }>): Play {
  const times = (text: string) => text.split(old).length - 1;
  return {
    thinking: `I am to change "${old}" to "${replacement}" in ${path}. First I read the file, to be sure that it is there.`,
    opening: `I read \`${path}\` first, then I change it.`,
    next(done) {
      if (done.length === 0) return { name: 'file_read', arguments: { path } };
      const found = times(done[0]?.output ?? '');
      if (done.length > 1 || found === 0) return undefined;
      return { name: 'file_edit', arguments: { path, old, new: replacement, ...(found > 1 ? { all: true } : {}) } };
    },
    closing: (done) =>
      done.length > 1
        ? report(done)
        : `I changed nothing: I do not see \`${old}\` in what \`file_read\` answered for \`${path}\`.\n\n${quote(done[0]?.output ?? '')}`,
  };
}

function planPlay(topic: string, tools: ReadonlySet<string>): Play {
  const subject = topic === '' ? 'a first look at this folder' : topic;
  const steps = ['See which files there are', 'Read the one that says most', `Sum up what it means for: ${subject}`];
  const todos = (at: number): Call => ({
    name: 'todo_write',
    arguments: {
      todos: steps.map((text, step) => ({
        text,
        status: step < at ? 'done' : step === at ? 'in_progress' : 'pending',
      })),
    },
  });
  const outputOf = (done: readonly Outcome[], tool: string) =>
    done.find((outcome) => outcome.tool === tool)?.output ?? '';
  return {
    thinking: `A plan is wanted for ${subject}. I write it down as a list and then work through it.`,
    opening: `Here is my plan for ${subject}; I keep it as a list of todos and work through it.`,
    next(done) {
      const file = tellingFile(outputOf(done, 'file_list'));
      const calls: Call[] = [
        todos(0),
        { name: 'file_list', arguments: {} },
        todos(1),
        ...(file === undefined ? [] : [{ name: 'file_read', arguments: { path: file } }]),
        todos(2),
        todos(3),
      ];
      return calls.filter(({ name }) => tools.has(name))[done.length];
    },
    closing(done) {
      const listed = outputOf(done, 'file_list');
      const read = outputOf(done, 'file_read');
      return [
        `That was the plan for ${subject}.`,
        listed === ''
          ? 'I could not look at the files: `file_list` is not offered to me here.'
          : `\`file_list\` answered:\n\n${quote(listed)}`,
        read === '' ? 'I found no file to read.' : `\`file_read\` answered:\n\n${quote(read)}`,
        'A real model would now draw conclusions; I am the demo model and only show how the work looks.',
      ].join('\n\n');
    },
  };
}

/** A readme before other Markdown before any file with an ending. */
function tellingFile(listing: string): string | undefined {
  const names = listing.match(/[\w@.\-/]*[\w-]\.[A-Za-z]\w{0,9}(?![\w/])/g) ?? [];
  return names.find((name) => /readme/i.test(name)) ?? names.find((name) => name.endsWith('.md')) ?? names[0];
}

/** The last call and its answer, word for word. */
function report(done: readonly Outcome[]): string {
  const { tool, output } = done.at(-1) ?? { tool: 'the tool', output: '' };
  const refused = /^(?:the person declined|declined|denied|not run|stopped|interrupted)/i.test(output);
  return `\`${tool}\` answered:\n\n${quote(output)}${refused ? '\n\nSo it was not done, and I leave it at that. Say what you would like instead.' : ''}`;
}

const MOST_LINES = 40;

/** In a fence that nothing in the text can close. */
function quote(output: string): string {
  const lines = output.replace(/\n+$/, '').split('\n');
  const ticks = Math.max(2, ...(output.match(/`+/g) ?? []).map((run) => run.length)) + 1;
  const fence = '`'.repeat(ticks);
  const left = lines.length - MOST_LINES;
  const more = left > 0 ? `\n\n… and ${left} more ${left === 1 ? 'line' : 'lines'}.` : '';
  return `${fence}text\n${lines.slice(0, MOST_LINES).join('\n')}\n${fence}${more}`;
}

function notOffered(tool: string, tools: ReadonlySet<string>): string {
  const offered = [...tools].map((name) => `\`${name}\``).join(', ');
  const rest = offered === '' ? 'No tools are offered to me here.' : `I am only offered ${offered} here.`;
  return `For this I need \`${tool}\`, which I do not have. ${rest} Plan mode has only tools that read: switch to build mode with \`/mode build\` and ask again.`;
}

/** Without the keys that are undefined. */
function given(values: Record<string, string | undefined>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
