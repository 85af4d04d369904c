import { createHash } from 'node:crypto'

/** Label of a tag in a classifier: a hash, so that a stored classifier reveals no tag. */
export function tagLabel(tag: string): string {
  return createHash('sha256').update(`tag ${tag.toLowerCase()}`).digest('base64url').slice(0, 16)
}
