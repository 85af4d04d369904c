import type { AdminSettings, AdminSettingsResponseJson, Capability, EngineChoice, NewsFeed } from '@mira/shared'
import {
  ASSISTANT_NAME_MAX_CHARACTERS,
  FEED_TITLE_MAX_CHARACTERS,
  LARGE_UPLOAD_MAX_BYTES,
  MEBIBYTE,
  retentionBounds,
} from '@mira/shared/constants/limits'
import { typedNumber } from '../../../lib/format/typed-number.ts'

/** Settings as form values: numbers as typed, empty for no limit. */
export interface SettingsForm {
  assistant_name: string
  engines: Partial<
    Record<Capability, { engine: EngineChoice['engine']; model: string; connection?: string | undefined }>
  >
  upload_megabytes: string
  storage_megabytes: string
  sign_in: AdminSettings['sign_in']
  activity_days: string
  agent_run_days: string
  notification_days: string
  automation_run_days: string
  audit_days: string
  trash_days: string
  backups_kept: string
  backups: AdminSettings['backups']
  news_feeds: (NewsFeed & { key: string })[]
  allows_remote_fine_tuning: boolean
  allows_own_mcp_servers: boolean
}

/** Errors by wire name of the field. */
type FormErrors = Record<string, FormError>
export type FormError =
  | { kind: 'required' | 'tooLong' | 'address' | 'twice' | 'time' }
  | { kind: 'number'; from: number; to: number }

const MAX_STORAGE_MEGABYTES = 100_000_000

/** Whole-number fields with their bounds; an empty optional field means no limit. */
export const numberFields = {
  upload_megabytes: { path: 'limits.upload_bytes', min: 1, max: LARGE_UPLOAD_MAX_BYTES / MEBIBYTE, isOptional: false },
  storage_megabytes: {
    path: 'limits.storage_bytes_per_user',
    min: 1,
    max: MAX_STORAGE_MEGABYTES,
    isOptional: true,
  },
  activity_days: { path: 'retention.activity_days', ...retentionBounds.activity_days, isOptional: true },
  agent_run_days: { path: 'retention.agent_run_days', ...retentionBounds.agent_run_days, isOptional: true },
  notification_days: { path: 'retention.notification_days', ...retentionBounds.notification_days, isOptional: false },
  automation_run_days: {
    path: 'retention.automation_run_days',
    ...retentionBounds.automation_run_days,
    isOptional: false,
  },
  audit_days: { path: 'retention.audit_days', ...retentionBounds.audit_days, isOptional: false },
  trash_days: { path: 'retention.trash_days', ...retentionBounds.trash_days, isOptional: false },
  backups_kept: { path: 'retention.backups_kept', ...retentionBounds.backups_kept, isOptional: false },
} as const
export type NumberName = keyof typeof numberFields

/** Converts settings to form values. */
export function toForm(settings: AdminSettingsResponseJson['settings']): SettingsForm {
  const { limits, retention } = settings
  const numberText = (value: number | null) => (value === null ? '' : String(value))
  return {
    assistant_name: settings.assistant_name,
    engines: Object.fromEntries(
      Object.entries(settings.engines).map(([capability, choice]) => [
        capability,
        {
          engine: choice.engine,
          model: choice.model ?? '',
          ...(choice.connection === undefined ? {} : { connection: choice.connection }),
        },
      ]),
    ),
    upload_megabytes: numberText(Math.round(limits.upload_bytes / MEBIBYTE)),
    storage_megabytes: numberText(
      limits.storage_bytes_per_user === null ? null : Math.round(limits.storage_bytes_per_user / MEBIBYTE),
    ),
    sign_in: settings.sign_in,
    activity_days: numberText(retention.activity_days),
    agent_run_days: numberText(retention.agent_run_days),
    notification_days: numberText(retention.notification_days),
    automation_run_days: numberText(retention.automation_run_days),
    audit_days: numberText(retention.audit_days),
    trash_days: numberText(retention.trash_days),
    backups_kept: numberText(retention.backups_kept),
    backups: settings.backups,
    news_feeds: settings.news_feeds.map((feed, index) => ({ ...feed, key: String(index) })),
    allows_remote_fine_tuning: settings.allows_remote_fine_tuning,
    allows_own_mcp_servers: settings.allows_own_mcp_servers,
  }
}

