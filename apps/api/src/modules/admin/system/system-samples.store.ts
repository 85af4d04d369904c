import type { SystemPoint } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { raw, sql } from '../../../platform/database/sql.ts'

/** Measurements of one server since its last sample. */
interface SystemSampleRecord {
  serverId: string
  at: Date
  requests: number
  requestErrors: number
  memoryBytes: number
  /** Average number of busy processors. */
  cpuShare: number
  eventLoopDelayP99Ms: number
}

/** Figures of one server over a period: sums of the counts, and the latest of all other values. */
interface ServerFigures extends Omit<SystemSampleRecord, 'at'> {
  lastSampleAt: Date
}

/** Sizes and counts of the whole instance. */
interface InstanceFigures {
  chatSessions: number
  signedIn: number
  databaseBytes: number
  storageBytes: number
  postgresql: string
  pgvector: string | null
}

export type SystemSamplesStore = ReturnType<typeof createSystemSamplesStore>

const RETENTION = '8 days'

/** Size of stored files; UNION counts a file that several rows refer to only once. */
const STORAGE_BYTES = `(SELECT coalesce(sum(size_bytes), 0) FROM (
  SELECT path, size_bytes::bigint FROM media_items UNION SELECT path, size_bytes::bigint FROM media_parts
  UNION SELECT path, size_bytes::bigint FROM media_copies UNION SELECT path, size_bytes::bigint FROM effect_images
  UNION SELECT path, size_bytes::bigint FROM chat_message_images) files)`

const DATABASE_BYTES = 'pg_database_size(current_database())'

/** Stores samples of servers. Also measures the database and the stored files, which servers share. */
export function createSystemSamplesStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Stores a sample with the current sizes of database and files. Removes samples older than 8 days. */
    async add(sample: SystemSampleRecord): Promise<void> {
      await pool.query(
        sql`INSERT INTO system_samples (server_id, at, requests, request_errors, memory_bytes, cpu_share,
           event_loop_delay_p99_ms, database_bytes, storage_bytes)
         VALUES (${sample.serverId}, ${sample.at}, ${sample.requests}, ${sample.requestErrors}, ${sample.memoryBytes},
           ${sample.cpuShare}, ${sample.eventLoopDelayP99Ms}, ${raw(DATABASE_BYTES)}, ${raw(STORAGE_BYTES)})`,
      )
      await pool.query(
        sql`DELETE FROM system_samples WHERE at < ${sample.at}::timestamptz - interval '${raw(RETENTION)}'`,
      )
    },

    /**
     * Points of the load chart: the last `steps` steps up to the one that contains `now`. A sample covers the minutes before it,
     * so a sample taken exactly at the start of a step belongs to the step before.
     */
    async series(now: Date, steps: number, stepSeconds: number): Promise<SystemPoint[]> {
      const { rows } = await pool.query<SystemPoint>(
        sql`WITH steps AS (
           SELECT to_timestamp(
             (floor(extract(epoch FROM ${now}::timestamptz) / ${stepSeconds}) - ${steps}::int + n) * ${stepSeconds}
           ) AS at
           FROM generate_series(1, ${steps}::int) n
         ), assigned AS (
           SELECT to_timestamp(floor((extract(epoch FROM at) - 0.001) / ${stepSeconds}) * ${stepSeconds}) AS step, *
           FROM system_samples
           WHERE at > (SELECT min(at) FROM steps)
         )
         SELECT steps.at, sum(requests)::int AS requests, sum(request_errors)::int AS request_errors,
           max(memory_bytes)::float8 AS memory_bytes, max(cpu_share) AS cpu_share,
           max(event_loop_delay_p99_ms) AS event_loop_delay_p99_ms, max(database_bytes)::float8 AS database_bytes,
           max(storage_bytes)::float8 AS storage_bytes
         FROM steps LEFT JOIN assigned ON assigned.step = steps.at GROUP BY steps.at ORDER BY steps.at`,
      )
      return rows
    },

    /** Servers with a sample after the given time, most recent first. */
    async servers(since: Date): Promise<ServerFigures[]> {
      const { rows } = await pool.query<ServerFigures>(
        sql`SELECT server_id AS "serverId", max(at) AS "lastSampleAt", sum(requests)::int AS requests,
           sum(request_errors)::int AS "requestErrors",
           (array_agg(memory_bytes ORDER BY at DESC))[1]::float8 AS "memoryBytes",
           (array_agg(cpu_share ORDER BY at DESC))[1] AS "cpuShare",
           (array_agg(event_loop_delay_p99_ms ORDER BY at DESC))[1] AS "eventLoopDelayP99Ms"
         FROM system_samples WHERE at > ${since} GROUP BY server_id ORDER BY max(at) DESC, server_id LIMIT 50`,
      )
      return rows
    },

    /** Requests and errors of all servers after the given time. */
    async calls(since: Date): Promise<{ requests: number; requestErrors: number }> {
      const { rows } = await pool.query<{ requests: number; requestErrors: number }>(
        sql`SELECT coalesce(sum(requests), 0)::int AS requests, coalesce(sum(request_errors), 0)::int AS "requestErrors"
         FROM system_samples WHERE at > ${since}`,
      )
      return rows[0] ?? { requests: 0, requestErrors: 0 }
    },

    async instance(): Promise<InstanceFigures> {
      const { rows } = await pool.query<InstanceFigures>(
        `SELECT (SELECT count(*)::int FROM chat_sessions WHERE user_id IS NOT NULL) AS "chatSessions",
           (SELECT count(*)::int FROM auth_sessions WHERE expires_at > now()) AS "signedIn",
           ${DATABASE_BYTES}::float8 AS "databaseBytes", ${STORAGE_BYTES}::float8 AS "storageBytes",
           current_setting('server_version') AS postgresql,
           (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector`,
      )
      const [row] = rows
      if (row === undefined) throw new Error('the figures of the instance could not be read')
      return row
    },
  }
}
