import { path } from '@mira/client/path'
import type {
  AdminSettings,
  AdminSettingsResponseJson,
  Capability,
  EmbeddingProfilesResponse,
  EngineTestResponse,
  LocalModel,
  LocalModelsResponse,
} from '@mira/shared'
import { request, requestJson } from './client.ts'

/** A trial may have to load a model first; the server ends it by itself. */
const TRIAL_TIMEOUT_MS = 150_000

/** The settings of the instance, and which engine does what. */
export async function fetchAdminSettings(signal?: AbortSignal): Promise<AdminSettingsResponseJson> {
  return requestJson('/admin/settings', { signal })
}

/** Decides all settings of the instance. */
export async function saveAdminSettings(settings: AdminSettings): Promise<AdminSettingsResponseJson> {
  return requestJson('/admin/settings', { method: 'PUT', json: settings })
}

/** Does once what a capability is for, with the engine in use. */
export async function testEngine(capability: Capability): Promise<EngineTestResponse> {
  return requestJson('/admin/engines/test', { method: 'POST', json: { capability }, timeoutMs: TRIAL_TIMEOUT_MS })
}

/** Models that the server can run itself. */
export async function fetchLocalModels(signal?: AbortSignal): Promise<LocalModelsResponse> {
  return requestJson('/admin/models', { signal })
}

/** Begins to fetch a model to the server. */
export async function downloadLocalModel(id: string): Promise<LocalModel> {
  return requestJson(path`/admin/models/${id}/download`, { method: 'POST' })
}

/** Takes a model off the server. */
export async function removeLocalModel(id: string): Promise<void> {
  await request(path`/admin/models/${id}`, { method: 'DELETE' })
}

/** The vectors that searches by meaning use, by the model that made them. */
export async function fetchEmbeddingProfiles(signal?: AbortSignal): Promise<EmbeddingProfilesResponse> {
  return requestJson('/admin/embeddings', { signal })
}

/** Removes the vectors of a model that is not used any more. */
export async function dropEmbeddingProfile(id: number): Promise<void> {
  await request(path`/admin/embeddings/${id}/drop`, { method: 'POST' })
}
