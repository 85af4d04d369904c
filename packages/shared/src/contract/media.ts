import { deletedSchema } from '../chat-sessions.ts'
import { embeddingProfileParamsSchema, embeddingProfilesResponseSchema } from '../connections.ts'
import {
  changedCountSchema,
  deleteMediaSchema,
  improveResponseSchema,
  improveSchema,
  knownQuestionSchema,
  knownResponseSchema,
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
  reprocessSchema,
  signedFileQuerySchema,
  thumbnailQuerySchema,
} from '../media.ts'
import { resultOpenedSchema, searchQuerySchema, searchResponseSchema } from '../memory.ts'
import { idParamsSchema } from '../timestamp.ts'
import { noContentSchema, routes } from './route.ts'

export const memoryRoutes = routes({
  'GET /media/search': {
    access: 'upload',
    summary: 'Search everything that was uploaded',
    description:
      'Finds pictures, frames, pages and sentences by words and, where an engine is connected, by meaning. The ' +
      'query may hold filters: `type:video before:2026-05 after:2026-01-31 tag:home "exact words" -without`.',
    tag: 'Media',
    query: searchQuerySchema,
    response: { 200: searchResponseSchema },
    errors: [429, 503],
  },
  'POST /memory/opened': {
    access: 'upload',
    summary: 'Tell that a result of a search was opened',
    tag: 'Media',
    body: resultOpenedSchema,
    response: { 204: noContentSchema },
    errors: [404],
  },
  'GET /admin/embeddings': {
    access: 'admin',
    summary: 'List the vectors that searches by meaning use',
    description: 'By the model that made them, with how many there are and how long the filling of new ones takes.',
    tag: 'Admin',
    response: { 200: embeddingProfilesResponseSchema },
  },
  'POST /admin/embeddings/:id/drop': {
    access: 'admin',
    sessionOnly: true,
    audit: 'vectors.dropped',
    summary: 'Remove the vectors of a model that is not used any more',
    tag: 'Admin',
    params: embeddingProfileParamsSchema,
    response: { 204: noContentSchema },
    errors: [404, 409],
  },
})

