import { type MemoryLogsResponseJson, memoryLogsResponseSchema } from '@mira/shared'
import type { TestAccount, TestApp } from './test-app.ts'

/** Reads a page of a user's memory logs through the API, and checks the response against its schema. */
export async function readMemoryLogs(
  { request }: TestApp,
  { token }: TestAccount,
  query = '',
): Promise<MemoryLogsResponseJson> {
  const { body } = await request.get(`/api/memory/logs?${query}`).auth(token, { type: 'bearer' }).expect(200)
  memoryLogsResponseSchema.parse(body)
  return body
}
