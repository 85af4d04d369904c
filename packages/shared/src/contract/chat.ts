import { z } from 'zod'
import {
  agentAnalyticsSchema,
  agentAskResponseSchema,
  agentInputSchema,
  agentNameParamsSchema,
  agentResponseSchema,
  agentRunsDeletedSchema,
  agentRunsQuerySchema,
  agentRunsResponseSchema,
  agentSchema,
  agentsStatusSchema,
} from '../agents.ts'
import {
  answerCallSchema,
  answerVersionsSchema,
  callParamsSchema,
  chatEventSchema,
  chatMessageSchema,
  chatRequestSchema,
  chatStreamHeadersSchema,
  chatStreamQuerySchema,
  continueParamsSchema,
  feedbackSchema,
  regenerateSchema,
} from '../chat.ts'
import { speakSchema, transcribeFieldsSchema, transcriptSchema } from '../connections.ts'
import { MAX_SHOWN_VERSIONS, MESSAGE_BODY_MAX_BYTES, VOICE_MAX_BYTES } from '../constants/limits.ts'
import { idParamsSchema } from '../ids-and-pages.ts'
import { updateWebSettingsSchema, webSettingsSchema, webStateSchema } from '../settings.ts'
import { noContentSchema, routes } from './route.ts'

const STREAMED = 'With `Accept: text/event-stream`, the response is a stream of events that also reports progress.'

