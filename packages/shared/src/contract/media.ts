import { deletedSchema } from '../chat-sessions.ts'
import { embeddingProfileParamsSchema, embeddingProfilesResponseSchema } from '../connections.ts'
import { idParamsSchema } from '../ids-and-pages.ts'
import {
  bulkReprocessSchema,
  changedCountSchema,
  deleteMediaSchema,
  knownHashesRequestSchema,
  knownHashesResponseSchema,
  libraryQuerySchema,
  librarySchema,
  manyMediaChangesSchema,
  mediaArchiveQuerySchema,
  mediaArchiveRequestSchema,
  mediaArchiveSchema,
  mediaChangesSchema,
  mediaDetailSchema,
  mediaIdsSchema,
  mediaItemSchema,
  mediaPartParamsSchema,
  mediaStatsSchema,
  mediaTagChangesSchema,
  mediaTagsSchema,
  reprocessProgressSchema,
  reprocessSchema,
  signedFileQuerySchema,
  thumbnailQuerySchema,
} from '../media.ts'
import { resultOpenedSchema, searchQuerySchema, searchResponseSchema } from '../memory.ts'
import { noContentSchema, routes } from './route.ts'

export const memoryRoutes = routes({
  'GET /media/search': {
    access: 'upload',
    summary: 'Search everything that was uploaded',
    description:
      'Finds pictures, frames, pages and sentences by words and, where an engine is connected, by meaning. The ' +
      'query may contain filters: `type:video before:2026-05 after:2026-01-31 tag:home "exact words" -without`.',
    tag: 'Media',
    query: searchQuerySchema,
    response: { 200: searchResponseSchema },
    errors: [429, 503],
  },
  'POST /memory/opened': {
    access: 'upload',
    summary: 'Record that a search result was opened',
    tag: 'Media',
    body: resultOpenedSchema,
    response: { 204: noContentSchema },
    errors: [404],
  },
  'GET /admin/embeddings': {
    access: 'admin',
    summary: 'List the vectors used for searches by meaning',
    description:
      'Grouped by the model that made them, with their number and, while new ones are being made, the remaining ' +
      'time.',
    tag: 'Admin',
    response: { 200: embeddingProfilesResponseSchema },
  },
  'POST /admin/embeddings/:id/drop': {
    access: 'admin',
    sessionOnly: true,
    audit: 'vectors.dropped',
    summary: 'Remove the vectors of a model that is no longer used',
    tag: 'Admin',
    params: embeddingProfileParamsSchema,
    response: { 204: noContentSchema },
    errors: [404, 409],
  },
})

/** Maximum size of a request with changes: enough for the corrected text of a long document, page by page. */
const CHANGES_MAX_BYTES = 4 * 1024 * 1024
const file = {
  access: 'upload',
  signed: true,
  description: 'Opens with a token or with the signed path of the item.',
  tag: 'Media',
  params: idParamsSchema,
  query: signedFileQuerySchema,
  supportsRanges: true,
} as const

