import { visibleRunColumns } from '../../../platform/database/agent-runs.ts'
import { raw, type SqlText, sql } from '../../../platform/database/sql.ts'

/** Builds SQL for one user's rows. */
type UserSql = (userId: string) => SqlText

/** A table that contains rows of users, and the way to export it. */
export interface OwnedTable {
  name: string
  /** SQL condition over a row `t`: it belongs to the user. */
  isOwnedBy: UserSql
  /** Columns that aren't exported: secrets, paths of files, and generated columns. */
  omittedColumns: readonly string[]
  /** SQL for related rows of other tables, by the name of the field that they become in the exported row `t`. */
  nested?: Readonly<Record<string, UserSql>>
  /** Rows read at a time; set for tables whose rows can take megabytes. */
  batchSize?: number
}

const ofUser: UserSql = (userId) => sql`t.user_id = ${userId}`
const ofSession: UserSql = (userId) => sql`t.session_id IN (SELECT id FROM chat_sessions WHERE user_id = ${userId})`
/** SQL for the ids of a persona's or project's items in order, without those in the trash. */
const itemsOf =
  (owner: 'persona' | 'project'): UserSql =>
  (userId) =>
    sql`coalesce((
    SELECT jsonb_agg(i.id ORDER BY k.position) FROM ${raw(`${owner}_items`)} k
    JOIN media_items i ON i.id = k.media_item_id AND i.user_id = ${userId} WHERE k.${raw(`${owner}_id`)} = t.id
  ), '[]')`
const jsonListOf =
  (value: string, from: string): UserSql =>
  () =>
    raw(`coalesce((SELECT jsonb_agg(${value}) FROM ${from}), '[]')`)

const visibleRun = visibleRunColumns('t')

/** Tables that are exported, without rows in the trash. Each has a column `id`. */
export const exportedTables: readonly OwnedTable[] = [
  { name: 'users', isOwnedBy: (userId) => sql`t.id = ${userId}`, omittedColumns: ['password_hash'] },
  { name: 'auth_sessions', isOwnedBy: ofUser, omittedColumns: ['user_id'] },
  { name: 'api_tokens', isOwnedBy: ofUser, omittedColumns: ['user_id', 'secret_hash'] },
  {
    name: 'oauth_grants',
    isOwnedBy: ofUser,
    omittedColumns: ['user_id', 'client_id', 'code_hash', 'code_challenge', 'code_expires_at', 'code_session_id'],
    nested: { program: () => sql`(SELECT to_jsonb(c.name) FROM oauth_clients c WHERE c.id = t.client_id)` },
  },
  { name: 'passkeys', isOwnedBy: ofUser, omittedColumns: ['user_id', 'credential_id', 'public_key', 'counter'] },
  { name: 'oidc_identities', isOwnedBy: ofUser, omittedColumns: ['user_id'] },
  { name: 'instructions', isOwnedBy: ofUser, omittedColumns: ['user_id'] },
  { name: 'facts', isOwnedBy: ofUser, omittedColumns: ['user_id'] },
  { name: 'prompts', isOwnedBy: ofUser, omittedColumns: ['user_id'] },
  {
    name: 'personas',
    isOwnedBy: ofUser,
    omittedColumns: ['user_id'],
    nested: { items: itemsOf('persona') },
  },
  {
    name: 'projects',
    isOwnedBy: ofUser,
    omittedColumns: ['user_id'],
    nested: { items: itemsOf('project') },
  },
  { name: 'chat_sessions', isOwnedBy: ofUser, omittedColumns: ['user_id'] },
  {
    name: 'chat_messages',
    isOwnedBy: ofSession,
    omittedColumns: ['lang', 'tsv'],
    nested: {
      images: jsonListOf(`to_jsonb(i) - 'path' ORDER BY i.position`, 'chat_message_images i WHERE i.message_id = t.id'),
      media: jsonListOf('to_jsonb(m) ORDER BY m.position', 'chat_message_media m WHERE m.message_id = t.id'),
    },
  },
  { name: 'chat_summaries', isOwnedBy: ofSession, omittedColumns: [] },
  {
    name: 'media_items',
    isOwnedBy: ofUser,
    batchSize: 20,
    omittedColumns: ['user_id', 'path'],
    nested: {
      steps: jsonListOf('to_jsonb(s) ORDER BY s.position', 'media_steps s WHERE s.media_item_id = t.id'),
    },
  },
  { name: 'media_parts', isOwnedBy: ofUser, omittedColumns: ['user_id', 'path'] },
  { name: 'moments', isOwnedBy: ofUser, omittedColumns: ['user_id', 'lang', 'tsv'] },
  { name: 'effect_images', isOwnedBy: ofUser, omittedColumns: ['user_id', 'path'] },
  { name: 'effect_recipes', isOwnedBy: ofUser, omittedColumns: ['user_id'] },
  { name: 'partial_uploads', isOwnedBy: ofUser, omittedColumns: ['user_id'] },
  { name: 'reminders', isOwnedBy: ofUser, omittedColumns: ['user_id'] },
  {
    name: 'hooks',
    isOwnedBy: ofUser,
    omittedColumns: ['user_id', 'sealed_secret'],
    nested: {
      deliveries: jsonListOf(
        `to_jsonb(d) - 'hook_id' ORDER BY d.created_at`,
        'hook_deliveries d WHERE d.hook_id = t.id',
      ),
    },
  },
  {
    name: 'mcp_servers',
    isOwnedBy: ofUser,
    omittedColumns: ['user_id', 'sealed_key', 'sealed_headers', 'command', 'arguments', 'user_ids'],
  },
  { name: 'imports', isOwnedBy: ofUser, omittedColumns: ['user_id', 'path', 'sealed_key'] },
  { name: 'imported_things', isOwnedBy: ofUser, omittedColumns: ['user_id'] },
  { name: 'imported_facts', isOwnedBy: ofUser, omittedColumns: ['user_id'] },
  {
    name: 'shares',
    isOwnedBy: (userId) => sql`${ofUser(userId)} AND ${ofSession(userId)}`,
    omittedColumns: ['user_id'],
  },
  {
    name: 'agent_runs',
    isOwnedBy: ofUser,
    omittedColumns: ['user_id'],
    nested: { output: () => raw(visibleRun.output), data: () => raw(visibleRun.data) },
  },
  { name: 'notifications', isOwnedBy: ofUser, omittedColumns: ['user_id'] },
  { name: 'weekly_summaries', isOwnedBy: ofUser, omittedColumns: ['user_id'] },
  { name: 'activities', isOwnedBy: ofUser, omittedColumns: ['user_id'] },
]

