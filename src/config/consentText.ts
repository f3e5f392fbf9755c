/**
 * The words of the question whether what a project's file brings may count. All of it was written by somebody else: nothing in it is
 * invisible, and whatever is left out is counted.
 */
import { visibleLine } from '../session/visible.ts';
import type { BroughtProvider, Unconfirmed } from './consent.ts';

const LONGEST = 160;

/** Lines for a person to decide by; of the providers and rules together so many are shown as `most` says. */
export function consentLines({ providers, allows }: Unconfirmed, most: number): string[] {
  const shownProviders = providers.slice(0, most).map(providerText);
  const shownRules = allows.slice(0, most - shownProviders.length).map(ruleText);
  const left = providers.length + allows.length - shownProviders.length - shownRules.length;
  return [
    ...under('Providers, which would get your prompts and what the tools read:', shownProviders),
    ...(shownProviders.length > 0 && shownRules.length > 0 ? [''] : []),
    ...under('Rules that allow without a question:', shownRules),
    ...(left === 0 ? [] : [`… and ${left} more of them, which stand in the file.`]),
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

function providerText({ name, origin, key, replaces }: BroughtProvider): string {
  const where = origin === undefined ? 'the built-in demo model' : bounded(origin);
  const how = origin === undefined ? '' : key === undefined ? ', without a key' : `, with the key in $${bounded(key)}`;
  return `${bounded(name)}: ${where}${how}${replaces ? '; in place of the one that you have' : ''}`;
}

function ruleText(rule: string): string {
  return rule === 'default allow' ? `${rule} (every tool that no rule names)` : bounded(rule);
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
