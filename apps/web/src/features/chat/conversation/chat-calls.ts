import { type AnswerPart, readAnswer } from '@mira/client/answer-stream'
import { fileNameOf } from '@mira/client/file-name'
import { path } from '@mira/client/path'
import type {
  AnswerVersionsJson,
  ChatMessageJson,
  ChatRequestJson,
  ChatSessionDetailJson,
  ChatSessionJson,
  UpdateChatSession,
} from '@mira/shared'
import { call, callForResponse, requestEvents } from '../../../lib/api/client.ts'

export type { AnswerPart }

/**
 * Sends a message and streams its answer.
 *
 * @throws ApiError when the server refuses, cannot be reached, or the stream breaks off or falls silent.
 */
export function sendMessage(message: ChatRequestJson, signal: AbortSignal): AsyncGenerator<AnswerPart> {
  return readAnswer({ requestEvents }, '/chat/message', { method: 'POST', json: message }, signal)
}

/**
 * Requests another version of an answer, by the conversation's model or another one, and streams it.
 *
 * @throws ApiError as `sendMessage`.
 */
export function regenerateAnswer(
  sessionId: string,
  { messageId, model, isComparison }: { messageId: string; model?: string | undefined; isComparison?: true },
  signal: AbortSignal,
): AsyncGenerator<AnswerPart> {
  const json = { message_id: messageId, model, beside: isComparison }
  return readAnswer({ requestEvents }, path`/chat/sessions/${sessionId}/regenerate`, { method: 'POST', json }, signal)
}

/**
 * Streams an answer being generated, from its beginning or after an event.
 *
 * @throws ApiError as `sendMessage`.
 */
export function streamAnswer(
  sessionId: string,
  { messageId, afterEventId }: { messageId: string; afterEventId: number | null },
  signal: AbortSignal,
): AsyncGenerator<AnswerPart> {
  const headers = afterEventId === null ? {} : { 'Last-Event-ID': String(afterEventId) }
  return readAnswer(
    { requestEvents },
    path`/chat/sessions/${sessionId}/stream`,
    { headers, query: { message_id: messageId } },
    signal,
  )
}

/** Stops the answer being generated; its text so far is kept. */
export async function stopAnswer(sessionId: string): Promise<void> {
  await call('POST /chat/sessions/:id/stop', { params: { id: sessionId }, timeoutMs: 10_000 })
}

export type SessionFilter = {
  /** Searches names and messages. */
  query?: string
  /** Defaults to conversations that aren't archived. */
  archived?: 'true' | 'any'
  tag?: string
  projectId?: string
  /** Lists only the trash. */
  in?: 'trash'
}

/** A conversation with its newest messages, or with those before a cursor; oldest first. */
export async function fetchChatSession(
  id: string,
  { before, limit }: { before?: string; limit?: number } = {},
  signal?: AbortSignal,
): Promise<ChatSessionDetailJson> {
  return call('GET /chat/sessions/:id', { params: { id }, signal, query: { before, limit } })
}

export async function updateChatSession(id: string, change: UpdateChatSession): Promise<ChatSessionJson> {
  return call('PATCH /chat/sessions/:id', { params: { id }, json: change })
}

/** All versions of an answer, in the order in which they were started. */
export async function fetchAnswerVersions(id: string, signal?: AbortSignal): Promise<ChatMessageJson[]> {
  const { messages }: AnswerVersionsJson = await call('GET /chat/messages/:id/versions', { params: { id }, signal })
  return messages
}

/** Allows or refuses a waiting agent call; returns the message that it belongs to. */
export async function decideCall(sessionId: string, callId: string, isAllowed: boolean): Promise<ChatMessageJson> {
  const json = { allow: isAllowed }
  return call('POST /chat/sessions/:id/calls/:call_id', {
    params: { id: sessionId, call_id: callId },
    json,
    timeoutMs: 90_000,
  })
}

/** A conversation as a file, with the name that the server gives it. */
export async function exportChatSession(
  id: string,
  format: 'markdown' | 'json',
): Promise<{ blob: Blob; name: string }> {
  const response = await callForResponse('GET /chat/sessions/:id/export', {
    params: { id },
    query: { format },
    timeoutMs: 120_000,
  })
  const fallback = format === 'json' ? 'chat.json' : 'chat.md'
  return { blob: await response.blob(), name: fileNameOf(response.headers.get('Content-Disposition'), fallback) }
}
