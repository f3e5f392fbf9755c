import { ForThePerson } from '../session/forThePerson.ts';

/** Something that was asked for cannot be done, and nothing happened: the message says why and what would be accepted. */
export class Refusal extends ForThePerson {
  override readonly name = 'Refusal';
}
