import type { AttachedMedia, ChatEvent, ChatMessageView, ChatSessionView, UserEventJson } from '@mira/shared'
import { NotFoundError, ValidationError } from '../../../errors.ts'
import type { PicturesService, PresentedPicture } from '../pictures/pictures.service.ts'
import type { Answers } from '../turns/answers.service.ts'
import type { AnswerHead } from '../turns/stored-answers.store.ts'
import type { Links } from './links.ts'
import type { AttachedRow, MessageRow } from './message-rows.ts'
import type { SessionRow } from './sessions.store.ts'
import { withoutMarks } from './snippet.ts'

export const conversationNotFound = () => new NotFoundError('This conversation no longer exists.')
export const noMessage = () => new NotFoundError('This message isn’t part of the conversation.')
export const noItem = () =>
  new NotFoundError('An attached item is no longer in your library. Remove it.', { code: 'attached_item_gone' })
export const noAnswer = () =>
  new ValidationError('This message isn’t an answer by the assistant.', { code: 'not_an_answer' })

/** A conversation as the API returns it. */
export function presentSession(row: SessionRow): ChatSessionView {
  const excerpt = row.snippet ? withoutMarks(row.snippet) : null
  return {
    id: row.id,
    session_name: row.session_name,
    created_at: row.created_at,
    updated_at: row.updated_at,
    message_count: row.message_count,
    agent_used: row.agent_used,
    status: row.is_completed ? 'completed' : 'active',
    tokens_used: row.tokens_used,
    avg_response_time: toSeconds(row.avg_response_ms),
    sentiment: row.sentiment,
    pinned: row.is_pinned,
    archived: row.is_archived,
    tags: row.tags,
    project_id: row.project_id,
    persona_id: row.persona_id,
    snippet: excerpt?.text ?? null,
    ...(excerpt && { snippet_highlights: excerpt.highlights }),
    snippet_message_id: row.snippet_message_id ?? null,
  }
}

/** An attached item as the API returns it. @param sign makes a path loadable by a browser without a token */
function presentAttached(row: AttachedRow, sign: (path: string) => string): AttachedMedia {
  const { media_id, title, media_type, has_thumbnail } = row
  return {
    media_id,
    title,
    media_type,
    thumbnail: media_id !== null && has_thumbnail ? sign(`/api/media/${media_id}/thumbnail`) : null,
    url: media_id === null ? null : `/gallery/${media_id}`,
  }
}

/** A message as the API returns it. @param partialContent text so far of a running answer */
export function presentMessage(
  row: MessageRow,
  partialContent: string | undefined,
  images: PresentedPicture[] = [],
  media: AttachedMedia[] = [],
): ChatMessageView {
  const isStreaming = row.state === 'streaming'
  return {
    id: row.id,
    ...(row.client_id !== null && { client_id: row.client_id }),
    role: row.role,
    content: isStreaming ? (partialContent ?? '') : row.content,
    created_at: row.created_at,
    images,
    media,
    mentions: row.mentions,
    model_used: row.model_used,
    engine: row.engine,
    streaming: isStreaming,
    interrupted: row.state === 'interrupted',
    ...(row.stop_reason !== null && !isStreaming && { stop_reason: row.stop_reason }),
    error: row.error,
    error_code: row.error_code,
    ...(row.error_told.length > 0 && { error_told: row.error_told }),
    reasoning: row.reasoning,
    sources: row.sources,
    agent_calls: row.agent_calls,
    usage:
      row.input_tokens === null || row.output_tokens === null
        ? null
        : { input_tokens: row.input_tokens, output_tokens: row.output_tokens },
    duration_ms: row.duration_ms,
    parent_id: row.parent_id,
    siblings: {
      index: row.sibling_index,
      count: row.sibling_count,
      previous_id: row.previous_sibling_id,
      next_id: row.next_sibling_id,
    },
    rating: row.rating,
  }
}

/** Events of an answer whose log was deleted, rebuilt from its message. */
export function storedEventsOf(head: AnswerHead): ChatEvent[] {
  const events: ChatEvent[] = [
    {
      type: 'session',
      session_id: head.sessionId,
      user_message_id: head.questionId,
      message_id: head.messageId,
      session_name: head.sessionName,
    },
  ]
  if (head.reasoning !== null) events.push({ type: 'reasoning', content: head.reasoning })
  for (const call of head.agentCalls) events.push({ type: 'agent', ...call })
  if (head.sources.length > 0) events.push({ type: 'sources', sources: head.sources })
  if (head.content !== '') events.push({ type: 'chunk', content: head.content })
  if (head.state === 'failed') {
    events.push({
      type: 'error',
      content: head.error ?? '',
      code: head.errorCode ?? 'internal_error',
      ...(head.errorSentences.length > 0 && { told: head.errorSentences }),
    })
  } else {
    events.push({
      type: 'complete',
      session_id: head.sessionId,
      message_id: head.messageId,
      model_used: head.model,
      engine: head.engine,
      usage: head.usage,
      duration_ms: head.durationMs ?? 0,
      interrupted: head.state === 'interrupted',
      ...(head.stopReason && { stop_reason: head.stopReason }),
    })
  }
  return events
}

/** Event for a user's open pages: a conversation was changed or deleted. */
export function updatedEvent(sessionId: string, deleted = false): UserEventJson {
  return { type: 'chat.updated', session_id: sessionId, deleted }
}

/** Milliseconds as seconds with up to three decimals. */
export function toSeconds(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms) / 1000
}

interface MessageViewsDeps {
  answers: Answers
  pictures: PicturesService
  links: Links
}

export type MessageViews = ReturnType<typeof createMessageViews>

/** Prepares messages for display, with signed links. */
export function createMessageViews({ answers, pictures, links }: MessageViewsDeps) {
  const { signPath, signSources } = links
  return {
    /** Messages as the API returns them, with running answers' text so far. Callers must check that the messages are the user's. */
    async present(userId: string, rows: MessageRow[]): Promise<ChatMessageView[]> {
      const streaming = rows.flatMap((row) => (row.state === 'streaming' ? [row.id] : []))
      const partialContents =
        streaming.length > 0 ? await answers.partialContents(streaming) : new Map<string, string>()
      const picturesOf = await pictures.present(
        userId,
        rows.map(({ id }) => id),
      )
      return rows.map((row) => {
        const sources = signSources(userId, row.sources)
        const media = row.media.map((item) => presentAttached(item, (path) => signPath(userId, path)))
        return presentMessage({ ...row, sources }, partialContents.get(row.id), picturesOf.get(row.id), media)
      })
    },
  }
}
