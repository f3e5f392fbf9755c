/** A path of a call, in the forms that rules are compared with. */
import path from 'node:path';

import { matchesGlob } from '../text/glob.ts';
import { foldedName, isNamed } from './names.ts';
import { isInside } from './paths.ts';
import type { LayerRule } from './rules.ts';
import { secretKinds } from './secretFiles.ts';

export class PathSubject {
  /** Absolute real path. */
  readonly real: string;
  readonly isOutside: boolean;
  /** With `/`, relative to the workspace, which itself is `.`; what is outside begins with `../`, or is absolute on another drive. */
  readonly relative: string;
  readonly #absolute: string;
  readonly #forms = new Map<string, readonly string[]>();

  constructor(workspace: string, real: string) {
    this.real = real;
    this.isOutside = !isInside(workspace, real);
    this.relative = slashed(path.relative(workspace, real)) || '.';
    this.#absolute = slashed(real);
  }

  /** As a person knows it. */
  get shown(): string {
    return this.isOutside ? this.real : this.relative;
  }

  /** Names below the workspace, or from the root when it is outside. */
  get names(): string[] {
    return (this.isOutside ? this.#absolute : this.relative).split('/');
  }

  get secrets(): string[] {
    return secretKinds(this.isOutside ? this.#absolute : this.relative);
  }

  /** Whether it is a folder of this name, or in one. */
  isIn(folder: string): boolean {
    return this.names.some((name) => isNamed(name, folder));
  }

  /**
   * Whether a rule for paths is about it. What allows has to fit letter by letter; what asks or denies fits in any letter case and
   * form, because a disk may not tell these from each other.
   */
  matches({ under, pattern = '', globs, action }: LayerRule): boolean {
    if (under !== 'paths') return false;
    const text = /^(?:\/|[A-Za-z]:\/)/.test(pattern) ? this.#absolute : this.relative;
    const as = (form: string, ignoreCase: boolean) =>
      globs.some((glob) => matchesGlob(glob, form, { slash: true, ignoreCase }));
    return as(text, false) || (action !== 'allow' && this.#formsOf(text).some((form) => as(form, true)));
  }

  /** What a disk may take for the same name, letter case aside. */
  #formsOf(text: string): readonly string[] {
    let forms = this.#forms.get(text);
    if (forms === undefined) {
      const names = text.split('/').map(foldedName).join('/');
      // Letter case is the matcher's business: what differs in that of a to z alone is one form.
      forms = /^\p{ASCII}*$/u.test(text) && names === text.toLowerCase() ? [names] : [text.normalize('NFC'), names];
      this.#forms.set(text, forms);
    }
    return forms;
  }
}

function slashed(text: string): string {
  return path.sep === '\\' ? text.replaceAll('\\', '/') : text;
}

/** The names that a pattern says letter by letter, so that `**` names none: `.git/hooks/*` names `.git` and `hooks`. */
export function namesIn(pattern: string): string[] {
  return pattern.split('/').map((segment) => segment.replaceAll(/\\(.)/gs, '$1'));
}
