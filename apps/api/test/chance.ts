/** Seeded random generator of numbers from 0 to 1. */
export type Chance = () => number

/** Creates a random generator; the same seed gives the same numbers. */
export function chanceFrom(seed: number): Chance {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

export const between = (chance: Chance, from: number, to: number): number => from + (to - from) * chance()
export const oneOf = <One>(chance: Chance, list: readonly One[]): One => list[Math.floor(chance() * list.length)] as One
