/**
 * The words of the question whether what a project's file brings may count. All of it was written by somebody else: nothing in it is
 * invisible, and nothing is left out, since a yes is to all of it.
 */
import { visibleLine } from '../session/visible.ts';
import type { BroughtProvider, Unconfirmed } from './consent.ts';

const LONGEST = 160;

/** Lines for a person to decide by: all of it, however long. */
export function consentLines({ providers, allows }: Unconfirmed): string[] {
  return [
    ...under('Providers, which would get your prompts and what the tools read:', providers.map(providerText)),
    ...(providers.length > 0 && allows.length > 0 ? [''] : []),
    ...under('Rules that allow without a question:', allows.map(ruleLine)),
  ];
}

/** The same on one line, for somebody who cannot be asked. */
export function consentSummary({ providers, allows }: Unconfirmed): string {
  return [
    ...some(
      'provider',
      providers.map(({ name }) => name),
    ),
    ...some('rule', allows),
  ].join(' and ');
}

/** What a person can do to be asked. */
export function waysToConfirm({ folder, declined_in }: Unconfirmed): string {
  const how =
    declined_in === undefined
      ? '"polyglav run <prompt>" asks'
      : `you are asked again when you take ${JSON.stringify(visibleLine(folder))} out of ${declined_in}`;
  return `In VS Code use "Polyglav: Review Project Configuration"; at a terminal ${how}.`;
}

function providerText({ name, address, key, headers, replaces }: BroughtProvider): string {
  const shown = visibleLine(name);
  if (address === undefined) return `${shown}: the built-in demo model${replaced(replaces)}`;
  const how = key === undefined ? 'without a key' : `with the key in $${visibleLine(key)}`;
  const also = headers.length === 0 ? '' : `, with the headers ${headers.map(visibleLine).join(', ')}`;
  return `${shown}: ${visibleLine(address)}, ${how}${also}${replaced(replaces)}`;
}

function replaced(replaces: boolean): string {
  return replaces ? '; in place of the one that you have' : '';
}

function ruleLine(rule: string): string {
  if (rule === 'default allow') return `${rule} (every tool that no rule names)`;
  return /^\w+ allow$/.test(rule) ? `${rule} (every call of it)` : visibleLine(rule);
}

function under(heading: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [heading, ...items.map((item) => `  • ${item}`)];
}

function some(what: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const named = items.slice(0, 3).map(bounded).join(', ');
  const left = items.length - 3;
  return [`the ${what}${items.length === 1 ? '' : 's'} ${named}${left > 0 ? ` and ${left} more` : ''}`];
}

/** On one line, with beginning and end. */
function bounded(text: string): string {
  const points = [...visibleLine(text)];
  if (points.length <= LONGEST) return points.join('');
  const half = LONGEST / 2;
  const left = points.length - LONGEST;
  return `${points.slice(0, half).join('')}…(${left} more characters)…${points.slice(-half).join('')}`;
}
