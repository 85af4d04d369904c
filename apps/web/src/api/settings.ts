import type {
  AdminSettings,
  AdminSettingsResponseJson,
  Capability,
  EmbeddingProfilesResponse,
  EngineTestResponse,
  LocalModel,
  LocalModelsResponse,
} from '@mira/shared'
import { call } from './client.ts'

/** A trial may have to load a model first; the server ends it by itself. */
const TRIAL_TIMEOUT_MS = 150_000

/** The settings of the instance, and which engine does what. */
export async function fetchAdminSettings(signal?: AbortSignal): Promise<AdminSettingsResponseJson> {
  return call('GET /admin/settings', { signal })
}

/** Decides all settings of the instance. */
export async function saveAdminSettings(settings: AdminSettings): Promise<AdminSettingsResponseJson> {
  return call('PUT /admin/settings', { json: settings })
}

/** Does once what a capability is for, with the engine in use. */
export async function testEngine(capability: Capability): Promise<EngineTestResponse> {
  return call('POST /admin/engines/test', { json: { capability }, timeoutMs: TRIAL_TIMEOUT_MS })
}

/** Models that the server can run itself. */
export async function fetchLocalModels(signal?: AbortSignal): Promise<LocalModelsResponse> {
  return call('GET /admin/models', { signal })
}

/** Begins to fetch a model to the server. */
export async function downloadLocalModel(id: string): Promise<LocalModel> {
  return call('POST /admin/models/:id/download', { params: { id } })
}

/** Takes a model off the server. */
export async function removeLocalModel(id: string): Promise<void> {
  await call('DELETE /admin/models/:id', { params: { id } })
}

/** The vectors that searches by meaning use, by the model that made them. */
export async function fetchEmbeddingProfiles(signal?: AbortSignal): Promise<EmbeddingProfilesResponse> {
  return call('GET /admin/embeddings', { signal })
}

/** Removes the vectors of a model that is not used any more. */
export async function dropEmbeddingProfile(id: number): Promise<void> {
  await call('POST /admin/embeddings/:id/drop', { params: { id } })
}
