/** What of a configuration is a secret, or names one (R15). */

/**
 * The value of a variable that a file names, without the white space around it: the line break at the end of a key file is no part
 * of the key. Undefined when it is not set; a name such as `constructor` is a name like any other.
 */
export function variable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name]?.trim() : undefined;
}

export interface HeaderSecret {
  /** The header's name as it is written. */
  header: string;
  value: string;
}

const SECRET_HEADER = /auth|cookie|credential|key|password|secret|signature|token/i;
/** The first word of `Authorization: Bearer …` is none. */
const SCHEME = /^(?:apikey|basic|bearer|digest|negotiate|token)$/i;

/**
 * What in the headers of a provider is as secret as a key (R15): the words of the values that headers such as `Authorization` and
 * `X-Api-Key` have.
 */
export function headerSecrets(headers: Readonly<Record<string, string>>): HeaderSecret[] {
  return Object.entries(headers)
    .filter(([header]) => SECRET_HEADER.test(header))
    .flatMap(([header, value]) => secretWords(value).map((word) => ({ header, value: word })));
}

/** Of `session=a1b2; id=c3` the values alone. */
function secretWords(value: string): string[] {
  return value
    .split(/[\s;,]+/)
    .map((word) => word.replace(/^[\w-]+=(?=[^=])/, ''))
    .filter((word) => word !== '' && !SCHEME.test(word));
}
