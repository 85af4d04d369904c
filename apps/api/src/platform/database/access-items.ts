import type { AccessItemKind } from '@mira/shared'

/**
 * A table whose rows grant access to a user's account or send the user's data elsewhere. It has the columns `id`, `user_id`
 * and `created_at`.
 */
export interface AccessItemTable {
  table: string
  /** SQL over a row `t`: its name for the user. */
  name: string
  /** SQL over a row `t`: when it was last used; NULL where that isn't recorded. */
  lastUsedAt: string
  /** SQL condition over a row `t`: off since a restore until its owner confirms it. */
  isSuspended: string
  /** SQL assignments that confirm a suspended row; null for rows that a restore drops. */
  confirm: string | null
  /** SQL condition over a row `t`: the access is in effect, not expired, revoked or pending. Left out when every row is. */
  isActive?: string
  /** SQL assignments that end the access but keep the row as a record; without them the row is deleted. */
  end?: string
}

const confirmed = { isSuspended: 't.suspended_at IS NOT NULL', confirm: 'suspended_at = NULL' } as const
const dropped = { isSuspended: 'false', confirm: null } as const

/**
 * Everything that grants access or sends data out. It's shown when a password is changed, ended when it's reset, and off
 * after a restore.
 */
export const accessItemTables: Readonly<Record<AccessItemKind, AccessItemTable>> = {
  session: {
    ...dropped,
    table: 'auth_sessions',
    name: 't.user_agent',
    lastUsedAt: 't.last_used_at',
    isActive: 't.expires_at > now()',
  },
  api_token: {
    ...dropped,
    table: 'api_tokens',
    name: 't.name',
    lastUsedAt: 't.last_used_at',
    isActive: '(t.expires_at IS NULL OR t.expires_at > now())',
  },
  program: {
    ...dropped,
    table: 'oauth_grants',
    name: '(SELECT c.name FROM oauth_clients c WHERE c.id = t.client_id)',
    lastUsedAt: 't.last_used_at',
    isActive: 't.begun_at IS NOT NULL',
  },
  passkey: { ...confirmed, table: 'passkeys', name: 't.name', lastUsedAt: 't.last_used_at' },
  oidc: {
    ...confirmed,
    table: 'oidc_identities',
    name: 't.issuer',
    lastUsedAt: 'NULL::timestamptz',
    isSuspended: `t.suspended_at IS NOT NULL AND t.suspended_at < 'infinity'`,
    isActive: `t.suspended_at IS DISTINCT FROM 'infinity'`,
    // Kept, since signing in would link a deleted identity again.
    end: `suspended_at = 'infinity'`,
  },
  share: { ...confirmed, table: 'shares', name: 't.title', lastUsedAt: 'NULL::timestamptz' },
  webhook: { ...confirmed, table: 'hooks', name: 't.name', lastUsedAt: 'NULL::timestamptz' },
  mcp_server: {
    table: 'mcp_servers',
    name: 't.name',
    lastUsedAt: 'NULL::timestamptz',
    isSuspended: 'NOT t.is_enabled',
    confirm: 'is_enabled = true',
  },
  push: { ...dropped, table: 'push_subscriptions', name: `''`, lastUsedAt: 'NULL::timestamptz' },
  invitation: {
    ...dropped,
    table: 'invitations',
    name: 't.email',
    lastUsedAt: 'NULL::timestamptz',
    isActive: 't.accepted_at IS NULL AND t.revoked_at IS NULL AND t.expires_at > now()',
    end: 'revoked_at = now()',
  },
}

/** A setting that sends data out, in a row of the settings: off after a restore. */
export interface OutboundSetting {
  /** Key of its row. */
  key: string
  /** SQL condition over its `value`: something is sent. */
  isOn: string
  /** SQL of the value that sends nothing. */
  off: string
}

/** All settings that send data out automatically; administrators turn them on again after a restore. */
export const outboundSettings: Readonly<Record<string, OutboundSetting>> = {
  web_search: { key: 'web', isOn: `value @> '{"allowed": true}'`, off: `jsonb_set(value, '{allowed}', 'false')` },
  offsite_backup: {
    key: 'admin_settings',
    isOn: `coalesce(value ->> 'backups.offsite', '') <> ''`,
    off: `jsonb_set(value, '{backups.offsite}', '""')`,
  },
  remote_fine_tuning: {
    key: 'admin_settings',
    isOn: `value @> '{"allows_remote_fine_tuning": true}'`,
    off: `jsonb_set(value, '{allows_remote_fine_tuning}', 'false')`,
  },
}

/**
 * Other tables that grant access, send data out or contain another server's key: a restore drops their rows or keys, or
 * turns them off.
 */
export const otherAccessTables = ['model_connections', 'mcp_servers', 'hook_notices', 'imports'] as const
