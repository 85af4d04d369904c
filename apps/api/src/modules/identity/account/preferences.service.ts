import type { Preferences, UpdatePreferences } from '@mira/shared'
import { NotFoundError } from '../../../errors.ts'
import type { Database } from '../../../platform/database/client.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { raw, sql } from '../../../platform/database/sql.ts'
import type { Events } from '../../../platform/events/events.service.ts'

const columns = `chosen_language AS language, chosen_time_zone AS time_zone, chosen_theme AS theme, chosen_model AS model,
  shares_answers, hides_first_steps, keeps_places`

/** Preferences of a user; null when there's no such account. */
async function findPreferences({ pool }: Database, userId: string): Promise<Preferences | null> {
  const { rows } = await pool.query<Preferences>(prepared(sql`SELECT ${raw(columns)} FROM users WHERE id = ${userId}`))
  return rows[0] ?? null
}

/**
 * Changes preferences: a field that is undefined stays unchanged, null resets it.
 * @returns null when there's no such account.
 */
async function updatePreferences(
  { pool }: Database,
  userId: string,
  changes: UpdatePreferences,
): Promise<Preferences | null> {
  const { language, time_zone, theme, model } = changes
  const { rows } = await pool.query<Preferences>(
    sql`UPDATE users SET
           chosen_language = CASE WHEN ${language !== undefined} THEN ${language} ELSE chosen_language END,
           language = coalesce(${language}, language),
           chosen_time_zone = CASE WHEN ${time_zone !== undefined} THEN ${time_zone} ELSE chosen_time_zone END,
           time_zone = coalesce(${time_zone}, time_zone),
           chosen_theme = CASE WHEN ${theme !== undefined} THEN ${theme} ELSE chosen_theme END,
           shares_answers = coalesce(${changes.shares_answers}, shares_answers),
           hides_first_steps = coalesce(${changes.hides_first_steps}, hides_first_steps),
           keeps_places = coalesce(${changes.keeps_places}, keeps_places),
           chosen_model = CASE WHEN ${model !== undefined} THEN ${model} ELSE chosen_model END,
           updated_at = now()
         WHERE id = ${userId} RETURNING ${raw(columns)}`,
  )
  return rows[0] ?? null
}

export type PreferencesService = ReturnType<typeof createPreferencesService>

/** A user's preferences, the same on all devices. */
export function createPreferencesService({
  database,
  events,
}: {
  database: Database
  events: Pick<Events, 'publish'>
}) {
  return {
    /** @throws NotFoundError when the account was deleted meanwhile. */
    async read(userId: string): Promise<Preferences> {
      return requireAccount(await findPreferences(database, userId))
    },

    /** @throws NotFoundError as `read`. */
    async update(userId: string, changes: UpdatePreferences): Promise<Preferences> {
      const preferences = requireAccount(await updatePreferences(database, userId, changes))
      events.publish(userId, { type: 'account.updated' })
      return preferences
    },
  }
}

function requireAccount(preferences: Preferences | null): Preferences {
  if (preferences === null) throw new NotFoundError('This account no longer exists.')
  return preferences
}
