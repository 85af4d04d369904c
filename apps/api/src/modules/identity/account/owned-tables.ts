import { visibleRunColumns } from '../../../platform/database/agent-runs.ts'
import { raw, type SqlText, sql } from '../../../platform/database/sql.ts'

/** A part of a statement that concerns one user. */
type OfUser = (userId: string) => SqlText

/** A table whose rows belong to users, as it's exported. */
export interface OwnedTable {
  name: string
  /** Condition on `t` for rows of a user. */
  owned: OfUser
  /** Columns that aren't exported: secrets, paths of files, and generated ones. */
  omittedColumns: readonly string[]
  /** Rows of other tables that belong to a row, by exported name: SQL over `t`. */
  nested?: Readonly<Record<string, OfUser>>
  /** Rows per read, for tables with rows of megabytes. */
  rowsAtOnce?: number
}

const ofUser: OfUser = (userId) => sql`t.user_id = ${userId}`
const ofSession: OfUser = (userId) => sql`t.session_id IN (SELECT id FROM chat_sessions WHERE user_id = ${userId})`
/** The items of a persona or project in their order, without those in the trash. */
const itemsOf =
  (owner: 'persona' | 'project'): OfUser =>
  (userId) =>
    sql`coalesce((
    SELECT jsonb_agg(i.id ORDER BY k.position) FROM ${raw(`${owner}_items`)} k
    JOIN media_items i ON i.id = k.media_item_id AND i.user_id = ${userId} WHERE k.${raw(`${owner}_id`)} = t.id
  ), '[]')`
const list =
  (value: string, from: string): OfUser =>
  () =>
    raw(`coalesce((SELECT jsonb_agg(${value}) FROM ${from}), '[]')`)

const visibleRun = visibleRunColumns('t')

/** Exported tables, without trash; each has a column `id`. */
export const exportedTables: readonly OwnedTable[] = [
  { name: 'users', owned: (userId) => sql`t.id = ${userId}`, omittedColumns: ['password_hash'] },
  { name: 'auth_sessions', owned: ofUser, omittedColumns: ['user_id'] },
  { name: 'api_tokens', owned: ofUser, omittedColumns: ['user_id', 'secret_hash'] },
  {
    name: 'oauth_grants',
    owned: ofUser,
    omittedColumns: ['user_id', 'client_id', 'code_hash', 'code_challenge', 'code_expires_at', 'code_session_id'],
    nested: { program: () => sql`(SELECT to_jsonb(c.name) FROM oauth_clients c WHERE c.id = t.client_id)` },
  },
  { name: 'passkeys', owned: ofUser, omittedColumns: ['user_id', 'credential_id', 'public_key', 'counter'] },
  { name: 'oidc_identities', owned: ofUser, omittedColumns: ['user_id'] },
  { name: 'instructions', owned: ofUser, omittedColumns: ['user_id'] },
  { name: 'facts', owned: ofUser, omittedColumns: ['user_id'] },
  { name: 'prompts', owned: ofUser, omittedColumns: ['user_id'] },
  {
    name: 'personas',
    owned: ofUser,
    omittedColumns: ['user_id'],
    nested: { items: itemsOf('persona') },
  },
  {
    name: 'projects',
    owned: ofUser,
    omittedColumns: ['user_id'],
    nested: { items: itemsOf('project') },
  },
  { name: 'chat_sessions', owned: ofUser, omittedColumns: ['user_id'] },
  {
    name: 'chat_messages',
    owned: ofSession,
    omittedColumns: ['lang', 'tsv'],
    nested: {
      images: list(`to_jsonb(i) - 'path' ORDER BY i.position`, 'chat_message_images i WHERE i.message_id = t.id'),
      media: list('to_jsonb(m) ORDER BY m.position', 'chat_message_media m WHERE m.message_id = t.id'),
    },
  },
  { name: 'chat_summaries', owned: ofSession, omittedColumns: [] },
  {
    name: 'media_items',
    owned: ofUser,
    rowsAtOnce: 20,
    omittedColumns: ['user_id', 'path'],
    nested: {
      steps: list('to_jsonb(s) ORDER BY s.position', 'media_steps s WHERE s.media_item_id = t.id'),
    },
  },
  { name: 'media_parts', owned: ofUser, omittedColumns: ['user_id', 'path'] },
  { name: 'moments', owned: ofUser, omittedColumns: ['user_id', 'lang', 'tsv'] },
  { name: 'effect_images', owned: ofUser, omittedColumns: ['user_id', 'path'] },
  { name: 'effect_recipes', owned: ofUser, omittedColumns: ['user_id'] },
  { name: 'partial_uploads', owned: ofUser, omittedColumns: ['user_id'] },
  { name: 'reminders', owned: ofUser, omittedColumns: ['user_id'] },
  {
    name: 'hooks',
    owned: ofUser,
    omittedColumns: ['user_id', 'sealed_secret'],
    nested: {
      deliveries: list(`to_jsonb(d) - 'hook_id' ORDER BY d.created_at`, 'hook_deliveries d WHERE d.hook_id = t.id'),
    },
  },
  {
    name: 'mcp_servers',
    owned: ofUser,
    omittedColumns: ['user_id', 'sealed_key', 'sealed_headers', 'command', 'arguments', 'user_ids'],
  },
  { name: 'imports', owned: ofUser, omittedColumns: ['user_id', 'path', 'sealed_key'] },
  { name: 'imported_things', owned: ofUser, omittedColumns: ['user_id'] },
  { name: 'imported_facts', owned: ofUser, omittedColumns: ['user_id'] },
  { name: 'shares', owned: (userId) => sql`${ofUser(userId)} AND ${ofSession(userId)}`, omittedColumns: ['user_id'] },
  {
    name: 'agent_runs',
    owned: ofUser,
    omittedColumns: ['user_id'],
    nested: { output: () => raw(visibleRun.output), data: () => raw(visibleRun.data) },
  },
  { name: 'notifications', owned: ofUser, omittedColumns: ['user_id'] },
  { name: 'weekly_summaries', owned: ofUser, omittedColumns: ['user_id'] },
  { name: 'activities', owned: ofUser, omittedColumns: ['user_id'] },
]

