import {
  LOG_TEXT_CHARACTERS,
  type LogRange,
  type MemoryLogEntry,
  type MemoryLogFilters,
  type MemoryLogsResponse,
  type memoryLogsQuerySchema,
} from '@mira/shared'
import { DateTime } from 'luxon'
import type { z } from 'zod'
import type { Caller } from '../../../caller.ts'
import { csvOf } from '../../../platform/lib/csv.ts'
import { cutPage, readTimeCursor, type TimePosition, writeTimeCursor } from '../../../platform/lib/page.ts'
import { forUsers } from '../../../sentences.ts'
import type { StorageUseService } from '../../identity/index.ts'
import type { LogRow, LogScope, MemoryLogsStore } from './memory-logs.store.ts'

/** Start of a range of log entries; null for "all". @param timeZone IANA name of the user's time zone. */
export function beginOfRange(range: LogRange | 'all', now: Date, timeZone: string): Date | null {
  const here = DateTime.fromJSDate(now, { zone: timeZone })
  switch (range) {
    case 'all':
      return null
    case 'today':
      return here.startOf('day').toJSDate()
    case 'week':
      // Seven times 24 hours, regardless of clock changes.
      return DateTime.fromJSDate(now).toUTC().minus({ days: 7 }).toJSDate()
    case 'month':
      // When the previous month is too short for this day, the range starts on its last day.
      return here.minus({ months: 1 }).startOf('day').toJSDate()
  }
}

interface LogReader extends Pick<Caller, 'userId' | 'timeZone'> {
  /** True when the user may see server addresses and names of variables. */
  mayKnowSetup: boolean
}

export type MemoryLogsService = ReturnType<typeof createMemoryLogsService>

/** Entries read at a time for an export: a few megabytes when every text has its maximum length. */
const EXPORT_ROWS = 200

const HEADINGS = ['Timestamp', 'Type', 'Content', 'Response', 'Processing Time']

/** A user's own timeline of messages, uploads, searches and calls, including what they keep out of analytics. */
export function createMemoryLogsService({
  store,
  storage,
  now = () => new Date(),
}: {
  store: MemoryLogsStore
  storage: Pick<StorageUseService, 'usedBytes'>
  now?: () => Date
}) {
  const scopeOf = ({ userId, timeZone }: LogReader, filters: MemoryLogFilters): LogScope => {
    const { query, type, content_type, sentiment } = filters
    const starts = [beginOfRange(filters.range, now(), timeZone), filters.from ? new Date(filters.from) : null]
    const from = starts.reduce(
      (later, start) => (start !== null && (later === null || start > later) ? start : later),
      null,
    )
    return { userId, query, type, content_type, sentiment, from, to: filters.to ? new Date(filters.to) : null }
  }

  return {
    /** A page of entries, newest first, with figures of the whole timeline. @throws ValidationError for an invalid cursor. */
    async list(reader: LogReader, query: z.output<typeof memoryLogsQuerySchema>): Promise<MemoryLogsResponse> {
      const after = readTimeCursor(query.cursor)
      const scope = scopeOf(reader, query)
      const [rows, total, figures, bytes] = await Promise.all([
        store.list(scope, { limit: query.limit + 1, after, max: LOG_TEXT_CHARACTERS }),
        store.count(scope),
        store.figures(reader.userId),
        storage.usedBytes(reader.userId),
      ])
      const { items, nextCursor } = cutPage(rows, query.limit, writeTimeCursor)
      return {
        entries: items.map((row) => presentLog(wordForReader(row, reader))),
        total,
        next_cursor: nextCursor,
        stats: {
          total_interactions: figures.entries,
          avg_response_time: figures.averageMs === null ? null : Math.round(figures.averageMs) / 1000,
          memory_size: bytes,
          search_accuracy:
            figures.searches === 0 ? null : Math.round((1000 * figures.openedSearches) / figures.searches) / 10,
        },
      }
    },

    /** All matching entries as a CSV file: its name, and its text in chunks. */
    exportCsv(reader: LogReader, filters: MemoryLogFilters): { name: string; text: AsyncGenerator<string> } {
      const scope = scopeOf(reader, filters)
      const today = DateTime.fromJSDate(now(), { zone: reader.timeZone }).toISODate()
      return { name: `memory_logs_${today}.csv`, text: writeCsv(reader, scope) }
    },
  }

  async function* writeCsv(reader: LogReader, scope: LogScope): AsyncGenerator<string> {
    // Spreadsheets recognise UTF-8 only by this mark.
    yield `\ufeff${csvOf([HEADINGS])}`
    let after: TimePosition | null = null
    for (;;) {
      const rows: LogRow[] = await store.list(scope, { limit: EXPORT_ROWS, after, max: null })
      if (rows.length > 0) yield csvOf(rows.map((row) => csvRow(wordForReader(row, reader))))
      if (rows.length < EXPORT_ROWS) return
      after = rows.at(-1) ?? null
    }
  }
}

/** Hides server addresses and names of variables in errors, unless the reader may see them. */
function wordForReader(row: LogRow, { mayKnowSetup }: LogReader): LogRow {
  if (mayKnowSetup || row.response === null || row.told === null) return row
  return { ...row, response: forUsers({ text: row.response, sentences: row.told }).text }
}

function csvRow(row: LogRow): string[] {
  const seconds = row.processingMs === null ? 'N/A' : String(Math.round(row.processingMs) / 1000)
  return [row.createdAt.toISOString(), row.type, row.content ?? '', row.response ?? '', seconds]
}

function presentLog(row: LogRow): MemoryLogEntry {
  const terms = row.searchQuery?.split(/\s+/).filter((word) => word !== '') ?? null
  return {
    id: row.id,
    type: row.type,
    action: row.action,
    outcome: row.outcome,
    content: row.content,
    response: row.response,
    timestamp: row.createdAt,
    content_type: row.contentType,
    sentiment: row.sentiment,
    tokens: row.tokens,
    processing_time: row.processingMs === null ? null : Math.round(row.processingMs) / 1000,
    agent_used: row.agentUsed,
    session_id: row.sessionId,
    media_count: row.mediaCount,
    extracted_text: row.extractedText,
    captions: row.captions,
    results_count: row.resultsCount,
    search_terms: terms,
    // The content of an upload is its file name, which has no complexity.
    complexity: row.type === 'media' ? null : complexityOf(row.content),
    duration: row.durationSeconds,
    transcription: row.transcription,
    key_frames: row.keyFrames,
    link: linkOf(row),
  }
}

/** Word counts from which a text has medium and high complexity. */
const [MEDIUM_WORDS, HIGH_WORDS] = [9, 31]

function complexityOf(content: string | null): MemoryLogEntry['complexity'] {
  if (content === null) return null
  const words = content.trim().split(/\s+/).length
  return words < MEDIUM_WORDS ? 'low' : words < HIGH_WORDS ? 'medium' : 'high'
}

function linkOf({ type, sessionId, searchQuery, itemId, isEffect, agentUsed }: LogRow): string | null {
  if (searchQuery !== null) return `/memory?q=${encodeURIComponent(searchQuery)}`
  if (sessionId !== null) return `/chat?session=${sessionId}`
  if (itemId !== null) return `/gallery/${itemId}`
  if (isEffect) return '/effects?tab=gallery'
  return type === 'agent' && agentUsed !== null ? `/agents?agent=${encodeURIComponent(agentUsed)}` : null
}
