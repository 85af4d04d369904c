import { type Coordinates, type TakenTime, takenTimeOfName } from '../../../lib/taken-time.ts'
import { type ItemFacts, TAKEN_FROM_NAME } from '../processing.ts'

/** The time as facts of an item; where the file states none, the one in its name, marked as such. */
export function takenFacts(
  taken: TakenTime | null,
  filename: string,
  place: Coordinates | null,
): { takenAt: Date | null; details: NonNullable<ItemFacts['details']> } {
  if (taken !== null) return { takenAt: taken.at, details: { taken_local: taken.local } }
  const named = takenTimeOfName(filename, place)
  if (named === null) return { takenAt: null, details: {} }
  return { takenAt: named.at, details: { taken_local: named.local, taken_from: TAKEN_FROM_NAME } }
}
