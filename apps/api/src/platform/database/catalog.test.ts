import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database-template.ts'

/** Reason why a table without a column `user_id` needs none: its rows belong to a row of another table, or to no user. */
type Reason = { of: string } | { shared: string }

const withoutUser: Readonly<Record<string, Reason>> = {
  _prisma_migrations: { shared: 'migrations of the database' },
  activity_day_totals: { shared: 'sums over all users, without names' },
  activity_hour_totals: { shared: 'sums over all users, without names' },
  activity_rollups: { shared: 'progress of the sums over all activities' },
  audit_chain: { shared: 'one chain over the whole audit log' },
  audit_entries: { shared: 'outlives the accounts that its entries name' },
  audit_links: { shared: 'one chain over the whole audit log' },
  automation_runs: { shared: 'tasks of the instance' },
  automation_tasks: { shared: 'tasks of the instance' },
  backups: { shared: 'archives of the instance' },
  chat_answer_events: { of: 'chat_answers' },
  chat_message_images: { of: 'chat_messages' },
  chat_message_media: { of: 'chat_messages' },
  chat_messages: { of: 'chat_sessions' },
  chat_summaries: { of: 'chat_sessions' },
  classifiers: { shared: 'learnt from the ratings of all users, without their texts' },
  damaged_files: { shared: 'found on the disk, named by their paths' },
  embedding_profiles: { shared: 'models of the instance' },
  hook_deliveries: { of: 'hooks' },
  login_failures: { shared: 'kept by name and address, before the user is known' },
  loose_files: { shared: 'files without a row, named by their paths' },
  media_copies: { of: 'media_items' },
  media_steps: { of: 'media_items' },
  media_turns: { of: 'media_steps' },
  model_connections: { shared: 'model servers of the instance' },
  oauth_clients: { shared: 'programs register before a user authorises them' },
  oauth_tokens: { of: 'oauth_grants' },
  persona_items: { of: 'personas' },
  project_items: { of: 'projects' },
  push_keys: { shared: 'keys of the instance' },
  settings: { shared: 'settings of the instance' },
  source_answers: { shared: 'weather and news, the same for all users' },
  system_samples: { shared: 'load of servers' },
  used_tickets: { shared: 'hashes of signed tickets' },
  users: { shared: 'its own key names the user' },
  watched_files: { of: 'watched_folders' },
}

let database: TestDatabase

beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('every table has a column user_id or a known reason to have none', async () => {
  const { rows } = await database.pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables t
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND NOT EXISTS (
       SELECT FROM information_schema.columns c
       WHERE c.table_schema = 'public' AND c.table_name = t.table_name AND c.column_name = 'user_id')
     ORDER BY table_name`,
  )
  expect(rows.map(({ name }) => name)).toEqual(Object.keys(withoutUser).toSorted())
})

test('rows without a user belong to a row with one, and are deleted with it', async () => {
  const { rows } = await database.pool.query<{ child: string; parent: string }>(
    `SELECT conrelid::regclass::text AS child, confrelid::regclass::text AS parent
     FROM pg_constraint WHERE contype = 'f' AND confdeltype = 'c'`,
  )
  const parentsOf = (name: string) => rows.filter(({ child }) => child === name).map(({ parent }) => parent)
  for (const [name, reason] of Object.entries(withoutUser)) {
    if (!('of' in reason)) continue
    expect(parentsOf(name), name).toContain(reason.of)
    const next = withoutUser[reason.of]
    expect(next === undefined || 'of' in next, reason.of).toBe(true)
  }
})

test('every GIN index has a small pending list, because each search reads all of it', async () => {
  const { rows } = await database.pool.query<{ name: string; settings: string[] | null }>(
    `SELECT c.relname AS name, c.reloptions AS settings
     FROM pg_class c JOIN pg_am a ON a.oid = c.relam JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE a.amname = 'gin' AND n.nspname = 'public' ORDER BY 1`,
  )
  expect(rows.length).toBeGreaterThan(0)
  expect(rows.filter(({ settings }) => !settings?.includes('gin_pending_list_limit=128'))).toEqual([])
})
