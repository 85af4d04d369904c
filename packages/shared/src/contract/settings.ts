import { z } from 'zod'
import {
  chatModelSchema,
  connectionParamsSchema,
  connectionSchema,
  connectionTrialSchema,
  newConnectionSchema,
  ollamaModelSchema,
  ollamaPullEventSchema,
  ollamaSchema,
  tryConnectionSchema,
  updateConnectionSchema,
} from '../connections.ts'
import { localModelSchema, localModelsResponseSchema } from '../models.ts'
import {
  adminSettingsResponseSchema,
  adminSettingsSchema,
  engineTestResponseSchema,
  engineTestSchema,
} from '../settings.ts'
import { noContentSchema, routes } from './route.ts'

const paramsSchema = z.object({ id: z.string().min(1).max(200) })
const WRITTEN = 'Key and headers are kept encrypted; they are written, and never read.'

export const settingsRoutes = routes({
  'GET /admin/settings': {
    access: 'admin',
    summary: 'Read the settings of the instance',
    description: 'With what would hold if nothing were decided here, and which engine does what now.',
    tag: 'Admin',
    response: { 200: adminSettingsResponseSchema },
  },
  'PUT /admin/settings': {
    access: 'admin',
    sessionOnly: true,
    audit: 'settings.changed',
    summary: 'Decide the settings of the instance',
    description:
      'Takes all of them. They win over the environment and hold at once, on every server. What is the same as in ' +
      '`defaults` goes on following the environment.',
    tag: 'Admin',
    body: adminSettingsSchema,
    response: { 200: adminSettingsResponseSchema },
  },
  'POST /admin/engines/test': {
    access: 'admin',
    audit: 'engine.tested',
    summary: 'Try the engine that is in use for a capability',
    description: 'Really does it once, with small material made on the spot; answers within two minutes.',
    tag: 'Admin',
    body: engineTestSchema,
    response: { 200: engineTestResponseSchema },
  },
  'GET /admin/models': {
    access: 'admin',
    summary: 'List the models that this server can run itself',
    description: 'Progress comes as `model.progress` of GET /events.',
    tag: 'Admin',
    response: { 200: localModelsResponseSchema },
  },
  'POST /admin/models/:id/download': {
    access: 'admin',
    audit: 'model.fetched',
    summary: 'Download a model',
    description: 'Goes on in the background. The slash of the name is written as %2F.',
    tag: 'Admin',
    params: paramsSchema,
    response: { 202: localModelSchema },
    errors: [404, 409],
  },
  'DELETE /admin/models/:id': {
    access: 'admin',
    audit: 'model.removed',
    summary: 'Remove a model from this server',
    tag: 'Admin',
    params: paramsSchema,
    response: { 204: noContentSchema },
    errors: [404, 409],
  },
  'GET /admin/connections/:id/ollama': {
    access: 'admin',
    summary: 'List what a connected Ollama has stored',
    description: '`version` is null where the server is something else, or does not answer.',
    tag: 'Admin',
    params: connectionParamsSchema,
    response: { 200: ollamaSchema },
  },
  'POST /admin/connections/:id/ollama/pull': {
    access: 'admin',
    sessionOnly: true,
    audit: 'ollama.pulled',
    summary: 'Have Ollama fetch a model',
    description:
      'The last event is `done` or `failed`, then `[DONE]` ends the stream. Whoever closes it stops the fetching; what had ' +
      'come stays for the next time.',
    tag: 'Admin',
    params: connectionParamsSchema,
    body: ollamaModelSchema,
    events: ollamaPullEventSchema,
    errors: [409],
  },
  'POST /admin/connections/:id/ollama/remove': {
    access: 'admin',
    sessionOnly: true,
    audit: 'ollama.removed',
    summary: 'Remove a model from Ollama',
    tag: 'Admin',
    params: connectionParamsSchema,
    body: ollamaModelSchema,
    response: { 204: noContentSchema },
    errors: [503],
  },
  'GET /models': {
    access: 'chat',
    summary: 'List the models that may be picked for a conversation',
    description: 'Of all connections, each once: the first connection that has it answers.',
    tag: 'Chat',
    response: { 200: z.array(chatModelSchema) },
  },
  'GET /admin/connections': {
    access: 'admin',
    summary: 'List the connected model servers',
    description: 'The one that the environment describes comes first; it is changed there.',
    tag: 'Admin',
    response: { 200: z.array(connectionSchema) },
  },
  'POST /admin/connections': {
    access: 'admin',
    sessionOnly: true,
    audit: 'connection.added',
    summary: 'Connect a model server',
    description: `It holds at once, on every server, and is asked for its models before this answers. ${WRITTEN}`,
    tag: 'Admin',
    body: newConnectionSchema,
    response: { 201: connectionSchema },
    errors: [409],
  },
  'POST /admin/connections/test': {
    access: 'admin',
    sessionOnly: true,
    audit: 'connection.tested',
    summary: 'Try a model server before it is connected',
    description:
      'Asks it for its models and keeps nothing; what goes wrong is in `check`. With the `id` of a connection on the same ' +
      'host, its key and headers are used where none are given.',
    tag: 'Admin',
    body: tryConnectionSchema,
    response: { 200: connectionTrialSchema },
    errors: [404],
  },
  'PATCH /admin/connections/:id': {
    access: 'admin',
    sessionOnly: true,
    audit: 'connection.changed',
    summary: 'Change a connection',
    description:
      `What is left out stays; an empty key and null remove it. ${WRITTEN} With an address on another host, a key ` +
      'and headers that are not given again are forgotten.',
    tag: 'Admin',
    params: connectionParamsSchema,
    body: updateConnectionSchema,
    response: { 200: connectionSchema },
    errors: [409],
  },
  'DELETE /admin/connections/:id': {
    access: 'admin',
    sessionOnly: true,
    audit: 'connection.removed',
    summary: 'Remove a connection',
    tag: 'Admin',
    params: connectionParamsSchema,
    response: { 204: noContentSchema },
    errors: [409],
  },
  'POST /admin/connections/:id/test': {
    access: 'admin',
    audit: 'connection.tested',
    summary: 'Ask a connection for its models',
    description: 'What goes wrong is in `check`.',
    tag: 'Admin',
    params: connectionParamsSchema,
    response: { 200: connectionSchema },
  },
})