/** Tables with users' rows that aren't exported as a file, with the reason, which the manifest shows. */
export const otherOwnedTables: Readonly<Record<string, string>> = {
  totp_secrets: 'sign-in secrets',
  invitations: 'belong to the instance and its administrators',
  recovery_codes: 'sign-in secrets',
  push_subscriptions: 'secret addresses of devices',
  hook_deliveries: 'included in hooks',
  hook_notices: 'become hook_deliveries within moments',
  watched_folders: 'folders of the server, set by its administrators',
  watched_files: 'files of watched_folders; the items made from them are in media_items',
  oauth_tokens: 'sign-in secrets',
  persona_items: 'included in personas',
  project_items: 'included in projects',
  chat_message_images: 'included in chat_messages',
  chat_message_media: 'included in chat_messages',
  chat_answers: 'copies of messages while they are generated',
  chat_answer_events: 'copies of messages while they are generated',
  media_steps: 'included in media_items',
  media_turns: 'partial results of unfinished steps, which become moments',
  media_copies:
    'generated from the originals; videos that phones recorded with pictures are included with the originals',
  moment_embeddings: 'computed from the moments by a model',
  part_embeddings: 'computed from the pictures by a model',
  tag_models: 'learnt from the tags of media_items',
  known_item_checks: 'results of a search test that runs every night',
  person_counts: 'row counts, which drop to zero when the rows are deleted',
  chat_session_figures: 'totals of chat_messages',
  chat_person_figures: 'totals of chat_messages, which drop to zero when those are deleted',
  activity_hours: 'totals of activities',
  activity_days: 'totals of activities',
  activity_session_hours: 'totals of activities',
  activity_marks: 'list of totals to recompute',
}

/** Tables to remove a user's rows from when their data is deleted; the rows that depend on these are removed with them. */
export const deletedTables = [
  'instructions',
  'facts',
  'prompts',
  'projects',
  'personas',
  'chat_sessions',
  'media_items',
  'effect_images',
  'effect_recipes',
  'partial_uploads',
  'reminders',
  'hooks',
  'mcp_servers',
  'push_subscriptions',
  'imports',
  'shares',
  'agent_runs',
  'notifications',
  'weekly_summaries',
  'tag_models',
  'known_item_checks',
  // Last, since deleting these rows marks the totals of all users as outdated, and the remaining rows are then added up again.
  'activity_session_hours',
  'activity_hours',
  'activity_days',
  'activities',
] as const