/** Applies the differences between `before` and `after` to `saved`: field by field, engines by capability, feeds by URL. */
export function withChanges(saved: SettingsForm, before: SettingsForm, after: SettingsForm): SettingsForm {
  return {
    ...withChangedValues(saved, before, after),
    engines: withChangedValues(saved.engines, before.engines, after.engines),
    sign_in: withChangedValues(saved.sign_in, before.sign_in, after.sign_in),
    backups: withChangedValues(saved.backups, before.backups, after.backups),
    news_feeds: withChangedFeeds(saved.news_feeds, before.news_feeds, after.news_feeds),
  }
}

function withChangedValues<T extends object>(saved: T, before: T, after: T): T {
  const changes = Object.entries(after).filter(([name, value]) => !isSameValue(value, before[name as keyof T]))
  return { ...saved, ...Object.fromEntries(changes) }
}

function withChangedFeeds<T extends SettingsForm['news_feeds']>(saved: T, before: T, after: T) {
  if (isSameValue(before, after)) return saved
  const includesUrl = (feeds: T, url: string) => feeds.some((feed) => feed.url === url)
  return [
    ...after.filter(({ url }) => !includesUrl(before, url) || includesUrl(saved, url)),
    ...saved
      .filter(({ url }) => !includesUrl(before, url) && !includesUrl(after, url))
      .map((feed) => ({ ...feed, key: feed.url })),
  ]
}

export const isSameValue = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** Validates the form; empty when it can be saved. */
export function findErrors(form: SettingsForm): FormErrors {
  const errors: FormErrors = {}
  const requireText = (path: string, text: string, maxLength: number) => {
    if (text.trim() === '') errors[path] = { kind: 'required' }
    else if (text.trim().length > maxLength) errors[path] = { kind: 'tooLong' }
  }
  requireText('assistant_name', form.assistant_name, ASSISTANT_NAME_MAX_CHARACTERS)
  for (const [name, { path, min, max, isOptional }] of Object.entries(numberFields)) {
    const input = form[name as NumberName].trim()
    if (input === '' && isOptional) continue
    const number = typedNumber(input)
    if (!(number >= min && number <= max)) errors[path] = { kind: 'number', from: min, to: max }
  }
  if (form.backups.at === '') errors['backups.at'] = { kind: 'time' }
  const addresses = new Set<string>()
  for (const [index, { title, url }] of form.news_feeds.entries()) {
    requireText(`news_feeds.${index}.title`, title, FEED_TITLE_MAX_CHARACTERS)
    const address = url.trim()
    if (!/^https?:\/\/[^\s]+$/.test(address) || !URL.canParse(address)) {
      errors[`news_feeds.${index}.url`] = { kind: 'address' }
    } else if (addresses.has(address)) errors[`news_feeds.${index}.url`] = { kind: 'twice' }
    addresses.add(address)
  }
  return errors
}

/** Converts valid form values to settings. */
export function toSettings(form: SettingsForm): AdminSettings {
  const optional = (text: string) => (text.trim() === '' ? null : Number(text))
  const storageMegabytes = optional(form.storage_megabytes)
  return {
    assistant_name: form.assistant_name.trim(),
    engines: Object.fromEntries(
      Object.entries(form.engines)
        .map(([capability, { engine, model, connection }]): [string, EngineChoice] => [
          capability,
          {
            engine,
            model: engine === 'off' || model.trim() === '' ? null : model.trim(),
            ...(engine === 'remote' && connection ? { connection } : {}),
          },
        ])
        .filter(([, { engine, model }]) => engine !== 'auto' || model !== null),
    ),
    limits: {
      upload_bytes: Number(form.upload_megabytes) * MEBIBYTE,
      storage_bytes_per_user: storageMegabytes === null ? null : storageMegabytes * MEBIBYTE,
    },
    sign_in: form.sign_in,
    retention: {
      activity_days: optional(form.activity_days),
      agent_run_days: optional(form.agent_run_days),
      notification_days: Number(form.notification_days),
      automation_run_days: Number(form.automation_run_days),
      audit_days: Number(form.audit_days),
      trash_days: Number(form.trash_days),
      backups_kept: Number(form.backups_kept),
    },
    backups: form.backups,
    news_feeds: form.news_feeds.map(({ title, url, language }) => ({
      title: title.trim(),
      url: url.trim(),
      language,
    })),
    allows_remote_fine_tuning: form.allows_remote_fine_tuning,
    allows_own_mcp_servers: form.allows_own_mcp_servers,
  }
}
