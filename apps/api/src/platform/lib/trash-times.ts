const DAY_MS = 24 * 3600 * 1000

/** Trash times of an item for responses; empty outside the trash. */
export function trashTimes(trashedAt: Date | null, days: number): { trash?: { since: Date; until: Date } } {
  return trashedAt === null ? {} : { trash: { since: trashedAt, until: new Date(trashedAt.getTime() + days * DAY_MS) } }
}
