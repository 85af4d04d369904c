import type {
  CreatedHookJson,
  CreateHookJson,
  HookDeliveriesResponseJson,
  HookDeliveryJson,
  HooksResponseJson,
} from '@mira/shared'
import { call } from './client.ts'

const PAGE_SIZE = 50

/** A page of the person's hooks, newest first. */
export function fetchHooks(cursor: string | null, signal?: AbortSignal): Promise<HooksResponseJson> {
  return call('GET /me/hooks', { signal, query: { limit: PAGE_SIZE, cursor } })
}

/** Adds a hook; its answer alone carries the secret. */
export function createHook(hook: CreateHookJson): Promise<CreatedHookJson> {
  return call('POST /me/hooks', { json: hook })
}

/** Deletes a hook with its log. */
export async function deleteHook(id: string): Promise<void> {
  await call('DELETE /me/hooks/:id', { params: { id } })
}

/** Sends a trial, and tells what came of it. */
export function testHook(id: string): Promise<HookDeliveryJson> {
  return call('POST /me/hooks/:id/test', { params: { id } })
}

/** A page of what a hook was told, newest first. */
export function fetchDeliveries(
  id: string,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<HookDeliveriesResponseJson> {
  return call('GET /me/hooks/:id/deliveries', { params: { id }, signal, query: { limit: PAGE_SIZE, cursor } })
}
