import type { Preferences, UpdatePreferences } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { prepared } from '../../../platform/database/prepared.ts'

const columns = `chosen_language AS language, chosen_time_zone AS time_zone, chosen_theme AS theme, chosen_model AS model,
  shares_answers, hides_first_steps, keeps_places`

const selectPreferences = prepared(`SELECT ${columns} FROM users WHERE id = $1`)

export type PreferencesStore = ReturnType<typeof createPreferencesStore>

/** Preferences as columns of the account. */
export function createPreferencesStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Null without such an account. */
    async find(userId: string): Promise<Preferences | null> {
      const { rows } = await pool.query<Preferences>(selectPreferences([userId]))
      return rows[0] ?? null
    },

    /** Undefined leaves a choice unchanged, null removes it. @returns null without such an account. */
    async update(userId: string, changes: UpdatePreferences): Promise<Preferences | null> {
      const { rows } = await pool.query<Preferences>(
        `UPDATE users SET
           chosen_language = CASE WHEN $2 THEN $3 ELSE chosen_language END,
           language = coalesce($3, language),
           chosen_time_zone = CASE WHEN $4 THEN $5 ELSE chosen_time_zone END,
           time_zone = coalesce($5, time_zone),
           chosen_theme = CASE WHEN $6 THEN $7 ELSE chosen_theme END,
           shares_answers = coalesce($8, shares_answers),
           hides_first_steps = coalesce($9, hides_first_steps),
           keeps_places = coalesce($12, keeps_places),
           chosen_model = CASE WHEN $10 THEN $11 ELSE chosen_model END,
           updated_at = now()
         WHERE id = $1 RETURNING ${columns}`,
        [
          userId,
          ...[changes.language !== undefined, changes.language ?? null],
          ...[changes.time_zone !== undefined, changes.time_zone ?? null],
          ...[changes.theme !== undefined, changes.theme ?? null],
          ...[changes.shares_answers ?? null, changes.hides_first_steps ?? null],
          ...[changes.model !== undefined, changes.model ?? null],
          changes.keeps_places ?? null,
        ],
      )
      return rows[0] ?? null
    },
  }
}
