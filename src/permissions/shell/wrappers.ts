/**
 * Programs that run another one somewhere else: of a package that may have to be fetched (`npx`, `uvx`), or in a container. People
 * allow them by a rule such as `npx prettier *`, so that is enough; only what speaks against the inner command counts, and where its
 * name stands among their options is not told: each word may be it.
 */
import type { Hidden } from './hidden.ts';
import { findOption, mayHoldOption, type Among } from './options.ts';
import { textOf, type Word } from './word.ts';

interface Wrapper {
  /** Words behind which the command stands; behind the program's name where there are none. */
  after?: readonly string[];
  /** Options before the first operand, that run something. */
  options?: Among;
  /** Commands that change what later ones of it run, or write outside of the folder. */
  settings?: RegExp;
}

const NPM: Among = {
  long: 'call script-shell node-options shell git editor viewer browser init-module userconfig globalconfig',
  letters: 'c',
};
const SETTINGS = /^(config|c) (?!(get|list|ls)\b)|^pkg (?!get\b)|^(set|set-script|edit)\b/;
const CONTAINER: Wrapper = { after: ['run', 'exec'] };

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  npx: { options: NPM },
  pnpx: { options: NPM },
  bunx: {},
  uvx: {},
  npm: { after: ['exec', 'x', 'explore'], options: NPM, settings: SETTINGS },
  pnpm: { after: ['exec', 'dlx'], options: NPM, settings: SETTINGS },
  yarn: { after: ['exec', 'dlx'], settings: SETTINGS },
  bun: { after: ['x'], settings: SETTINGS },
  uv: { after: ['run', 'tool'] },
  pipx: { after: ['run'] },
  poetry: { after: ['run'] },
  pdm: { after: ['run'] },
  pipenv: { after: ['run'] },
  conda: { after: ['run'] },
  hatch: { after: ['run'] },
  bundle: { after: ['exec'] },
  rbenv: { after: ['exec'] },
  pyenv: { after: ['exec'] },
  asdf: { after: ['exec'] },
  mise: { after: ['exec', 'x'] },
  direnv: { after: ['exec'] },
  docker: CONTAINER,
  podman: CONTAINER,
  nerdctl: CONTAINER,
  'docker-compose': CONTAINER,
  kubectl: CONTAINER,
  oc: CONTAINER,
};

/** Names that only a shell takes for a command. */
const NO_PROGRAMS = ['.', 'source'];
const MOST = 100;

export function wrapperHides(words: readonly Word[], name: string): Hidden {
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (wrapper === undefined) return {};
  const { after, options, settings } = wrapper;
  const command = words
    .slice(1)
    .filter((word) => !textOf(word)?.startsWith('-'))
    .map((word) => textOf(word) ?? '?');
  if (settings?.test(command.join(' ')) === true)
    return { ask: [`changes settings of ${name}, which may say what it runs: ${command.slice(0, 2).join(' ')}`] };
  const option = options === undefined ? undefined : findOption(optionsOf(words, after), options);
  if (option !== undefined) return { ask: [`may run a command by an option of ${name}: ${option.source}`] };
  const at = after === undefined ? 0 : words.findIndex((word, index) => index > 0 && isOne(word, after));
  if (at < 0) return {};
  const given = words.slice(at + 1);
  const operands = given.flatMap((word, index) => (isOperand(word) && !isOne(word, NO_PROGRAMS) ? [index] : []));
  const [first] = operands;
  // What stands before the first word that is no option may be the command, or another one's option.
  const unknown = given.slice(0, first).find((word) => textOf(word) === undefined);
  if (unknown !== undefined)
    return { ask: [`runs a command that is only known when it runs: ${name} ${unknown.source}`] };
  if (operands.length > MOST) return { ask: [`has too many words to tell the command: ${name}`] };
  return { within: operands.map((index) => given.slice(index)) };
}

/** The words among which options of the program itself may stand. */
function optionsOf(words: readonly Word[], after: readonly string[] | undefined): readonly Word[] {
  const end = words.findIndex(
    (word, index) => index > 0 && (textOf(word) === '--' || (after === undefined && isOperand(word))),
  );
  // Not one of those that these cut short.
  return words.slice(1, end < 0 ? words.length : end).filter((word) => textOf(word) !== '--global');
}

function isOne(word: Word, names: readonly string[]): boolean {
  return names.includes(textOf(word) ?? '');
}

function isOperand(word: Word): boolean {
  return textOf(word) !== undefined && !mayHoldOption(word);
}
