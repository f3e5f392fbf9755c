/** Modes (A1): what the agent may use and is told, chosen by the person, recorded on each turn. */
import type { Tool } from '../tools/tool.ts';

export interface Mode {
  name: string;
  description: string;
  /** Which of the tools it offers. */
  tools(all: readonly Tool[]): Tool[];
  instruction: string;
}

const BUILD: Mode = {
  name: 'build',
  description: 'Reads, edits and runs commands, asking first',
  tools: (all) => [...all],
  instruction: 'You are in build mode: all tools are available again.',
};

const PLAN: Mode = {
  name: 'plan',
  description: 'Only reads, and works out a plan',
  tools: (all) => all.filter((tool) => tool.reads_only),
  instruction:
    'You are in plan mode: look around with the reading tools and work out a plan together with the person. ' +
    'Nothing can be changed or run until they switch to build mode.',
};

export const DEFAULT_MODE = 'build';
const MODES: readonly Mode[] = [BUILD, PLAN];

export function modeNames(): string[] {
  return MODES.map((mode) => mode.name);
}

export function modes(): readonly Mode[] {
  return MODES;
}

export function findMode(name: string): Mode | undefined {
  return MODES.find((mode) => mode.name === name);
}

/** Build mode is what the system prompt describes, so it is named only where another mode came before. */
export function modeInstruction(mode: string, previous: string | undefined): string | undefined {
  if (mode === DEFAULT_MODE && previous === undefined) return undefined;
  return findMode(mode)?.instruction;
}
