import { expect } from 'vitest'
import { addOldUser, type OldVersion } from './old-version.ts'

let userId: string

/** Last version in which users couldn't correct dates and places. */
export const ownFacts: OldVersion = {
  lastMigration: '20261128040000_push_without_session',
  outcome: 'items keep their dates, local times and places',
  async add({ pool }) {
    userId = await addOldUser({ pool }, 'facts')
    await pool.query(
      `INSERT INTO media_items (id, user_id, media_type, sha256, path, original_filename, content_type, size_bytes, taken_at,
         details, latitude, longitude)
       SELECT gen_random_uuid(), $1, 'image', md5(name) || md5(name), 'nowhere', name, 'image/jpeg', 1, taken::timestamptz, details::jsonb, latitude, -2.92
       FROM (VALUES
         ('zoned', '2025-01-01T04:30:00Z', '{"taken_local": "2024-12-31T23:30:00", "taken_from": "file name"}', 43.26),
         ('older', '2024-12-31T23:30:00Z', '{"title": "Boats"}', 43.26),
         ('broken', '2024-12-31T23:30:00Z', '{"taken_local": "soon"}', 43.26),
         ('undated', NULL, '{}', NULL)) AS given (name, taken, details, latitude)`,
      [userId],
    )
  },
  async expectUpgraded({ pool }) {
    const { rows } = await pool.query(
      `SELECT original_filename AS name, taken_at AS "takenAt", to_char(taken_local, 'YYYY-MM-DD HH24:MI') AS clock,
         latitude, details FROM media_items WHERE user_id = $1 ORDER BY name`,
      [userId],
    )
    const older = { takenAt: new Date('2024-12-31T23:30:00Z'), clock: '2024-12-31 23:30', latitude: 43.26 }
    expect(rows).toEqual([
      { name: 'broken', ...older, details: {} },
      { name: 'older', ...older, details: { title: 'Boats' } },
      { name: 'undated', takenAt: null, clock: null, latitude: null, details: {} },
      { name: 'zoned', ...older, takenAt: new Date('2025-01-01T04:30:00Z'), details: { taken_from: 'file name' } },
    ])
  },
}
