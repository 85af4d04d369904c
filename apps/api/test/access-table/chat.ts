import type { AccessLines } from './access-line.ts'

/** Routes of conversations, personas, projects and prompts, and of the protocols for other programs. */
export const chatRoutes: AccessLines = {
  // Protocols for other programs, which the OpenAPI document doesn't describe.
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
  'GET /api/shares': { access: 'chat' },
  'POST /api/shares': {
    access: 'chat',
    foreign: ({ chatSession }) => [{ path: '/api/shares', body: { kind: 'conversation', id: chatSession } }],
  },
  'DELETE /api/shares/:id': { access: 'chat', foreign: ({ share }) => [{ path: `/api/shares/${share}` }] },
  // The link's token alone gives access.
  'GET /api/public/shares/:token': { access: 'public', foreign: () => [] },
  'GET /api/public/shares/:token/images/:id/:n': { access: 'public', foreign: () => [] },
  'POST /api/public/shares/:token/continue': { access: 'chat', foreign: () => [] },
  'GET /api/models': { access: 'chat' },
  'GET /api/web': { access: 'chat' },
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
    foreign: ({ chatSession }) => [{ body: { ids: [chatSession] }, status: 200, response: { deleted: 0 } }],
  },
  'POST /api/chat/sessions/trash': {
    access: 'chat',
    foreign: ({ chatSession }) => [{ body: { ids: [chatSession] }, status: 200, response: { changed: 0 } }],
  },
  'POST /api/chat/sessions/restore': {
    access: 'chat',
    foreign: ({ chatSession }) => [{ body: { ids: [chatSession] }, status: 200, response: { changed: 0 } }],
  },
  'POST /api/chat/sessions/change': {
    access: 'chat',
    foreign: ({ chatSession, project }, mine) => [
      { body: { ids: [mine.chatSession], project_id: project } },
      { body: { ids: [chatSession], archived: true, add_tags: ['mine'] }, status: 200, response: { changed: 0 } },
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
  'POST /api/chat/sessions/:id/messages/:message_id/continue': {
    access: 'chat',
    foreign: ({ chatSession, answer }) => [{ path: `/api/chat/sessions/${chatSession}/messages/${answer}/continue` }],
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
}
