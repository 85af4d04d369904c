import { TAG_MAX_CHARACTERS } from '@mira/shared/constants/limits'

/** Tags out of what was written, apart by commas. */
export function splitTags(written: string): string[] {
  const tags = written.split(',').map((tag) => tag.replace(/\s+/g, ' ').trim().slice(0, TAG_MAX_CHARACTERS))
  return [...new Set(tags.filter((tag) => tag !== ''))]
}
