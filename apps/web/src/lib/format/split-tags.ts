import { TAG_MAX_CHARACTERS } from '@mira/shared/constants/limits'

/** Tags of a comma-separated input. */
export function splitTags(input: string): string[] {
  const tags = input.split(',').map((tag) => tag.replace(/\s+/g, ' ').trim().slice(0, TAG_MAX_CHARACTERS))
  return [...new Set(tags.filter((tag) => tag !== ''))]
}
