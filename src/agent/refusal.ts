/** Something that was asked for cannot be done, and nothing happened: the message says why and what would be accepted. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
