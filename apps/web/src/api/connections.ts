import { path } from '@mira/client/path'
import type {
  ChatModel,
  ModelConnection,
  NewConnectionJson,
  Ollama,
  OllamaPullEvent,
  UpdateConnection,
} from '@mira/shared'
import { SSE_DONE } from '@mira/shared/sse'
import { call, requestEvents } from './client.ts'

/** Models selectable for a conversation. */
export async function fetchChatModels(signal?: AbortSignal): Promise<ChatModel[]> {
  return call('GET /models', { signal })
}

/** The connected model servers, the environment's first. */
export async function fetchConnections(signal?: AbortSignal): Promise<ModelConnection[]> {
  return call('GET /admin/connections', { signal })
}

/** Connects a model server; the answer tells how it did when it was tried. */
export async function addConnection(connection: NewConnectionJson): Promise<ModelConnection> {
  return call('POST /admin/connections', { json: connection })
}

/** Changes what is given. */
export async function updateConnection(id: string, changes: UpdateConnection): Promise<ModelConnection> {
  return call('PATCH /admin/connections/:id', { params: { id }, json: changes })
}

/** Removes a connection with its key. */
export async function removeConnection(id: string): Promise<void> {
  await call('DELETE /admin/connections/:id', { params: { id } })
}

/** Asks a connection for its models at once. */
export async function testConnection(id: string): Promise<ModelConnection> {
  return call('POST /admin/connections/:id/test', { params: { id } })
}

/** Models stored by a connected Ollama server. */
export async function fetchOllama(id: string, signal?: AbortSignal): Promise<Ollama> {
  return call('GET /admin/connections/:id/ollama', { params: { id }, signal })
}

/** Has Ollama fetch a model; whoever stops reading stops it. */
export async function* pullOllamaModel(
  id: string,
  model: string,
  signal: AbortSignal,
): AsyncGenerator<OllamaPullEvent> {
  const events = requestEvents(path`/admin/connections/${id}/ollama/pull`, { method: 'POST', json: { model }, signal })
  for await (const { data } of events) {
    if (data === SSE_DONE) return
    yield JSON.parse(data) as OllamaPullEvent
  }
}

/** Removes a model from Ollama. */
export async function removeOllamaModel(id: string, model: string): Promise<void> {
  await call('POST /admin/connections/:id/ollama/remove', { params: { id }, json: { model } })
}
