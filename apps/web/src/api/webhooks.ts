import { path } from '@mira/client/path'
import type {
  CreatedHookJson,
  CreateHookJson,
  HookDeliveriesResponseJson,
  HookDeliveryJson,
  HooksResponseJson,
} from '@mira/shared'
import { request, requestJson } from './client.ts'

const PAGE_SIZE = 50

/** A page of the person's hooks, newest first. */
export function fetchHooks(cursor: string | null, signal?: AbortSignal): Promise<HooksResponseJson> {
  return requestJson('/me/hooks', { signal, query: { limit: PAGE_SIZE, cursor } })
}

/** Adds a hook; its answer alone carries the secret. */
export function createHook(hook: CreateHookJson): Promise<CreatedHookJson> {
  return requestJson('/me/hooks', { method: 'POST', json: hook })
}

/** Deletes a hook with its log. */
export async function deleteHook(id: string): Promise<void> {
  await request(path`/me/hooks/${id}`, { method: 'DELETE' })
}

/** Sends a trial, and tells what came of it. */
export function testHook(id: string): Promise<HookDeliveryJson> {
  return requestJson(path`/me/hooks/${id}/test`, { method: 'POST' })
}

/** A page of what a hook was told, newest first. */
export function fetchDeliveries(
  id: string,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<HookDeliveriesResponseJson> {
  return requestJson(path`/me/hooks/${id}/deliveries`, { signal, query: { limit: PAGE_SIZE, cursor } })
}
