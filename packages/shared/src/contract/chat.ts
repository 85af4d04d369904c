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
import { updateWebSettingsSchema, webSettingsSchema, webStateSchema } from '../settings.ts'
import { idParamsSchema } from '../timestamp.ts'
import { noContentSchema, routes } from './route.ts'

const streamed = 'With `Accept: text/event-stream` the same comes as events, with what is being done meanwhile.'

export const agentsRoutes = routes({
  'GET /agents/available': {
    access: 'agents',
    summary: 'List the agents',
    tag: 'Agents',
    response: { 200: z.array(agentSchema) },
  },
  'GET /agents/status': {
    access: 'admin',
    summary: 'Read how the agents do',
    description: 'Counts everyone’s calls, but for those of people who keep their use out of analytics.',
    tag: 'Agents',
    response: { 200: agentsStatusSchema },
  },
  'GET /agents/analytics': {
    access: 'agents',
    summary: 'Read how the calls of each agent went',
    description: 'Of the caller; of everyone for an administrator. Calls kept out of analytics are not counted.',
    tag: 'Agents',
    response: { 200: agentAnalyticsSchema },
  },
  'POST /agents/ask': {
    access: 'agents',
    summary: 'Ask whichever agent is meant',
    description: `Picks the agent by what the sentence asks for. When none is surely meant, nothing is called and the answer lists which ones could be. ${streamed}`,
    tag: 'Agents',
    body: agentInputSchema,
    response: { 200: agentAskResponseSchema },
    errors: [400, 429, 502],
  },
  'POST /agents/:name/run': {
    access: 'agents',
    summary: 'Call an agent',
    description: streamed,
    tag: 'Agents',
    params: agentNameParamsSchema,
    body: agentInputSchema,
    response: { 200: agentResponseSchema },
    errors: [400, 429, 502],
  },
  'GET /agents/:name/runs': {
    access: 'agents',
    summary: 'List one’s own calls of an agent',
    tag: 'Agents',
    params: agentNameParamsSchema,
    query: agentRunsQuerySchema,
    response: { 200: agentRunsResponseSchema },
  },
  'DELETE /agents/:name/runs': {
    access: 'agents',
    summary: 'Delete one’s own calls of an agent',
    description: 'Figures stay: they hold nothing of what was asked.',
    tag: 'Agents',
    params: agentNameParamsSchema,
    response: { 200: agentRunsDeletedSchema },
  },
  'DELETE /agents/runs/:id': {
    access: 'agents',
    summary: 'Delete one of one’s own calls',
    tag: 'Agents',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
})

export const voiceRoutes = routes({
  'POST /voice/transcribe': {
    access: 'voice',
    isPatient: true,
    bodyLimit: VOICE_MAX_BYTES,
    summary: 'Write down what is said',
    description:
      'A recording of at most 25 MB and 10 minutes, judged by its content. It is not kept. A request that is given up stops the work.',
    tag: 'Voice',
    form: transcribeFieldsSchema.extend({ file: z.file() }),
    response: { 200: transcriptSchema },
    errors: [413, 415, 422, 429, 503, 507],
  },
  'POST /voice/speak': {
    access: 'voice',
    summary: 'Read a text aloud',
    description: 'Marks of Markdown are left out. The sound comes as it is made.',
    tag: 'Voice',
    body: speakSchema,
    file: ['audio/mpeg', 'audio/wav', 'audio/ogg', 'audio/flac'],
    errors: [429, 503, 507],
  },
  'GET /web': {
    access: 'chat',
    summary: 'Tell whether conversations may look things up on the web',
    description: 'A conversation does so once its `parameters` say `use_web`.',
    tag: 'Chat',
    response: { 200: webStateSchema },
  },
  'GET /admin/web': {
    access: 'admin',
    summary: 'Tell what is decided about the web',
    tag: 'Admin',
    response: { 200: webSettingsSchema },
  },
  'PUT /admin/web': {
    access: 'admin',
    sessionOnly: true,
    audit: 'web.changed',
    summary: 'Decide whether the web may be looked at, and what searches it',
    description:
      'The search is tried before this answers; what goes wrong then is in `check`. The key is kept encrypted; it is ' +
      'written, and never read.',
    tag: 'Admin',
    body: updateWebSettingsSchema,
    response: { 200: webSettingsSchema },
  },
  'POST /admin/web/test': {
    access: 'admin',
    sessionOnly: true,
    audit: 'web.tested',
    summary: 'Search the web once',
    description: 'What goes wrong is in `check`.',
    tag: 'Admin',
    response: { 200: webSettingsSchema },
  },
})

const STREAM_DESCRIPTION =
  'Each event has an id; the last line is `data: [DONE]`. A lost connection does not stop the answer: follow it ' +
  'again with `Last-Event-ID`.'

export const chatRoutes = routes({
  'POST /chat/message': {
    access: 'chat',
    bodyLimit: MESSAGE_BODY_MAX_BYTES,
    summary: 'Send a message and follow its answer',
    description:
      'Without session_id it begins a conversation. Another message with the parent_id of one that is there is a ' +
      `branch beside it; null stands for the parent of the first message. Of a temporary message nothing is stored: its ` +
      `events have a session_id of null, history tells what was said before, and who leaves ends it. Items, agents, ` +
      `projects and tags that are named are the caller’s own. ${STREAM_DESCRIPTION}`,
    tag: 'Chat',
    body: chatRequestSchema,
    events: chatEventSchema,
    errors: [404, 409, 413, 415, 429, 507],
  },
  'GET /chat/sessions/:id/stream': {
    access: 'chat',
    bound: 'stream',
    summary: 'Follow an answer',
    description:
      'Replays and follows the newest answer, or the one of message_id; ids of events count within one answer, so ' +
      'send message_id together with Last-Event-ID. An answer whose events are not kept any more is told anew, ' +
      'beginning with its session event.',
    tag: 'Chat',
    params: idParamsSchema,
    query: chatStreamQuerySchema,
    headers: chatStreamHeadersSchema,
    events: chatEventSchema,
  },
  'POST /chat/sessions/:id/regenerate': {
    access: 'chat',
    summary: 'Make another answer beside one that is there',
    description:
      'The conversation shows the new answer, unless it is made beside another one to be compared; of these, a few are made ' +
      `at once. A model that is given makes this one alone. ${STREAM_DESCRIPTION}`,
    tag: 'Chat',
    params: idParamsSchema,
    body: regenerateSchema,
    events: chatEventSchema,
    errors: [409, 429],
  },
  'GET /chat/messages/:id/versions': {
    access: 'chat',
    summary: 'Read all answers to the question of an answer',
    description:
      `The newest ${MAX_SHOWN_VERSIONS}, in the order in which they began: those that were made again and those that were made ` +
      'beside one another. The content of one that is streaming is what has come so far.',
    tag: 'Chat',
    params: idParamsSchema,
    response: { 200: answerVersionsSchema },
  },
  'POST /chat/messages/:id/feedback': {
    access: 'chat',
    answersStored: true,
    summary: 'Rate an answer',
    tag: 'Chat',
    params: idParamsSchema,
    body: feedbackSchema,
    response: { 200: chatMessageSchema },
  },
  'POST /chat/sessions/:id/stop': {
    access: 'chat',
    summary: 'Stop the answer that is being made',
    description: 'What had arrived is kept, marked interrupted. Does nothing when no answer is being made.',
    tag: 'Chat',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
  'POST /chat/sessions/:id/calls/:call_id': {
    access: 'chat',
    answersStored: true,
    summary: 'Allow or refuse a call of an agent that waits',
    description:
      'A call that would change something waits when words of files or of the web are in the conversation, and one of a ' +
      'connected server that asks first. It is made once, after its answer has ended; the answer then goes on with what ' +
      'came of it, or without it: `streaming` says so, and the stream of the conversation tells the rest.',
    tag: 'Chat',
    params: callParamsSchema,
    body: answerCallSchema,
    response: { 200: chatMessageSchema },
    errors: [409, 429],
  },
  'POST /chat/sessions/:id/messages/:message_id/continue': {
    access: 'chat',
    answersStored: true,
    summary: 'Go on with an answer that was cut at its length',
    description:
      'One whose `stop_reason` is `length`: what follows is added to it. `streaming` is true then, and the stream of the ' +
      'conversation tells the rest.',
    tag: 'Chat',
    params: continueParamsSchema,
    response: { 200: chatMessageSchema },
    errors: [409, 429],
  },
})
