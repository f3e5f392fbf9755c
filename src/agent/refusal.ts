import { ForThePerson } from '../session/forThePerson.ts';

/** What may pass by itself, and a refusal with it: the turn that runs, or what the configuration says or lacks. */
export type Passing = 'turn' | 'configuration';

/** Something that was asked for cannot be done, and nothing happened: the message says why and what would be accepted. */
export class Refusal extends ForThePerson {
  override readonly name = 'Refusal';
  readonly due_to: Passing | undefined;

  constructor(message: string, due_to?: Passing) {
    super(message);
    this.due_to = due_to;
  }
}
