/**
 * An answer to a person: what was asked for cannot be done, and nothing happened. The message says why and what would be accepted.
 * The front ends show it as it is; every other error is a fault of ours.
 */
export class ForThePerson extends Error {
  override readonly name: string = 'ForThePerson';
}
