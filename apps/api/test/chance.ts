/** Seeded random generator of numbers from 0 to 1. */
export type Random = () => number

/** Creates a random generator; the same seed gives the same numbers. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

export const between = (random: Random, from: number, to: number): number => from + (to - from) * random()
export const pickOne = <One>(random: Random, list: readonly One[]): One =>
  list[Math.floor(random() * list.length)] as One
