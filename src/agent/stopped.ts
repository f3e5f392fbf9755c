/** Why a turn was aborted, when that is no fault: the person stopped it, or its window goes away. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}
