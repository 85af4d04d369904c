import type { IntentExample } from '../../../offline/intents/intent-classifier.ts'
import type { Database } from '../../../platform/database/client.ts'
import { raw, sql } from '../../../platform/database/sql.ts'

interface ClassifierRow {
  version: number
  /** Trained weights, in the trainer's format. */
  model: unknown
  /** Number of training examples. */
  trainedOn: number
  /** Number of separate test examples. */
  measuredOn: number
  /** Share of test examples classified correctly, 0 to 1. */
  accuracy: number
}

export type ClassifiersStore = ReturnType<typeof createClassifiersStore>

const KIND = 'intent'
/** Number of earlier classifiers kept as a record of their accuracy, without their weights. */
const VERSIONS_KEPT = 20
/** Maximum number of one user's calls in the training data, so that no user dominates it. */
const MAX_CALLS_PER_USER = 200
const MAX_CALLS = 2000
const MAX_INPUT_CHARACTERS = 200

const columns = `version, model, trained_on AS "trainedOn", measured_on AS "measuredOn", accuracy`

/** Stores trained intent classifiers, and reads users' calls to train them on. */
export function createClassifiersStore({ pool }: Pick<Database, 'pool'>) {
  return {
    async current(): Promise<ClassifierRow | null> {
      const { rows } = await pool.query<ClassifierRow>(
        `SELECT ${columns} FROM classifiers WHERE kind = '${KIND}' AND is_current ORDER BY version DESC LIMIT 1`,
      )
      return rows[0] ?? null
    },

    /** Version of the current classifier; null when there is none. */
    async currentVersion(): Promise<number | null> {
      const { rows } = await pool.query<{ version: number }>(
        `SELECT version FROM classifiers WHERE kind = '${KIND}' AND is_current ORDER BY version DESC LIMIT 1`,
      )
      return rows[0]?.version ?? null
    },

    /**
     * Makes a classifier the current one, as the version after `previous`.
     * @returns the new version; false when another server was faster
     */
    async save(row: Omit<ClassifierRow, 'version'>, previous: number | null): Promise<number | false> {
      const version = (previous ?? 0) + 1
      const { rowCount } = await pool.query(
        // The previous classifier is retired in the same statement, since only one may be current.
        sql`WITH retired AS (
           UPDATE classifiers SET is_current = false, model = '{}'
           WHERE kind = '${raw(KIND)}' AND is_current AND version = ${version} - 1 RETURNING version
         ), added AS (
           INSERT INTO classifiers (id, kind, version, model, trained_on, measured_on, accuracy, is_current)
           SELECT gen_random_uuid(), '${raw(KIND)}', ${version}, ${JSON.stringify(row.model)}::jsonb, ${row.trainedOn},
             ${row.measuredOn}, ${row.accuracy}, true
           WHERE ${version} = 1 OR EXISTS (SELECT FROM retired) ON CONFLICT DO NOTHING RETURNING version
         ), deleted AS (
           DELETE FROM classifiers WHERE kind = '${raw(KIND)}' AND version < (SELECT version FROM added) - ${raw(VERSIONS_KEPT)}
         )
         SELECT version FROM added`,
      )
      return rowCount === 1 ? version : false
    },

    /**
     * Newest successful calls outside of conversations, as training examples: users chose the agents of these calls, or
     * accepted the choice. Leaves out calls excluded from analytics.
     */
    async acceptedCalls(): Promise<IntentExample[]> {
      const { rows } = await pool.query<IntentExample>(
        `SELECT input AS text, agent_name AS label FROM (
           SELECT input, agent_name, created_at, row_number() OVER (PARTITION BY user_id ORDER BY created_at DESC) AS rank
           FROM agent_runs r
           WHERE outcome = 'completed' AND origin <> 'chat' AND length(input) BETWEEN 3 AND ${MAX_INPUT_CHARACTERS}
             AND EXISTS (SELECT FROM activities a WHERE a.subject_id = r.id AND a.kind = 'agent' AND a.in_analytics)
         ) AS calls
         WHERE rank <= ${MAX_CALLS_PER_USER} ORDER BY created_at DESC LIMIT ${MAX_CALLS}`,
      )
      return rows
    },
  }
}