export const mediaRoutes = routes({
  'GET /media/stats': {
    access: 'user',
    summary: 'Read the caller’s own totals',
    tag: 'Media',
    response: { 200: mediaStatsSchema },
  },
  'GET /media/library': {
    access: 'upload',
    summary: 'List items',
    description:
      'Texts are cut to 500 characters; GET /media/{id} returns them in full. `in=trash` lists trashed items, of ' +
      'which only the thumbnail can be read.',
    tag: 'Media',
    query: libraryQuerySchema,
    response: { 200: librarySchema },
    errors: [400],
  },
  'GET /media/tags': {
    access: 'upload',
    summary: 'List the caller’s tags',
    tag: 'Media',
    response: { 200: mediaTagsSchema },
  },
  'POST /media/tags': {
    access: 'upload',
    summary: 'Add and remove tags of items',
    description: 'Applies to all of the items or none: an item has at most 100 tags.',
    tag: 'Media',
    body: mediaTagChangesSchema,
    response: { 200: changedCountSchema },
    errors: [409],
  },
  'POST /media/changes': {
    access: 'upload',
    summary: 'Correct the date, place or tags of several items',
    description:
      'Applies to all of the items or none. Values given here override those of the files; null removes the ' +
      'correction.',
    tag: 'Media',
    body: manyMediaChangesSchema,
    response: { 200: changedCountSchema },
  },
  'POST /media/known': {
    access: 'upload',
    scope: 'upload',
    summary: 'Check which files already exist before uploading',
    tag: 'Media',
    body: knownHashesRequestSchema,
    response: { 200: knownHashesResponseSchema },
  },
  'POST /media/delete': {
    access: 'upload',
    summary: 'Delete items permanently, with everything derived from them',
    description:
      'Includes trashed items, or, with `in`, only those. Rows are removed immediately and files soon after; ' +
      'nothing can be restored.',
    tag: 'Media',
    body: deleteMediaSchema,
    response: { 200: deletedSchema },
  },
  'POST /media/trash': {
    access: 'upload',
    summary: 'Move items to the trash',
    description:
      'Trashed items appear only in the trash list. They still count toward storage, and are deleted permanently ' +
      'after `trash.days` of GET /config (409 `trash_off` when that is 0). Uploading the same file again restores ' +
      'the item. The count skips unknown ids and other users’ items.',
    tag: 'Media',
    body: mediaIdsSchema,
    response: { 200: changedCountSchema },
    errors: [409],
  },
  'POST /media/restore': {
    access: 'upload',
    summary: 'Restore items from the trash',
    description: 'Items are as they were before. The count skips ids that are not in the caller’s trash.',
    tag: 'Media',
    body: mediaIdsSchema,
    response: { 200: changedCountSchema },
  },
  'GET /media/:id': {
    access: 'upload',
    summary: 'Read an item with everything found in it',
    tag: 'Media',
    params: idParamsSchema,
    response: { 200: mediaDetailSchema },
  },
  'PATCH /media/:id': {
    access: 'upload',
    respondsWithContent: true,
    bodyLimit: CHANGES_MAX_BYTES,
    summary: 'Correct an item',
    description:
      'Values given here are kept, whatever engines find later; null removes the correction, and the value is ' +
      'detected again.',
    tag: 'Media',
    params: idParamsSchema,
    body: mediaChangesSchema,
    response: { 200: mediaItemSchema },
  },
  'DELETE /media/:id': {
    access: 'upload',
    summary: 'Delete an item permanently, with everything derived from it',
    description:
      'Also works for trashed items. Rows are removed immediately and files soon after; nothing can be restored.',
    tag: 'Media',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
  'POST /media/reprocess': {
    access: 'upload',
    summary: 'Process several items again in the background',
    description:
      'Items by id, items matching the filter, or all of the caller’s. What the user wrote or corrected is kept. ' +
      '409 while another reprocessing is in progress.',
    tag: 'Media',
    body: bulkReprocessSchema,
    response: { 202: reprocessProgressSchema },
    errors: [409],
  },
  'GET /media/reprocess': {
    access: 'upload',
    summary: 'Read the progress of reprocessing',
    tag: 'Media',
    response: { 200: reprocessProgressSchema },
  },
  'POST /media/:id/reprocess': {
    access: 'upload',
    respondsWithContent: true,
    summary: 'Process an item again, or some of its steps',
    description: 'What the user wrote or corrected is kept.',
    tag: 'Media',
    params: idParamsSchema,
    body: reprocessSchema,
    response: { 202: mediaItemSchema },
  },
  'GET /media/:id/file': {
    ...file,
    summary: 'Download the original file',
    file: 'application/octet-stream',
  },
  'GET /media/:id/preview': {
    ...file,
    summary: 'Load a version that every browser can show or play',
    file: ['image/jpeg', 'image/webp', 'video/mp4', 'video/webm', 'audio/mpeg', 'application/octet-stream'],
  },
  'GET /media/:id/thumbnail': {
    ...file,
    summary: 'Load the thumbnail of an item',
    description: `${file.description} Append \`size=small\` after the signature for 384 pixels instead of 512; the larger one is sent where its file is small, or while many are being made.`,
    file: 'image/webp',
    query: thumbnailQuerySchema,
  },
  'GET /media/:id/motion': {
    ...file,
    summary: 'Load the video of a live photo in a format that every browser can play',
    file: ['video/mp4', 'video/quicktime'],
  },
  'GET /media/:id/film': {
    ...file,
    summary: 'Download the original video of a live photo',
    file: ['video/quicktime', 'video/mp4', 'application/octet-stream'],
  },
  'GET /media/:id/frames/:n': {
    ...file,
    summary: 'Load the thumbnail of a video frame',
    file: 'image/webp',
    params: mediaPartParamsSchema,
  },
  'GET /media/:id/pages/:n': {
    ...file,
    summary: 'Load the thumbnail of a page',
    file: 'image/webp',
    params: mediaPartParamsSchema,
  },
  'POST /media/archive': {
    access: 'upload',
    scope: 'read',
    summary: 'Create a link for downloading several items as one archive',
    description: 'The link works for five minutes. Other users’ items are left out.',
    tag: 'Media',
    body: mediaArchiveRequestSchema,
    response: { 200: mediaArchiveSchema },
    errors: [404],
  },
  'GET /media/archive': {
    access: 'upload',
    signed: true,
    userLimit: 'export',
    summary: 'Download several items as a ZIP archive',
    description: 'Opens with a token or with the link from POST /media/archive.',
    tag: 'Media',
    query: mediaArchiveQuerySchema,
    file: 'application/zip',
    errors: [404, 429],
  },
})
