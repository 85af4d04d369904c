/**
 * Treatment of a table by backups and restores.
 * - `kept`: archived, and restored as it was.
 * - `excluded`: never archived; rows in archives of earlier versions are skipped.
 * - `changed`: archived, but changed after loading. `set` maps columns to SQL expressions; rows for which the SQL condition
 *   `remove` holds are deleted first.
 */
export type TableRule = 'kept' | 'excluded' | { set?: Readonly<Record<string, string>>; remove?: string }

/** May have been revoked since: off until its owner confirms it. */
const suspended = { set: { suspended_at: 'now()' } } as const

/** Every table of the schema. A test fails for one that isn't listed, and for a kept table that references an excluded one. */
export const tableRules: Readonly<Record<string, TableRule>> = {
  _prisma_migrations: 'excluded',
  activities: 'kept',
  activity_day_totals: 'kept',
  activity_days: 'kept',
  activity_hour_totals: 'kept',
  activity_hours: 'kept',
  activity_marks: 'kept',
  activity_rollups: 'kept',
  activity_session_hours: 'kept',
  agent_runs: 'kept',
  // may have been revoked since
  api_tokens: 'excluded',
  audit_chain: 'kept',
  audit_entries: 'kept',
  audit_links: 'kept',
  auth_sessions: 'excluded',
  automation_runs: 'kept',
  automation_tasks: 'kept',
  // a list of the archives on this disk
  backups: 'excluded',
  chat_answer_events: 'kept',
  chat_answers: 'kept',
  chat_message_images: 'kept',
  chat_message_media: 'kept',
  chat_messages: 'kept',
  chat_person_figures: 'kept',
  chat_session_figures: 'kept',
  chat_sessions: 'kept',
  chat_summaries: 'kept',
  classifiers: 'kept',
  // found by reading the files of this disk
  damaged_files: 'excluded',
  effect_images: 'kept',
  effect_recipes: 'kept',
  embedding_profiles: 'kept',
  facts: 'kept',
  // what was still to be sent isn't sent again after a restore
  hook_deliveries: { remove: `state = 'waiting'` },
  hook_notices: 'excluded',
  hooks: suspended,
  imported_facts: 'kept',
  imported_things: 'kept',
  // the key of the server it comes from may have been revoked since: the import asks for it again
  imports: { set: { sealed_key: 'NULL' } },
  instructions: 'kept',
  invitations: 'excluded',
  known_item_checks: 'kept',
  login_failures: 'excluded',
  loose_files: 'excluded',
  mcp_servers: { set: { is_enabled: 'false' } },
  media_copies: 'kept',
  media_items: 'kept',
  media_parts: 'kept',
  media_steps: 'kept',
  media_turns: 'kept',
  model_connections: { set: { is_enabled: 'false' } },
  moment_embeddings: 'kept',
  moments: 'kept',
  notifications: 'kept',
  // a registration opens nothing without a grant, and programs remember their client id
  oauth_clients: 'kept',
  oauth_grants: 'excluded',
  oauth_tokens: 'excluded',
  oidc_identities: suspended,
  part_embeddings: 'kept',
  partial_uploads: 'excluded',
  passkeys: suspended,
  person_counts: 'kept',
  persona_items: 'kept',
  personas: 'kept',
  project_items: 'kept',
  projects: 'kept',
  prompts: 'kept',
  push_keys: 'kept',
  // belongs to auth_sessions
  push_subscriptions: 'excluded',
  recovery_codes: 'kept',
  reminders: 'kept',
  // another machine has another secret
  settings: { remove: `key = 'jwt_secret_fingerprint'` },
  shares: suspended,
  source_answers: 'kept',
  system_samples: 'kept',
  tag_models: 'kept',
  totp_secrets: 'kept',
  used_tickets: 'excluded',
  // signed addresses of files made before the restore end
  users: { set: { link_epoch: 'gen_random_uuid()' } },
  watched_files: 'kept',
  watched_folders: 'kept',
  weekly_summaries: 'kept',
}

/** Tables whose rows never go into an archive, nor come back from an earlier version's. */
export const excludedTables: readonly string[] = Object.keys(tableRules).filter(
  (name) => tableRules[name] === 'excluded',
)

/** SQL that makes loaded rows what they are to be on the restored instance. */
export const changesAfterLoading: readonly string[] = Object.entries(tableRules).flatMap(([name, rule]) => {
  if (typeof rule === 'string') return []
  const assignments = Object.entries(rule.set ?? {}).map(([column, value]) => `${column} = ${value}`)
  return [
    ...(rule.remove === undefined ? [] : [`DELETE FROM public.${name} WHERE ${rule.remove}`]),
    ...(assignments.length === 0 ? [] : [`UPDATE public.${name} SET ${assignments.join(', ')}`]),
  ]
})
