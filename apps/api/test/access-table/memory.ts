import type { AccessLines } from './access-line.ts'

/** Routes of items, search, effects and voice. */
export const memoryRoutes: AccessLines = {
  'GET /api/media/search': { access: 'upload' },
  'POST /api/memory/opened': {
    access: 'upload',
    foreign: ({ search, moment, mediaItem }, mine) => [
      { body: { search_id: search, result_id: mediaItem } },
      { body: { search_id: search, result_id: moment } },
      { body: { search_id: mine.search, result_id: mediaItem } },
      { body: { search_id: mine.search, result_id: moment } },
    ],
  },
  'GET /api/image-effects/effects/available': { access: 'upload' },
  'POST /api/image-effects/effects/apply': { access: 'upload' },
  'POST /api/image-effects/effects/batch': { access: 'upload' },
  'POST /api/image-effects/effects/previews': { access: 'upload' },
  'GET /api/image-effects/effects/gallery': { access: 'upload' },
  'GET /api/image-effects/effects/download/:download_id': {
    access: 'upload',
    foreign: ({ effectImage }) => [
      { path: `/api/image-effects/effects/download/${effectImage}` },
      { path: `/api/image-effects/effects/download/${effectImage}?size=thumbnail` },
      { path: `/api/image-effects/effects/download/${effectImage}?format=webp` },
    ],
  },
  'DELETE /api/image-effects/effects/gallery/:download_id': {
    access: 'upload',
    foreign: ({ effectImage }) => [{ path: `/api/image-effects/effects/gallery/${effectImage}` }],
  },
  'POST /api/image-effects/effects/gallery/:download_id/keep': {
    access: 'upload',
    foreign: ({ effectImage }) => [{ path: `/api/image-effects/effects/gallery/${effectImage}/keep` }],
  },
  'GET /api/image-effects/recipes': { access: 'upload' },
  'POST /api/image-effects/recipes': { access: 'upload' },
  'DELETE /api/image-effects/recipes/:id': {
    access: 'upload',
    foreign: ({ effectRecipe }) => [{ path: `/api/image-effects/recipes/${effectRecipe}` }],
  },
  'GET /api/media/stats': { access: 'user' },
  'POST /api/media/upload': { access: 'upload' },
  'OPTIONS /api/media/uploads': { access: 'upload' },
  'POST /api/media/uploads': { access: 'upload' },
  'GET /api/media/uploads': { access: 'upload' },
  'GET /api/media/uploads/:id': {
    access: 'upload',
    foreign: ({ partialUpload }) => [{ path: `/api/media/uploads/${partialUpload}` }],
  },
  'PATCH /api/media/uploads/:id': {
    access: 'upload',
    foreign: ({ partialUpload }) => [{ path: `/api/media/uploads/${partialUpload}` }],
  },
  'DELETE /api/media/uploads/:id': {
    access: 'upload',
    foreign: ({ partialUpload }) => [{ path: `/api/media/uploads/${partialUpload}` }],
  },
  'POST /api/notes': { access: 'upload' },
  'POST /api/pages': { access: 'upload' },
  'GET /api/notes/:id': { access: 'upload', foreign: ({ mediaItem }) => [{ path: `/api/notes/${mediaItem}` }] },
  'PATCH /api/notes/:id': {
    access: 'upload',
    foreign: ({ mediaItem }) => [{ path: `/api/notes/${mediaItem}`, body: { text: 'Mine now' } }],
  },
  'GET /api/media/library': { access: 'upload' },
  'POST /api/media/known': { access: 'upload' },
  'GET /api/media/tags': { access: 'upload' },
  'POST /api/media/tags': {
    access: 'upload',
    foreign: ({ mediaItem }) => [
      { body: { ids: [mediaItem], add: ['mine'] }, status: 200, response: { changed: 0 } },
      { body: { ids: [mediaItem], remove: ['theirs'] }, status: 200, response: { changed: 0 } },
    ],
  },
  'POST /api/media/changes': {
    access: 'upload',
    foreign: ({ mediaItem }) => [
      { body: { ids: [mediaItem], taken_at: '2024-07-14T09:28:00' }, status: 200, response: { changed: 0 } },
      { body: { ids: [mediaItem], tags: ['mine'] }, status: 200, response: { changed: 0 } },
    ],
  },
  'POST /api/media/delete': {
    access: 'upload',
    foreign: ({ mediaItem }) => [{ body: { ids: [mediaItem] }, status: 200, response: { deleted: 0 } }],
  },
  'POST /api/media/trash': {
    access: 'upload',
    foreign: ({ mediaItem }) => [{ body: { ids: [mediaItem] }, status: 200, response: { changed: 0 } }],
  },
  'POST /api/media/restore': {
    access: 'upload',
    foreign: ({ mediaItem }) => [{ body: { ids: [mediaItem] }, status: 200, response: { changed: 0 } }],
  },
  'POST /api/media/archive': {
    access: 'upload',
    foreign: ({ mediaItem }) => [{ body: { ids: [mediaItem] } }],
  },
  'GET /api/media/archive': {
    access: 'upload',
    foreign: ({ mediaItem }) => [
      { path: `/api/media/archive?items=${Buffer.from(mediaItem.replaceAll('-', ''), 'hex').toString('base64url')}` },
    ],
  },
  'GET /api/media/reprocess': { access: 'upload' },
  'POST /api/media/reprocess': {
    access: 'upload',
    foreign: ({ mediaItem }) => [
      { body: { ids: [mediaItem] }, status: 202, response: { is_running: false, total: 0, done: 0 } },
    ],
  },
  'GET /api/media/:id': { access: 'upload', foreign: ({ mediaItem }) => [{ path: `/api/media/${mediaItem}` }] },
  'PATCH /api/media/:id': {
    access: 'upload',
    foreign: ({ mediaItem }) => [
      { path: `/api/media/${mediaItem}`, body: {} },
      { path: `/api/media/${mediaItem}`, body: { caption: 'Mine now' } },
      { path: `/api/media/${mediaItem}`, body: { tags: ['mine'] } },
      { path: `/api/media/${mediaItem}`, body: { taken_at: '2024-07-14T09:28:00' } },
    ],
  },
  'DELETE /api/media/:id': { access: 'upload', foreign: ({ mediaItem }) => [{ path: `/api/media/${mediaItem}` }] },
  'POST /api/media/:id/reprocess': {
    access: 'upload',
    foreign: ({ mediaItem }) => [
      { path: `/api/media/${mediaItem}/reprocess`, body: {} },
      { path: `/api/media/${mediaItem}/reprocess`, body: { steps: ['caption'] } },
    ],
  },
  'GET /api/media/:id/frames/:n': {
    access: 'upload',
    foreign: ({ mediaItem }) => [{ path: `/api/media/${mediaItem}/frames/1` }],
  },
  'GET /api/media/:id/pages/:n': {
    access: 'upload',
    foreign: ({ mediaItem }) => [{ path: `/api/media/${mediaItem}/pages/1` }],
  },
  'GET /api/media/:id/file': {
    access: 'upload',
    foreign: ({ mediaItem }) => [{ path: `/api/media/${mediaItem}/file` }],
  },
  'GET /api/media/:id/preview': {
    access: 'upload',
    foreign: ({ mediaItem }) => [{ path: `/api/media/${mediaItem}/preview` }],
  },
  'GET /api/media/:id/motion': {
    access: 'upload',
    foreign: ({ mediaItem }) => [{ path: `/api/media/${mediaItem}/motion` }],
  },
  'GET /api/media/:id/film': {
    access: 'upload',
    foreign: ({ mediaItem }) => [{ path: `/api/media/${mediaItem}/film` }],
  },
  'GET /api/media/:id/thumbnail': {
    access: 'upload',
    foreign: ({ mediaItem }) => [{ path: `/api/media/${mediaItem}/thumbnail` }],
  },
  'POST /api/voice/transcribe': { access: 'voice' },
  'POST /api/voice/speak': { access: 'voice' },
  'GET /api/memory/logs': { access: 'upload' },
  'GET /api/memory/logs/export': { access: 'upload' },
}
