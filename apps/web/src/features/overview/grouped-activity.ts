import type { ActivityEntryJson } from '@mira/shared'

/** Something that was done several times in a row: the newest entry, and how many there are. */
export interface ActivityGroup {
  newest: ActivityEntryJson
  count: number
}

/**
 * Joins what was done again and again in the same place, so that one long conversation does not hide everything else.
 *
 * @param entries newest first.
 */
export function groupActivity(entries: readonly ActivityEntryJson[]): ActivityGroup[] {
  const groups: ActivityGroup[] = []
  for (const entry of entries) {
    const last = groups[groups.length - 1]
    if (last && isAlike(last.newest, entry)) last.count += 1
    else groups.push({ newest: entry, count: 1 })
  }
  return groups
}

function isAlike(one: ActivityEntryJson, other: ActivityEntryJson): boolean {
  return (
    one.type === other.type &&
    one.action === other.action &&
    one.outcome === other.outcome &&
    one.title === other.title &&
    one.link === other.link
  )
}
