import { z } from 'zod'
import {
  chatModelSchema,
  connectionParamsSchema,
  connectionSchema,
  connectionTrialSchema,
  localModelSchema,
  localModelsResponseSchema,
  newConnectionSchema,
  ollamaModelSchema,
  ollamaPullEventSchema,
  ollamaSchema,
  testConnectionSchema,
  updateConnectionSchema,
} from '../connections.ts'
import {
  adminSettingsResponseSchema,
  adminSettingsSchema,
  engineTestResponseSchema,
  engineTestSchema,
} from '../settings.ts'
import { noContentSchema, routes } from './route.ts'

const paramsSchema = z.object({ id: z.string().min(1).max(200) })
const WRITE_ONLY = 'Key and headers are stored encrypted and never returned.'

export const settingsRoutes = routes({
  'GET /admin/settings': {
    access: 'admin',
    summary: 'Read the settings of the instance',
    description: 'Includes the defaults, and the engine now in use for each capability.',
    tag: 'Admin',
    response: { 200: adminSettingsResponseSchema },
  },
  'PUT /admin/settings': {
    access: 'admin',
    sessionOnly: true,
    audit: 'settings.changed',
    summary: 'Change the settings of the instance',
    description:
      'Takes all of them. They override the environment and apply immediately on every server. Values equal to ' +
      'those in `defaults` continue to follow the environment.',
    tag: 'Admin',
    body: adminSettingsSchema,
    response: { 200: adminSettingsResponseSchema },
  },
  'POST /admin/engines/test': {
    access: 'admin',
    audit: 'engine.tested',
    summary: 'Test the engine in use for a capability',
    description: 'Runs it once on a small generated sample; responds within two minutes.',
    tag: 'Admin',
    body: engineTestSchema,
    response: { 200: engineTestResponseSchema },
  },
  'GET /admin/models': {
    access: 'admin',
    summary: 'List the models that this server can run itself',
    description: 'Progress is sent as `model.progress` of GET /events.',
    tag: 'Admin',
    response: { 200: localModelsResponseSchema },
  },
  'POST /admin/models/:id/download': {
    access: 'admin',
    audit: 'model.fetched',
    summary: 'Download a model',
    description: 'Continues in the background. The slash of the name is written as %2F.',
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
    summary: 'List the models stored on a connected Ollama server',
    description: '`version` is null where the server is not Ollama, or does not respond.',
    tag: 'Admin',
    params: connectionParamsSchema,
    response: { 200: ollamaSchema },
  },
  'POST /admin/connections/:id/ollama/pull': {
    access: 'admin',
    sessionOnly: true,
    audit: 'ollama.pulled',
    summary: 'Have Ollama download a model',
    description:
      'The last event is `done` or `failed`, then `[DONE]` ends the stream. Closing the stream stops the download; ' +
      'the part already downloaded is kept for the next attempt.',
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
    summary: 'List the models that can be picked for a conversation',
    description: 'Models of all connections, each once: the first connection that has a model is used.',
    tag: 'Chat',
    response: { 200: z.array(chatModelSchema) },
  },
  'GET /admin/connections': {
    access: 'admin',
    summary: 'List the connected model servers',
    description: 'The connection configured in the environment comes first, and is changed there.',
    tag: 'Admin',
    response: { 200: z.array(connectionSchema) },
  },
  'POST /admin/connections': {
    access: 'admin',
    sessionOnly: true,
    audit: 'connection.added',
    summary: 'Connect a model server',
    description:
      'The connection applies immediately on every server; its models are requested before the response is sent. ' +
      WRITE_ONLY,
    tag: 'Admin',
    body: newConnectionSchema,
    response: { 201: connectionSchema },
    errors: [409],
  },
  'POST /admin/connections/test': {
    access: 'admin',
    sessionOnly: true,
    audit: 'connection.tested',
    summary: 'Test a model server before connecting it',
    description:
      'Asks it for its models and stores nothing; problems are in `check`. With the `id` of a connection of the ' +
      'same origin, its key and headers are used where none are given.',
    tag: 'Admin',
    body: testConnectionSchema,
    response: { 200: connectionTrialSchema },
    errors: [404],
  },
  'PATCH /admin/connections/:id': {
    access: 'admin',
    sessionOnly: true,
    audit: 'connection.changed',
    summary: 'Change a connection',
    description:
      `Omitted fields stay; an empty key or null removes it. ${WRITE_ONLY} With an address of another origin, a key and ` +
      'headers that are not sent again are removed.',
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
    description: 'Problems are in `check`.',
    tag: 'Admin',
    params: connectionParamsSchema,
    response: { 200: connectionSchema },
  },
})
