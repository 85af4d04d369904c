/**
 * Something counted (a class of durations, an hour of the day) and how often it was there are kept as one number, so that arrays
 * of them are short and quick to take apart.
 */
const COUNT_BITS = 22
const MAX_COUNTED = 2 ** COUNT_BITS - 1

/** SQL of one number for what was counted, from 0 to 511, and how often. */
export const packSql = (counted: string, count: string) =>
  `((${counted}) << ${COUNT_BITS} | least(${count}, ${MAX_COUNTED})::int)`
export const countedOfPackedSql = (packed: string) => `(${packed} >> ${COUNT_BITS})`
export const countOfPackedSql = (packed: string) => `(${packed} & ${MAX_COUNTED})`

export const countedOfPacked = (packed: number): number => packed >> COUNT_BITS
export const countOfPacked = (packed: number): number => packed & MAX_COUNTED
