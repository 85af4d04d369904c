import { type AdminSettings, LARGE_UPLOAD_USUAL_BYTES } from '@mira/shared'
import { DEFAULT_NEWS_FEEDS } from './default-feeds.ts'

/** Default number of archives to keep. */
export const BACKUPS_KEPT = 7

const SESSION_IDLE_MINUTES = 14 * 24 * 60

/** Settings until an administrator changes them. */
export function defaultSettings(
  assistantName: string,
  { oidcCreatesAccounts = false, backupOffsite = '' } = {},
): AdminSettings {
  return {
    assistant_name: assistantName,
    engines: {},
    limits: { upload_bytes: LARGE_UPLOAD_USUAL_BYTES, storage_bytes_per_user: null },
    sign_in: { idle_minutes: SESSION_IDLE_MINUTES, passwords: true, oidc_creates_accounts: oidcCreatesAccounts },
    retention: {
      activity_days: null,
      agent_run_days: 365,
      notification_days: 90,
      automation_run_days: 365,
      audit_days: 365,
      trash_days: 30,
      backups_kept: BACKUPS_KEPT,
    },
    backups: {
      every: 'day',
      weekday: 7,
      at: '03:30',
      time_zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
      offsite: backupOffsite,
    },
    news_feeds: DEFAULT_NEWS_FEEDS,
    allows_remote_fine_tuning: false,
    allows_own_mcp_servers: false,
  }
}
