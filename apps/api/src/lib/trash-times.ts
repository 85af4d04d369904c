const DAY_MS = 24 * 3600 * 1000

/** How long a thing is in the trash, as answers tell it; nothing of what isn't there. */
export function trashTimes(trashedAt: Date | null, days: number): { trash?: { since: Date; until: Date } } {
  return trashedAt === null ? {} : { trash: { since: trashedAt, until: new Date(trashedAt.getTime() + days * DAY_MS) } }
}
