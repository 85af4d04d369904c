import { cutText } from '@mira/shared/constants/cut-text'
import { TAG_MAX_CHARACTERS } from '@mira/shared/constants/limits'

/** Tags of a comma-separated input. */
export function splitTags(input: string): string[] {
  const tags = input.split(',').map((tag) => cutText(tag.replace(/\s+/g, ' ').trim(), TAG_MAX_CHARACTERS))
  return [...new Set(tags.filter((tag) => tag !== ''))]
}
