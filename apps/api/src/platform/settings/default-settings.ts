import { type AdminSettings, LARGE_UPLOAD_USUAL_BYTES, type NewsFeed } from '@mira/shared'

/** The feeds that news are read from until an administrator chooses others: public broadcasters and large papers. */
const DEFAULT_NEWS_FEEDS: NewsFeed[] = [
  { title: 'BBC News', url: 'https://feeds.bbci.co.uk/news/world/rss.xml', language: 'en' },
  { title: 'The Guardian', url: 'https://www.theguardian.com/world/rss', language: 'en' },
  { title: 'BBC Mundo', url: 'https://feeds.bbci.co.uk/mundo/rss.xml', language: 'es' },
  {
    title: 'El País',
    url: 'https://feeds.elpais.com/mrss-s/pages/ep/site/elpais.com/portada',
    language: 'es',
  },
  { title: 'France 24', url: 'https://www.france24.com/fr/rss', language: 'fr' },
  { title: 'Le Monde', url: 'https://www.lemonde.fr/rss/une.xml', language: 'fr' },
  { title: 'Tagesschau', url: 'https://www.tagesschau.de/infoservices/alle-meldungen-100~rss2.xml', language: 'de' },
  { title: 'Deutsche Welle', url: 'https://rss.dw.com/rdf/rss-de-all', language: 'de' },
]

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