/** The text of a long document, page by page. */
const CHANGES_MAX_BYTES = 4 * 1024 * 1024
const file = {
  access: 'upload',
  signed: true,
  description: 'Opens with a token or with the signed path that an item carries.',
  tag: 'Media',
  params: idParamsSchema,
  query: signedFileQuerySchema,
  inRanges: true,
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
      'Texts are cut to 500 characters; GET /media/{id} has the whole of them. `in=trash` lists what is in the trash, ' +
      'of which nothing else but the thumbnail can be read.',
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
    summary: 'Add tags to items and remove tags from them',
    description: 'All of them or none: an item has at most 100 tags.',
    tag: 'Media',
    body: mediaTagChangesSchema,
    response: { 200: changedCountSchema },
    errors: [409],
  },
  'POST /media/changes': {
    access: 'upload',
    summary: 'Correct the date, place or tags of many items',
    description:
      'All of them or none. What is given is kept as the person’s own, whatever files tell; null takes it back.',
    tag: 'Media',
    body: manyMediaChangesSchema,
    response: { 200: changedCountSchema },
  },
  'POST /media/known': {
    access: 'upload',
    scope: 'upload',
    summary: 'Ask which files are there already, before they are sent',
    tag: 'Media',
    body: knownQuestionSchema,
    response: { 200: knownResponseSchema },
  },
  'POST /media/delete': {
    access: 'upload',
    summary: 'Delete items for good, with everything that was made of them',
    description:
      'Also of those in the trash, or, with `in`, of those alone. Rows go at once, files soon after; nothing can be restored.',
    tag: 'Media',
    body: deleteMediaSchema,
    response: { 200: deletedSchema },
  },
  'POST /media/trash': {
    access: 'upload',
    summary: 'Move items to the trash',
    description:
      'Nothing but the list of the trash shows them there, they count toward the storage, and they are deleted for ' +
      'good when their days are over (`trash.days` of GET /config; 409 `trash_off` when that is 0). Uploading the ' +
      'same file again restores the item. Ids that are not there, or not the caller’s, are left out of the count.',
    tag: 'Media',
    body: mediaIdsSchema,
    response: { 200: changedCountSchema },
    errors: [409],
  },
  'POST /media/restore': {
    access: 'upload',
    summary: 'Restore items from the trash',
    description: 'They are as they were before. Ids that are not in the caller’s trash are left out of the count.',
    tag: 'Media',
    body: mediaIdsSchema,
    response: { 200: changedCountSchema },
  },
  'GET /media/:id': {
    access: 'upload',
    summary: 'Read an item with all that was found in it',
    tag: 'Media',
    params: idParamsSchema,
    response: { 200: mediaDetailSchema },
  },
  'PATCH /media/:id': {
    access: 'upload',
    answersStored: true,
    bodyLimit: CHANGES_MAX_BYTES,
    summary: 'Correct an item',
    description:
      'What is given is kept as the person’s own, whatever engines find later; null takes it back, so that it is found out anew.',
    tag: 'Media',
    params: idParamsSchema,
    body: mediaChangesSchema,
    response: { 200: mediaItemSchema },
  },
  'DELETE /media/:id': {
    access: 'upload',
    summary: 'Delete an item for good, with everything that was made of it',
    description: 'Also one in the trash. Rows go at once, files soon after; nothing can be restored.',
    tag: 'Media',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
  'POST /media/reprocess': {
    access: 'upload',
    summary: 'Process many items again, in the background',
    description:
      'Those with the given ids, those that the filter lets through, or all that the caller has. What a person ' +
      'wrote or corrected stays. 409 while one is going on.',
    tag: 'Media',
    body: improveSchema,
    response: { 202: improveResponseSchema },
    errors: [409],
  },
  'GET /media/reprocess': {
    access: 'upload',
    summary: 'Read how far the processing of many items is',
    tag: 'Media',
    response: { 200: improveResponseSchema },
  },
  'POST /media/:id/reprocess': {
    access: 'upload',
    answersStored: true,
    summary: 'Process an item again, or steps of it',
    description: 'What a person wrote or corrected stays.',
    tag: 'Media',
    params: idParamsSchema,
    body: reprocessSchema,
    response: { 202: mediaItemSchema },
  },
  'GET /media/:id/file': {
    ...file,
    summary: 'Load an item as it was given',
    file: 'application/octet-stream',
  },
  'GET /media/:id/preview': {
    ...file,
    summary: 'Load an item as every browser can show or play it',
    file: ['image/jpeg', 'image/webp', 'video/mp4', 'video/webm', 'audio/mpeg', 'application/octet-stream'],
  },
  'GET /media/:id/thumbnail': {
    ...file,
    summary: 'Load a small picture of an item',
    description: `${file.description} \`size=small\` stands after the signature, and gives one of 384 pixels in place of 512.`,
    file: 'image/webp',
    query: thumbnailQuerySchema,
  },
  'GET /media/:id/motion': {
    ...file,
    summary: 'Load the film that was taken with a picture, as every browser can play it',
    file: ['video/mp4', 'video/quicktime'],
  },
  'GET /media/:id/film': {
    ...file,
    summary: 'Load the film that was taken with a picture as it was given',
    file: ['video/quicktime', 'video/mp4', 'application/octet-stream'],
  },
  'GET /media/:id/frames/:n': {
    ...file,
    summary: 'Load a small picture of a frame',
    file: 'image/webp',
    params: mediaPartParamsSchema,
  },
  'GET /media/:id/pages/:n': {
    ...file,
    summary: 'Load a small picture of a page',
    file: 'image/webp',
    params: mediaPartParamsSchema,
  },
  'POST /media/archive': {
    access: 'upload',
    scope: 'read',
    summary: 'Make an address that a browser loads several items from, as one archive',
    description: 'It opens for five minutes. Items that are not the caller’s are left out.',
    tag: 'Media',
    body: mediaArchiveRequestSchema,
    response: { 200: mediaArchiveSchema },
    errors: [404],
  },
  'GET /media/archive': {
    access: 'upload',
    signed: true,
    bound: 'export',
    summary: 'Load the files of several items as a ZIP archive',
    description: 'Opens with a token or with the address that POST /media/archive makes.',
    tag: 'Media',
    query: mediaArchiveQuerySchema,
    file: 'application/zip',
    errors: [404, 429],
  },
})
