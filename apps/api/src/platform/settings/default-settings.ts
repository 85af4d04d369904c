import { isDeepStrictEqual } from 'node:util'
import { type AdminSettings, adminSettingsSchema, LARGE_UPLOAD_DEFAULT_BYTES, type NewsFeed } from '@mira/shared'

/** Administrators' decisions: changed settings by name, such as `assistant_name`, `limits.upload_bytes` or `engines.chat`. */
export type SettingOverrides = Record<string, unknown>

const sections = ['limits', 'sign_in', 'retention', 'backups', 'engines'] as const
type Section = (typeof sections)[number]

/** True for an automatic engine with the default model, which counts as no choice by the administrator. */
function isNoChoice(value: unknown): boolean {
  return isDeepStrictEqual(value, { engine: 'auto', model: null })
}

/** Settings by name, one level deep. */
function flatten(settings: AdminSettings): SettingOverrides {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]): [string, unknown][] =>
      sections.includes(name as Section)
        ? Object.entries(value as object).map(([inner, setting]) => [`${name}.${inner}`, setting])
        : [[name, value]],
    ),
  )
}

/** Settings with one decision applied; null when this version doesn't understand it. */
function withDecision(settings: AdminSettings, name: string, value: unknown): AdminSettings | null {
  const [section = '', inner] = name.split('.', 2)
  const changed =
    inner === undefined
      ? { ...settings, [section]: value }
      : { ...settings, [section]: { ...settings[section as Section], [inner]: value } }
  return adminSettingsSchema.safeParse(changed).data ?? null
}

/** Settings that differ from their defaults. */
export function overridesOf(settings: AdminSettings, defaults: AdminSettings): SettingOverrides {
  const flatDefaults = flatten(defaults)
  return Object.fromEntries(
    Object.entries(flatten(settings)).filter(([name, value]) => {
      if (name.startsWith('engines.')) return !isNoChoice(value)
      return !isDeepStrictEqual(value, flatDefaults[name])
    }),
  )
}

/**
 * Applies decisions to the defaults.
 * @returns also the names of decisions that this version doesn't understand, which are ignored.
 */
export function applyOverrides(
  decisions: SettingOverrides,
  defaults: AdminSettings,
): { settings: AdminSettings; unknown: string[] } {
  let settings = defaults
  const unknown: string[] = []
  for (const [name, value] of Object.entries(decisions)) {
    const changed = withDecision(settings, name, value)
    if (changed === null) unknown.push(name)
    else settings = changed
  }
  return { settings, unknown }
}

/** Default news feeds: public broadcasters and large newspapers. */
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

/** Default number of backups to keep. */
export const DEFAULT_BACKUPS_KEPT = 7

const SESSION_IDLE_MINUTES = 14 * 24 * 60

/** Settings until an administrator changes them. */
export function defaultSettings(
  assistantName: string,
  { oidcCreatesAccounts = false, backupOffsite = '' } = {},
): AdminSettings {
  return {
    assistant_name: assistantName,
    engines: {},
    limits: { upload_bytes: LARGE_UPLOAD_DEFAULT_BYTES, storage_bytes_per_user: null },
    sign_in: { idle_minutes: SESSION_IDLE_MINUTES, passwords: true, oidc_creates_accounts: oidcCreatesAccounts },
    retention: {
      activity_days: null,
      agent_run_days: 365,
      notification_days: 90,
      automation_run_days: 365,
      audit_days: 365,
      trash_days: 30,
      backups_kept: DEFAULT_BACKUPS_KEPT,
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
