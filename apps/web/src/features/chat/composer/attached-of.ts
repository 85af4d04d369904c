import { path } from '@mira/client/path'
import type { AttachedMedia, MediaItemJson } from '@mira/shared'

/** An item as it goes with a message. */
export function attachedOf({ id, media_type, thumbnail, metadata }: MediaItemJson): AttachedMedia {
  return { media_id: id, title: metadata.original_filename, media_type, thumbnail, url: path`/gallery/${id}` }
}
