/** The whole of a document that comes in pieces. */
export async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let whole = '';
  for await (const piece of pieces) whole += piece;
  return whole;
}
