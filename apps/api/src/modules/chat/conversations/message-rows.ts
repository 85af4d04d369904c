import type { AgentCall, AnswerStopReason, CodedSentence, Mention, Source } from '@mira/shared'

/** An item that was attached to a message. */
export interface AttachedRow {
  /** Null when it was deleted. */
  media_id: string | null
  title: string
  media_type: string
  has_thumbnail: boolean
}

/** A message with its position among the answers to the same question. */
export interface MessageRow {
  id: string
  client_id: string | null
  role: 'user' | 'assistant'
  content: string
  state: 'streaming' | 'complete' | 'interrupted' | 'failed'
  error: string | null
  error_code: string | null
  error_told: CodedSentence[]
  stop_reason: AnswerStopReason | null
  model_used: string | null
  engine: string | null
  input_tokens: number | null
  output_tokens: number | null
  duration_ms: number | null
  sources: Source[]
  media: AttachedRow[]
  mentions: Mention[]
  agent_calls: AgentCall[]
  reasoning: string | null
  rating: 'up' | 'down' | null
  parent_id: string | null
  created_at: Date
  sibling_index: number
  sibling_count: number
  previous_sibling_id: string | null
  next_sibling_id: string | null
}

/** Columns of a MessageRow, from a message `b` and its `siblings`. */
export const MESSAGE_COLUMNS = `coalesce((
    SELECT jsonb_agg(
      jsonb_build_object('media_id', i.id, 'title', a.title, 'media_type', a.media_type, 'has_thumbnail',
        coalesce(i.media_type = 'image' OR EXISTS (
          SELECT FROM media_copies c WHERE c.media_item_id = i.id AND c.kind = 'thumbnail'), false))
      ORDER BY a.position
    ) FROM chat_message_media a LEFT JOIN media_items i ON i.id = a.media_item_id AND i.user_id IS NOT NULL WHERE a.message_id = b.id
  ), '[]') AS media, b.mentions, b.id, b.client_id, b.role, b.content, b.state, b.error, b.error_code, b.error_told, b.stop_reason,
    b.model_used,
  b.engine, b.input_tokens, b.output_tokens, b.duration_ms, b.sources, b.agent_calls, b.reasoning, b.rating, b.parent_id,
  b.created_at, siblings.index AS sibling_index, siblings.count AS sibling_count,
  siblings.previous_id AS previous_sibling_id, siblings.next_id AS next_sibling_id`
/** Position of a message `b` among those with the same parent; each half of the union uses its own index. */
export const SIBLINGS = `
  SELECT count(*)::int AS count,
    (count(*) FILTER (WHERE (o.created_at, o.id) < (b.created_at, b.id)))::int AS index,
    (array_agg(o.id ORDER BY o.created_at DESC, o.id DESC)
      FILTER (WHERE (o.created_at, o.id) < (b.created_at, b.id)))[1] AS previous_id,
    (array_agg(o.id ORDER BY o.created_at, o.id)
      FILTER (WHERE (o.created_at, o.id) > (b.created_at, b.id)))[1] AS next_id
  FROM (
    SELECT o.id, o.created_at, o.role FROM chat_messages o WHERE o.parent_id = b.parent_id
    UNION ALL
    SELECT o.id, o.created_at, o.role FROM chat_messages o
    WHERE b.parent_id IS NULL AND o.session_id = b.session_id AND o.parent_id IS NULL
  ) o WHERE o.role = b.role`
