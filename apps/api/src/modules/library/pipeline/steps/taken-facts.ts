import { type Coordinates, type TakenTime, takenTimeOfName } from '../../../../platform/lib/taken-time.ts'
import { type ItemFacts, TAKEN_FROM_NAME } from '../step.ts'

type TakenFacts = Required<Pick<ItemFacts, 'takenAt' | 'takenLocal' | 'details'>>

/** The time as facts of an item; where the file states none, the one in its name, marked as such. */
export function takenFacts(takenTime: TakenTime | null, filename: string, place: Coordinates | null): TakenFacts {
  if (takenTime !== null) return { takenAt: takenTime.at, takenLocal: takenTime.local, details: {} }
  const named = takenTimeOfName(filename, place)
  if (named === null) return { takenAt: null, takenLocal: null, details: {} }
  return { takenAt: named.at, takenLocal: named.local, details: { taken_from: TAKEN_FROM_NAME } }
}
