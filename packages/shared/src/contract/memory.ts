import { embeddingProfileParamsSchema, embeddingProfilesResponseSchema } from '../embeddings.ts'
import { resultOpenedSchema, searchQuerySchema, searchResponseSchema } from '../memory.ts'
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
