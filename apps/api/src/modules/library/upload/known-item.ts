import type { MediaItem } from '@mira/shared'
import type { FastifyRequest } from 'fastify'
import { mayReadStored } from '../../../platform/http/access.ts'

/** Response for an item that existed before this upload: an API token without `read` only gets back what it sent. */
export function presentExistingItem(request: FastifyRequest, item: MediaItem): MediaItem {
  if (mayReadStored(request)) return item
  const { motion: _motion, waveform: _waveform, ...rest } = item
  return {
    ...rest,
    ...{ content: null, caption: null, extracted_text: null, transcription: null, tags: [], engines: {} },
    ...{ thumbnail: null, preview_url: null, thumbhash: null },
    metadata: {
      ...item.metadata,
      ...{ original_filename: '', taken_at: null, taken_local: null, camera: null, latitude: null, longitude: null },
      ...{ corrected: [], source: null, details: {} },
    },
  }
}
