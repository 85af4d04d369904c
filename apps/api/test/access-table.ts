import type { Access } from '@mira/shared'

/** Ids of things that belong to somebody else. */
export interface Foreign {
  user: string
  authSession: string
  apiToken: string
  passkey: string
  program: string
  chatSession: string
  question: string
  answer: string
  mediaItem: string
  partialUpload: string
  moment: string
  search: string
  effectImage: string
  effectRecipe: string
  hook: string
  mcpServer: string
  import: string
  share: string
  reminder: string
  fact: string
  prompt: string
  project: string
  persona: string
  agentRun: string
}

/** A request that names something of somebody else, which must look as if it were not there. */
interface ForeignRequest {
  path?: string
  body?: object
  /** 404 unless something else says as little. */
  status?: number
  answer?: object
}

interface Line {
  access: Access
  /** Required when the path has a parameter: what happens with another user's ids, wherever a request can name one. */
  foreign?: (
    ids: Foreign,
    mine: { chatSession: string; search: string; project: string; persona: string },
  ) => ForeignRequest[]
}

/** Every route and who may call it. Whoever adds a route adds its line. */
export const accessTable: Readonly<Record<string, Line>> = {
  'GET /*': { access: 'public' },
  'POST /share': { access: 'public' },

  'GET /api/health': { access: 'public' },
  'GET /api/config': { access: 'public' },
  'GET /api/openapi.json': { access: 'public' },
  'GET /api/docs': { access: 'public' },
  'GET /api/docs/:file': { access: 'public', foreign: () => [] },
  'GET /api/metrics': { access: 'admin' },

  // protocols of others, which the document of the API does not describe
  'GET /v1/*': { access: 'public' },
  'GET /v1/models': { access: 'chat' },
  'GET /v1/models/*': { access: 'chat' },
  'POST /v1/chat/completions': {
    access: 'chat',
    foreign: ({ chatSession }) => [
      {
        path: '/v1/chat/completions',
        body: {
          model: 'mira',
          messages: [{ role: 'user', content: 'And then?' }],
          metadata: { session_id: chatSession },
        },
      },
    ],
  },
  'POST /v1/responses': {
    access: 'chat',
    foreign: ({ question }) => [
      {
        path: '/v1/responses',
        body: { model: 'mira', input: 'And then?', previous_response_id: `resp_${question}` },
      },
    ],
  },
  'POST /v1/embeddings': { access: 'chat' },
  'POST /v1/audio/transcriptions': { access: 'voice' },
  'GET /mcp': { access: 'user' },
  'POST /mcp': { access: 'user' },
  'DELETE /mcp': { access: 'user' },

  // OAuth for programs, outside of the document as its standards have it
  'GET /.well-known/oauth-protected-resource': { access: 'public' },
  'GET /.well-known/oauth-protected-resource/mcp': { access: 'public' },
  'GET /.well-known/oauth-authorization-server': { access: 'public' },
  'GET /oauth/authorize': { access: 'public' },
  'POST /oauth/register': { access: 'public' },
  'POST /oauth/token': { access: 'public' },
  'POST /oauth/revoke': { access: 'public' },
  'GET /api/oauth/consent': { access: 'user' },
  'POST /api/oauth/consent': { access: 'user' },
  'GET /api/me/programs': { access: 'user' },
  'DELETE /api/me/programs/:id': {
    access: 'user',
    foreign: ({ program }) => [{ path: `/api/me/programs/${program}` }],
  },

  'POST /api/auth/login': { access: 'public' },
  'GET /api/auth/me': { access: 'user' },
  'POST /api/auth/logout': { access: 'user' },
  'POST /api/auth/password': { access: 'user' },
  'GET /api/auth/sessions': { access: 'user' },
  'DELETE /api/auth/sessions/:id': {
    access: 'user',
    foreign: ({ authSession }) => [{ path: `/api/auth/sessions/${authSession}` }],
  },
  'GET /api/auth/tokens': { access: 'user' },
  'POST /api/auth/tokens': { access: 'user' },
  'DELETE /api/auth/tokens/:id': {
    access: 'user',
    foreign: ({ apiToken }) => [{ path: `/api/auth/tokens/${apiToken}` }],
  },

  'POST /api/auth/passkeys/options': { access: 'public' },
  'POST /api/auth/passkeys/sign-in': { access: 'public' },
  'GET /api/auth/passkeys': { access: 'user' },
  'POST /api/auth/passkeys/registration': { access: 'user' },
  'POST /api/auth/passkeys': { access: 'user' },
  'PATCH /api/auth/passkeys/:id': {
    access: 'user',
    foreign: ({ passkey }) => [{ path: `/api/auth/passkeys/${passkey}`, body: { name: 'Mine now' } }],
  },
  'DELETE /api/auth/passkeys/:id': {
    access: 'user',
    foreign: ({ passkey }) => [{ path: `/api/auth/passkeys/${passkey}` }],
  },
  'POST /api/auth/totp/sign-in': { access: 'public' },
  'GET /api/auth/totp': { access: 'user' },
  'POST /api/auth/totp': { access: 'user' },
  'POST /api/auth/totp/confirm': { access: 'user' },
  'POST /api/auth/totp/recovery-codes': { access: 'user' },
  'DELETE /api/auth/totp': { access: 'user' },
  'POST /api/auth/oidc/start': { access: 'public' },
  'POST /api/auth/oidc/finish': { access: 'public' },
  'POST /api/auth/invitations/look': { access: 'public' },
  'POST /api/auth/invitations/accept': { access: 'public' },

  'GET /api/admin/invitations': { access: 'admin' },
  'POST /api/admin/invitations': { access: 'admin' },
  // invitations are nobody’s yet
  'DELETE /api/admin/invitations/:id': { access: 'admin', foreign: () => [] },

  'GET /api/admin/users': { access: 'admin' },
  'POST /api/admin/users': { access: 'admin' },
  // accounts are the administrators' to change: nobody else's ids exist for them
  'PUT /api/admin/users/:id': { access: 'admin', foreign: () => [] },
  'GET /api/admin/users/:id/storage': { access: 'admin', foreign: () => [] },
  'GET /api/admin/users/:id/sign-in': { access: 'admin', foreign: () => [] },
  'DELETE /api/admin/users/:id/totp': { access: 'admin', foreign: () => [] },
  'DELETE /api/admin/users/:id': { access: 'admin', foreign: () => [] },

  'GET /api/automation/health': { access: 'admin' },
  'GET /api/automation/status': { access: 'admin' },
  'GET /api/automation/runs': { access: 'admin' },
  // runs are nobody’s
  'GET /api/automation/runs/:id': { access: 'admin', foreign: () => [] },
  'GET /api/automation/runs/:id/dataset': { access: 'admin', foreign: () => [] },
  'POST /api/automation/runs/:id/cancel': { access: 'admin', foreign: () => [] },
  'POST /api/automation/runs/:id/retry': { access: 'admin', foreign: () => [] },
  'POST /api/automation/trigger': { access: 'admin' },
  'PUT /api/automation/tasks/:task_type': { access: 'admin', foreign: () => [] },
  'GET /api/automation/summaries': { access: 'admin' },
  'GET /api/me/summaries': { access: 'user' },
  'GET /api/me/mcp-servers': { access: 'agents' },
  'POST /api/me/mcp-servers': { access: 'agents' },
  'PATCH /api/me/mcp-servers/:id': {
    access: 'agents',
    foreign: ({ mcpServer }) => [{ path: `/api/me/mcp-servers/${mcpServer}`, body: { enabled: false } }],
  },
  'DELETE /api/me/mcp-servers/:id': {
    access: 'agents',
    foreign: ({ mcpServer }) => [{ path: `/api/me/mcp-servers/${mcpServer}` }],
  },
  'POST /api/me/mcp-servers/:id/test': {
    access: 'agents',
    foreign: ({ mcpServer }) => [{ path: `/api/me/mcp-servers/${mcpServer}/test` }],
  },
  'GET /api/me/hooks': { access: 'user' },
  'POST /api/me/hooks': { access: 'user' },
  'DELETE /api/me/hooks/:id': { access: 'user', foreign: ({ hook }) => [{ path: `/api/me/hooks/${hook}` }] },
  'POST /api/me/hooks/:id/test': { access: 'user', foreign: ({ hook }) => [{ path: `/api/me/hooks/${hook}/test` }] },
  'GET /api/me/hooks/:id/deliveries': {
    access: 'user',
    foreign: ({ hook }) => [{ path: `/api/me/hooks/${hook}/deliveries` }],
  },
  'GET /api/shares': { access: 'chat' },
  'POST /api/shares': {
    access: 'chat',
    foreign: ({ chatSession }) => [{ path: '/api/shares', body: { kind: 'conversation', id: chatSession } }],
  },
  'DELETE /api/shares/:id': { access: 'chat', foreign: ({ share }) => [{ path: `/api/shares/${share}` }] },
  // the token is all that is needed
  'GET /api/public/shares/:token': { access: 'public', foreign: () => [] },
  'GET /api/public/shares/:token/images/:id/:n': { access: 'public', foreign: () => [] },
  'POST /api/public/shares/:token/continue': { access: 'chat', foreign: () => [] },
  'POST /api/imports': { access: 'user' },
  'GET /api/imports': { access: 'user' },
  'GET /api/imports/:id': { access: 'user', foreign: ({ import: id }) => [{ path: `/api/imports/${id}` }] },
  'POST /api/imports/:id/start': {
    access: 'user',
    foreign: ({ import: id }) => [{ path: `/api/imports/${id}/start` }],
  },
  'POST /api/imports/:id/source': {
    access: 'user',
    foreign: ({ import: id }) => [{ path: `/api/imports/${id}/source`, body: { source: 'claude' } }],
  },
  'DELETE /api/imports/:id': { access: 'user', foreign: ({ import: id }) => [{ path: `/api/imports/${id}` }] },
  'GET /api/me/storage': { access: 'user' },
  'GET /api/me/preferences': { access: 'user' },
  'PATCH /api/me/preferences': { access: 'user' },

  'GET /api/admin/audit': { access: 'admin' },
  'GET /api/admin/audit/export': { access: 'admin' },

  'GET /api/admin/backups': { access: 'admin' },
  'POST /api/admin/backups': { access: 'admin' },
  'GET /api/admin/backups/:id/file': { access: 'admin', foreign: () => [] },
  'POST /api/admin/backups/:id/ticket': { access: 'admin', foreign: () => [] },
  'DELETE /api/admin/backups/:id': { access: 'admin', foreign: () => [] },

  'GET /api/admin/models': { access: 'admin' },
  'POST /api/admin/models/:id/download': { access: 'admin', foreign: () => [] },
  'DELETE /api/admin/models/:id': { access: 'admin', foreign: () => [] },

  'GET /api/models': { access: 'chat' },
  'GET /api/admin/watched-folders': { access: 'admin' },
  'POST /api/admin/watched-folders': { access: 'admin' },
  // an administrator decides about all of them
  'PATCH /api/admin/watched-folders/:id': { access: 'admin', foreign: () => [] },
  'DELETE /api/admin/watched-folders/:id': { access: 'admin', foreign: () => [] },
  'POST /api/admin/watched-folders/:id/scan': { access: 'admin', foreign: () => [] },
  'GET /api/admin/watched-folders/:id/files': { access: 'admin', foreign: () => [] },
  'GET /api/admin/mcp-servers': { access: 'admin' },
  'POST /api/admin/mcp-servers': { access: 'admin' },
  // they belong to nobody alone
  'PATCH /api/admin/mcp-servers/:id': { access: 'admin', foreign: () => [] },
  'DELETE /api/admin/mcp-servers/:id': { access: 'admin', foreign: () => [] },
  'POST /api/admin/mcp-servers/:id/test': { access: 'admin', foreign: () => [] },
  'GET /api/admin/connections/:id/ollama': { access: 'admin', foreign: () => [] },
  'POST /api/admin/connections/:id/ollama/pull': { access: 'admin', foreign: () => [] },
  'POST /api/admin/connections/:id/ollama/remove': { access: 'admin', foreign: () => [] },
  'GET /api/web': { access: 'chat' },
  'GET /api/admin/web': { access: 'admin' },
  'PUT /api/admin/web': { access: 'admin' },
  'POST /api/admin/web/test': { access: 'admin' },
  'GET /api/admin/connections': { access: 'admin' },
  'POST /api/admin/connections': { access: 'admin' },
  // they are nobody’s
  'PATCH /api/admin/connections/:id': { access: 'admin', foreign: () => [] },
  'DELETE /api/admin/connections/:id': { access: 'admin', foreign: () => [] },
  'POST /api/admin/connections/:id/test': { access: 'admin', foreign: () => [] },

  'GET /api/admin/settings': { access: 'admin' },
  'PUT /api/admin/settings': { access: 'admin' },
  'POST /api/admin/engines/test': { access: 'admin' },
  'GET /api/admin/embeddings': { access: 'admin' },
  // they are nobody’s
  'POST /api/admin/embeddings/:id/drop': { access: 'admin', foreign: () => [] },

  'POST /api/chat/message': {
    access: 'chat',
    foreign: ({ chatSession, answer, project, persona }, mine) => [
      { body: { content: 'Hello', project_id: project } },
      { body: { content: 'Hello', mentions: [{ kind: 'project', id: project }] } },
      { body: { content: 'Hello', persona_id: persona } },
      { body: { content: 'Hello', session_id: chatSession } },
      { body: { content: 'Hello', session_id: chatSession, parent_id: answer } },
      { body: { content: 'Hello', session_id: mine.chatSession, parent_id: answer } },
    ],
  },
  'GET /api/chat/sessions': { access: 'chat' },
  'GET /api/chat/stats': { access: 'chat' },
  'GET /api/chat/tags': { access: 'chat' },
  'GET /api/chat/sessions/:id': {
    access: 'chat',
    foreign: ({ chatSession }) => [{ path: `/api/chat/sessions/${chatSession}` }],
  },
  'PATCH /api/chat/sessions/:id': {
    access: 'chat',
    foreign: ({ chatSession, question, project, persona }, mine) => [
      { path: `/api/chat/sessions/${chatSession}`, body: { session_name: 'Mine now' } },
      { path: `/api/chat/sessions/${chatSession}`, body: { status: 'completed' } },
      { path: `/api/chat/sessions/${mine.chatSession}`, body: { current_message_id: question } },
      { path: `/api/chat/sessions/${mine.chatSession}`, body: { project_id: project } },
      { path: `/api/chat/sessions/${mine.chatSession}`, body: { persona_id: persona } },
    ],
  },
  'DELETE /api/chat/sessions/:id': {
    access: 'chat',
    foreign: ({ chatSession }) => [{ path: `/api/chat/sessions/${chatSession}` }],
  },
  'POST /api/chat/sessions/delete': {
    access: 'chat',
    foreign: ({ chatSession }) => [{ body: { ids: [chatSession] }, status: 200, answer: { deleted: 0 } }],
  },
  'POST /api/chat/sessions/change': {
    access: 'chat',
    foreign: ({ chatSession, project }, mine) => [
      { body: { ids: [mine.chatSession], project_id: project } },
      { body: { ids: [chatSession], archived: true, add_tags: ['mine'] }, status: 200, answer: { changed: 0 } },
    ],
  },
  'GET /api/chat/sessions/:id/stream': {
    access: 'chat',
    foreign: ({ chatSession, answer }, mine) => [
      { path: `/api/chat/sessions/${chatSession}/stream` },
      { path: `/api/chat/sessions/${chatSession}/stream?message_id=${answer}` },
      { path: `/api/chat/sessions/${mine.chatSession}/stream?message_id=${answer}` },
    ],
  },
  'POST /api/chat/sessions/:id/regenerate': {
    access: 'chat',
    foreign: ({ chatSession, answer }, mine) => [
      { path: `/api/chat/sessions/${chatSession}/regenerate`, body: { message_id: answer } },
      { path: `/api/chat/sessions/${mine.chatSession}/regenerate`, body: { message_id: answer } },
    ],
  },
  'GET /api/chat/sessions/:id/export': {
    access: 'chat',
    foreign: ({ chatSession }) => [
      { path: `/api/chat/sessions/${chatSession}/export` },
      { path: `/api/chat/sessions/${chatSession}/export?format=json` },
    ],
  },
  'POST /api/chat/sessions/:id/calls/:call_id': {
    access: 'chat',
    foreign: ({ chatSession }) => [
      { path: `/api/chat/sessions/${chatSession}/calls/0198c0de-0000-7000-8000-000000000000`, body: { allow: false } },
    ],
  },
  'GET /api/chat/messages/:id/versions': {
    access: 'chat',
    foreign: ({ answer }) => [{ path: `/api/chat/messages/${answer}/versions` }],
  },
  'POST /api/chat/messages/:id/feedback': {
    access: 'chat',
    foreign: ({ question, answer }) =>
      [question, answer].map((id) => ({ path: `/api/chat/messages/${id}/feedback`, body: { rating: 'down' } })),
  },
  'POST /api/chat/sessions/:id/stop': {
    access: 'chat',
    foreign: ({ chatSession }) => [{ path: `/api/chat/sessions/${chatSession}/stop` }],
  },
  'GET /api/chat/messages/:id/images/:n': {
    access: 'chat',
    foreign: ({ question }) => [
      { path: `/api/chat/messages/${question}/images/0` },
      { path: `/api/chat/messages/${question}/images/0?size=thumbnail` },
    ],
  },
  'POST /api/chat/messages/:id/images/:n/keep': {
    access: 'chat',
    foreign: ({ question }) => [{ path: `/api/chat/messages/${question}/images/0/keep` }],
  },
  'GET /api/events': { access: 'user' },
  'GET /api/notifications': { access: 'user' },
  'POST /api/notifications/read': { access: 'user' },
  'POST /api/notifications/shown': { access: 'user' },
  'GET /api/reminders': { access: 'agents' },
  'POST /api/reminders': { access: 'agents' },
  'PATCH /api/reminders/:id': {
    access: 'agents',
    foreign: ({ reminder }) => [{ path: `/api/reminders/${reminder}`, body: { text: 'Mine now' } }],
  },
  'DELETE /api/reminders/:id': {
    access: 'agents',
    foreign: ({ reminder }) => [{ path: `/api/reminders/${reminder}` }],
  },
  'POST /api/reminders/:id/snooze': {
    access: 'agents',
    foreign: ({ reminder }) => [{ path: `/api/reminders/${reminder}/snooze`, body: { minutes: 5 } }],
  },
  'POST /api/reminders/:id/complete': {
    access: 'agents',
    foreign: ({ reminder }) => [{ path: `/api/reminders/${reminder}/complete` }],
  },

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
  'GET /api/push/key': { access: 'user' },
  'POST /api/push/subscriptions': { access: 'user' },
  'DELETE /api/push/subscriptions': { access: 'user' },
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
      { body: { ids: [mediaItem], add: ['mine'] }, status: 200, answer: { changed: 0 } },
      { body: { ids: [mediaItem], remove: ['theirs'] }, status: 200, answer: { changed: 0 } },
    ],
  },
  'POST /api/media/delete': {
    access: 'upload',
    foreign: ({ mediaItem }) => [{ body: { ids: [mediaItem] }, status: 200, answer: { deleted: 0 } }],
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
      { body: { ids: [mediaItem] }, status: 202, answer: { is_running: false, total: 0, done: 0 } },
    ],
  },
  'GET /api/media/:id': { access: 'upload', foreign: ({ mediaItem }) => [{ path: `/api/media/${mediaItem}` }] },
  'PATCH /api/media/:id': {
    access: 'upload',
    foreign: ({ mediaItem }) => [
      { path: `/api/media/${mediaItem}`, body: {} },
      { path: `/api/media/${mediaItem}`, body: { caption: 'Mine now' } },
      { path: `/api/media/${mediaItem}`, body: { tags: ['mine'] } },
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

  'GET /api/agents/available': { access: 'agents' },
  'GET /api/agents/status': { access: 'admin' },
  'GET /api/agents/analytics': { access: 'agents' },
  'POST /api/agents/ask': { access: 'agents' },
  'POST /api/agents/:name/run': {
    access: 'agents',
    foreign: () => [{ path: '/api/agents/NobodysAgent/run', body: { input: '1 + 1' } }],
  },
  'GET /api/agents/:name/runs': {
    access: 'agents',
    foreign: () => [
      { path: '/api/agents/NobodysAgent/runs' },
      { path: '/api/agents/CalculatorAgent/runs', status: 200, answer: { runs: [], next_cursor: null } },
    ],
  },
  'DELETE /api/agents/:name/runs': {
    access: 'agents',
    foreign: () => [{ path: '/api/agents/CalculatorAgent/runs', status: 200, answer: { deleted: 0 } }],
  },
  'DELETE /api/agents/runs/:id': {
    access: 'agents',
    foreign: ({ agentRun }) => [{ path: `/api/agents/runs/${agentRun}` }],
  },

  'GET /api/me/instructions': { access: 'user' },
  'PATCH /api/me/instructions': { access: 'user' },
  'GET /api/personas': { access: 'chat' },
  'GET /api/personas/tools': { access: 'chat' },
  'POST /api/personas': {
    access: 'chat',
    foreign: ({ mediaItem }) => [{ body: { name: 'Mine', media_ids: [mediaItem] } }],
  },
  'PATCH /api/personas/:id': {
    access: 'chat',
    foreign: ({ persona, mediaItem }, mine) => [
      { path: `/api/personas/${persona}`, body: { name: 'Mine now' } },
      { path: `/api/personas/${mine.persona}`, body: { media_ids: [mediaItem] } },
    ],
  },
  'DELETE /api/personas/:id': {
    access: 'chat',
    foreign: ({ persona }) => [{ path: `/api/personas/${persona}` }],
  },
  'PATCH /api/admin/personas/:id': { access: 'admin', foreign: () => [] },
  'DELETE /api/admin/personas/:id': { access: 'admin', foreign: () => [] },
  'GET /api/projects': { access: 'chat' },
  'POST /api/projects': {
    access: 'chat',
    foreign: ({ mediaItem }) => [{ body: { name: 'Mine', media_ids: [mediaItem] } }],
  },
  'PATCH /api/projects/:id': {
    access: 'chat',
    foreign: ({ project, mediaItem }, mine) => [
      { path: `/api/projects/${project}`, body: { name: 'Mine now' } },
      { path: `/api/projects/${mine.project}`, body: { media_ids: [mediaItem] } },
    ],
  },
  'DELETE /api/projects/:id': {
    access: 'chat',
    foreign: ({ project }) => [{ path: `/api/projects/${project}` }],
  },
  'GET /api/prompts': { access: 'chat' },
  'POST /api/prompts': { access: 'chat' },
  'PATCH /api/prompts/:id': {
    access: 'chat',
    foreign: ({ prompt }) => [{ path: `/api/prompts/${prompt}`, body: { title: 'Mine now' } }],
  },
  'DELETE /api/prompts/:id': {
    access: 'chat',
    foreign: ({ prompt }) => [{ path: `/api/prompts/${prompt}` }],
  },
  'GET /api/me/facts': { access: 'user' },
  'POST /api/me/facts': { access: 'user' },
  'PATCH /api/me/facts/:id': {
    access: 'user',
    foreign: ({ fact }) => [{ path: `/api/me/facts/${fact}`, body: { text: 'Mine now' } }],
  },
  'DELETE /api/me/facts/:id': {
    access: 'user',
    foreign: ({ fact }) => [{ path: `/api/me/facts/${fact}` }],
  },
  'POST /api/me/export': { access: 'user' },
  'GET /api/me/export': { access: 'user' },
  'DELETE /api/me/data': { access: 'user' },

  'GET /api/memory/logs': { access: 'upload' },
  'GET /api/memory/logs/export': { access: 'upload' },
  'GET /api/admin/system': { access: 'admin' },
  'GET /api/dashboard/overview': { access: 'user' },
  'GET /api/dashboard/activity': { access: 'user' },
  'GET /api/dashboard/health': { access: 'user' },
  'GET /api/analytics': { access: 'analytics' },
}