/** Tables of users' rows that aren't exported on their own, with the reason. */
export const otherOwnedTables: Readonly<Record<string, string>> = {
  totp_secrets: 'what signs in stays here',
  invitations: 'of the instance, which its administrators keep',
  recovery_codes: 'what signs in stays here',
  push_subscriptions: 'what reaches a device stays here',
  hook_deliveries: 'in hooks',
  hook_notices: 'what becomes hook_deliveries within moments',
  watched_folders: 'folders of the server, which its administrators name',
  watched_files: 'of those folders; what became of their files is in media_items',
  oauth_tokens: 'what signs in stays here',
  persona_items: 'in personas',
  project_items: 'in projects',
  chat_message_images: 'in chat_messages',
  chat_message_media: 'in chat_messages',
  chat_answers: 'a copy of messages while they are being made',
  chat_answer_events: 'a copy of messages while they are being made',
  media_steps: 'in media_items',
  media_turns: 'what steps have found so far, which becomes moments when they end',
  media_copies:
    'made of the originals, and made again from them; films that phones took with pictures are among the originals',
  moment_embeddings: 'made of the moments by a model, and made again by it',
  part_embeddings: 'made of the pictures by a model, and made again by it',
  tag_models: 'learnt from the tags of the media items, and learnt again from them',
  known_item_checks: 'figures of a trial, measured again every night',
  person_counts: 'how many of these things there are; none of each once they are deleted',
  chat_session_figures: 'sums of the chat_messages',
  chat_person_figures: 'sums of the chat_messages; of none once they are deleted',
  activity_hours: 'sums of the activities',
  activity_days: 'sums of the activities',
  activity_session_hours: 'sums of the activities',
  activity_marks: 'notes of which sums are to be made again',
}

/** Tables whose rows are removed with a user's data; dependent rows are removed with them. */
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
  // Marks of outdated sums come after the rows that are summed.
  'activity_session_hours',
  'activity_hours',
  'activity_days',
  'activities',
] as const