export const agentsRoutes = routes({
  'GET /agents/available': {
    access: 'agents',
    summary: 'List the agents',
    tag: 'Agents',
    response: { 200: z.array(agentSchema) },
  },
  'GET /agents/status': {
    access: 'admin',
    summary: 'Read the status of the agents',
    description: 'Counts everyone’s calls, except those of users who keep their use out of analytics.',
    tag: 'Agents',
    response: { 200: agentsStatusSchema },
  },
  'GET /agents/analytics': {
    access: 'agents',
    summary: 'Read statistics for each agent',
    description: 'The caller’s calls; everyone’s for administrators. Calls kept out of analytics are not counted.',
    tag: 'Agents',
    response: { 200: agentAnalyticsSchema },
  },
  'POST /agents/ask': {
    access: 'agents',
    summary: 'Ask the agent that fits a sentence',
    description:
      'Picks the agent by what the sentence asks for. When none clearly fits, no agent is called and the response ' +
      `lists the candidates. ${STREAMED}`,
    tag: 'Agents',
    body: agentInputSchema,
    response: { 200: agentAskResponseSchema },
    errors: [400, 429, 502],
  },
  'POST /agents/:name/run': {
    access: 'agents',
    summary: 'Call an agent',
    description: STREAMED,
    tag: 'Agents',
    params: agentNameParamsSchema,
    body: agentInputSchema,
    response: { 200: agentResponseSchema },
    errors: [400, 429, 502],
  },
  'GET /agents/:name/runs': {
    access: 'agents',
    summary: 'List the caller’s calls of an agent',
    tag: 'Agents',
    params: agentNameParamsSchema,
    query: agentRunsQuerySchema,
    response: { 200: agentRunsResponseSchema },
  },
  'DELETE /agents/:name/runs': {
    access: 'agents',
    summary: 'Delete the caller’s calls of an agent',
    description: 'Statistics stay: they contain nothing of what was asked.',
    tag: 'Agents',
    params: agentNameParamsSchema,
    response: { 200: agentRunsDeletedSchema },
  },
  'DELETE /agents/runs/:id': {
    access: 'agents',
    summary: 'Delete one of the caller’s agent calls',
    tag: 'Agents',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
})

export const voiceRoutes = routes({
  'POST /voice/transcribe': {
    access: 'voice',
    hasNoBodyTimeout: true,
    bodyLimit: VOICE_MAX_BYTES,
    summary: 'Transcribe speech',
    description:
      'A recording of at most 25 MB and 10 minutes; its content decides the format. It is not stored. Aborting the ' +
      'request stops the work.',
    tag: 'Voice',
    form: transcribeFieldsSchema.extend({ file: z.file() }),
    response: { 200: transcriptSchema },
    errors: [413, 415, 422, 429, 503, 507],
  },
  'POST /voice/speak': {
    access: 'voice',
    summary: 'Read a text aloud',
    description: 'Markdown syntax is left out. Audio is streamed as it is generated.',
    tag: 'Voice',
    body: speakSchema,
    file: ['audio/mpeg', 'audio/wav', 'audio/ogg', 'audio/flac'],
    errors: [429, 503, 507],
  },
  'GET /web': {
    access: 'chat',
    summary: 'Read whether conversations may look things up on the web',
    description: 'A conversation does so when its `parameters` have `use_web`.',
    tag: 'Chat',
    response: { 200: webStateSchema },
  },
  'GET /admin/web': {
    access: 'admin',
    summary: 'Read the web settings',
    tag: 'Admin',
    response: { 200: webSettingsSchema },
  },
  'PUT /admin/web': {
    access: 'admin',
    sessionOnly: true,
    audit: 'web.changed',
    summary: 'Change whether the web may be used, and the search engine',
    description:
      'The search engine is tried before the response is sent; problems are in `check`. The key is stored ' +
      'encrypted and never returned.',
    tag: 'Admin',
    body: updateWebSettingsSchema,
    response: { 200: webSettingsSchema },
  },
  'POST /admin/web/test': {
    access: 'admin',
    sessionOnly: true,
    audit: 'web.tested',
    summary: 'Test the web search',
    description: 'Problems are in `check`.',
    tag: 'Admin',
    response: { 200: webSettingsSchema },
  },
})

const STREAM_DESCRIPTION =
  'Each event has an id; the last line is `data: [DONE]`. A lost connection does not stop the answer: reconnect with ' +
  '`Last-Event-ID`.'

export const chatRoutes = routes({
  'POST /chat/message': {
    access: 'chat',
    bodyLimit: MESSAGE_BODY_MAX_BYTES,
    summary: 'Send a message and stream its answer',
    description:
      'Without session_id, it starts a conversation. A message with the same parent_id as an existing one is a ' +
      'branch beside it; null stands for the parent of the first message. Nothing of a temporary message is ' +
      'stored: its events have a session_id of null, `history` carries the earlier messages, and disconnecting ' +
      `ends the answer. Named items, agents, projects and tags must be the caller’s own. ${STREAM_DESCRIPTION}`,
    tag: 'Chat',
    body: chatRequestSchema,
    events: chatEventSchema,
    errors: [404, 409, 413, 415, 429, 507],
  },
  'GET /chat/sessions/:id/stream': {
    access: 'chat',
    userLimit: 'stream',
    summary: 'Stream an answer',
    description:
      'Replays and follows the newest answer, or that of message_id. Event ids count within one answer, so send ' +
      'message_id together with Last-Event-ID. An answer whose events are no longer stored is sent again from its ' +
      'session event.',
    tag: 'Chat',
    params: idParamsSchema,
    query: chatStreamQuerySchema,
    headers: chatStreamHeadersSchema,
    events: chatEventSchema,
  },
  'POST /chat/sessions/:id/regenerate': {
    access: 'chat',
    summary: 'Generate another answer to the same question',
    description:
      'The conversation shows the new answer, unless it is generated beside another one for comparison; several of ' +
      `these may be generated at once. A given model applies to this answer only. ${STREAM_DESCRIPTION}`,
    tag: 'Chat',
    params: idParamsSchema,
    body: regenerateSchema,
    events: chatEventSchema,
    errors: [409, 429],
  },
  'GET /chat/messages/:id/versions': {
    access: 'chat',
    summary: 'Read all answers to the same question',
    description:
      `The newest ${MAX_SHOWN_VERSIONS}, in the order in which they began, both regenerated ones and those for ` +
      'comparison. An answer that is still streaming has the content received so far.',
    tag: 'Chat',
    params: idParamsSchema,
    response: { 200: answerVersionsSchema },
  },
  'POST /chat/messages/:id/feedback': {
    access: 'chat',
    respondsWithContent: true,
    summary: 'Rate an answer',
    tag: 'Chat',
    params: idParamsSchema,
    body: feedbackSchema,
    response: { 200: chatMessageSchema },
  },
  'POST /chat/sessions/:id/stop': {
    access: 'chat',
    summary: 'Stop the answer in progress',
    description: 'The part received so far is kept, marked interrupted. Does nothing when no answer is in progress.',
    tag: 'Chat',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
  'POST /chat/sessions/:id/calls/:call_id': {
    access: 'chat',
    respondsWithContent: true,
    summary: 'Allow or refuse a pending agent call',
    description:
      'A call that would change something waits for approval when the conversation contains text of files or of ' +
      'the web; so does one of a connected server that asks first. It is made once, after its answer has ended; ' +
      'the answer then continues with its result, or without it: `streaming` says so, and the stream of the ' +
      'conversation sends the rest.',
    tag: 'Chat',
    params: callParamsSchema,
    body: answerCallSchema,
    response: { 200: chatMessageSchema },
    errors: [409, 429],
  },
  'POST /chat/sessions/:id/messages/:message_id/continue': {
    access: 'chat',
    respondsWithContent: true,
    summary: 'Continue an answer that reached its length limit',
    description:
      'For an answer whose `stop_reason` is `length`: the continuation is appended to it. `streaming` is then ' +
      'true, and the stream of the conversation sends the rest.',
    tag: 'Chat',
    params: continueParamsSchema,
    response: { 200: chatMessageSchema },
    errors: [409, 429],
  },
})
