import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../../log.ts'
import { sql } from './sql.ts'

/** Short messages between servers that share a database; a disconnected server misses them. */
export interface ServerMessages {
  /**
   * Calls the handler with the payload of each message on a channel, from this server as well.
   * @param onReconnected called after a lost connection was restored: messages may have been missed.
   * @returns a function that stops listening.
   */
  listen(channel: string, handler: (payload: string) => void, onReconnected?: () => void): () => void
  /** Sends a payload of at most 7 900 bytes. */
  notify(channel: string, payload: string): Promise<void>
  close(): Promise<void>
}

/** Messages within this time share one statement, because an upload or an answer publishes several. */
const COLLECT_MS = 5
const FIRST_RECONNECT_DELAY_MS = 250
const MAX_RECONNECT_DELAY_MS = 10_000
/** Probing reveals a connection that was lost silently. */
const PROBE_INTERVAL_MS = 30_000

/** Does nothing: the embedded database has only one process. */
export const noServerMessages: ServerMessages = {
  listen: () => () => {},
  notify: async () => {},
  close: async () => {},
}

/** Listens on a dedicated connection, opened with the first listener and reopened when lost. */
export function createServerMessages(options: {
  databaseUrl: string
  applicationName: string
  pool: pg.Pool
  log: Log
}): ServerMessages {
  const { databaseUrl, applicationName, pool, log } = options
  const handlers = new Map<string, Set<(payload: string) => void>>()
  const reconnectListeners = new Set<() => void>()
  const stop = new AbortController()
  let client: pg.Client | undefined
  let running: Promise<void> | undefined

  let lastQuery: Promise<unknown> = Promise.resolve()
  /** Runs statements one at a time: pg prints a warning on the console for two at once. */
  const queryInTurn = (connection: pg.Client, statement: string): Promise<unknown> => {
    const result = lastQuery.then(() => connection.query(statement))
    lastQuery = result.catch(() => {})
    return result
  }
  const listenOn = (connection: pg.Client, channel: string) =>
    queryInTurn(connection, `LISTEN ${pg.escapeIdentifier(channel)}`)

  /** One connection, from its opening to its loss. */
  const connectOnce = async (onReady: () => void) => {
    const connection = new pg.Client({
      connectionString: databaseUrl,
      application_name: applicationName,
      connectionTimeoutMillis: 5_000,
      query_timeout: 10_000,
      keepAlive: true,
    })
    const lost = new Promise<void>((resolve) => {
      connection.once('end', resolve)
      connection.once('error', (error) => {
        log.warn({ err: error }, 'the connection for notifications was lost')
        resolve()
      })
      stop.signal.addEventListener('abort', () => resolve(), { once: true })
    })
    connection.on('notification', ({ channel, payload }) => {
      for (const handler of handlers.get(channel) ?? []) handler(payload ?? '')
    })
    const probe = setInterval(() => {
      queryInTurn(connection, 'SELECT 1').catch((error) => connection.emit('error', error))
    }, PROBE_INTERVAL_MS)
    try {
      await connection.connect()
      for (const channel of handlers.keys()) await listenOn(connection, channel)
      client = connection
      onReady()
      await lost
    } finally {
      client = undefined
      clearInterval(probe)
      // already lost; ending it only frees its resources
      connection.removeAllListeners('error').on('error', () => {})
      connection.end().catch(() => {})
    }
  }

  const run = async () => {
    let delayMs = FIRST_RECONNECT_DELAY_MS
    let hasConnected = false
    while (!stop.signal.aborted) {
      try {
        await connectOnce(() => {
          delayMs = FIRST_RECONNECT_DELAY_MS
          if (hasConnected) for (const notifyListener of reconnectListeners) notifyListener()
          hasConnected = true
        })
      } catch (error) {
        log.warn({ err: error, retry_in_ms: delayMs }, 'cannot listen to the database')
      }
      if (stop.signal.aborted) return
      await sleep(delayMs, undefined, { signal: stop.signal }).catch(() => {})
      delayMs = Math.min(delayMs * 2, MAX_RECONNECT_DELAY_MS)
    }
  }

  let collected: { channel: string; payload: string }[] = []
  let sending: Promise<void> | undefined
  const sendCollected = async () => {
    const batch = collected
    collected = []
    sending = undefined
    await pool.query(
      sql`SELECT pg_notify(channel, payload)
        FROM unnest(${batch.map(({ channel }) => channel)}::text[],
          ${batch.map(({ payload }) => payload)}::text[]) AS message (channel, payload)`,
    )
  }

  return {
    listen(channel, handler, onReconnected) {
      let channelHandlers = handlers.get(channel)
      if (!channelHandlers) {
        channelHandlers = new Set()
        handlers.set(channel, channelHandlers)
        // a connection that isn't open yet, or breaks here, listens to every channel when it opens
        const connection = client
        if (connection) listenOn(connection, channel).catch((error) => connection.emit('error', error))
      }
      channelHandlers.add(handler)
      if (onReconnected) reconnectListeners.add(onReconnected)
      running ??= run()
      return () => {
        channelHandlers.delete(handler)
        if (onReconnected) reconnectListeners.delete(onReconnected)
      }
    },
    notify(channel, payload) {
      collected.push({ channel, payload })
      sending ??= sleep(COLLECT_MS).then(sendCollected)
      return sending
    },
    async close() {
      await sending?.catch(() => {})
      stop.abort()
      await running
    },
  }
}
