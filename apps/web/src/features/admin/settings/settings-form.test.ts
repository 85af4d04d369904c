import type { AdminSettings } from '@mira/shared'
import { describe, expect, test } from 'vitest'
import { findErrors, type SettingsForm, toForm, toSettings, withChanges } from './settings-form.ts'

const settings: AdminSettings = {
  assistant_name: 'Mira',
  engines: { chat: { engine: 'remote', model: 'gpt' }, ocr: { engine: 'off', model: null } },
  limits: { upload_bytes: 50 * 1024 * 1024, storage_bytes_per_user: null },
  sign_in: { idle_minutes: 60, passwords: true, oidc_creates_accounts: false },
  retention: {
    activity_days: null,
    agent_run_days: 365,
    notification_days: 90,
    automation_run_days: 365,
    audit_days: 365,
    trash_days: 30,
    backups_kept: 7,
  },
  backups: { every: 'week', weekday: 7, at: '03:30', time_zone: 'Europe/Madrid' },
  news_feeds: [{ title: 'News', url: 'https://news.example.org/rss', language: 'en' }],
  allows_remote_fine_tuning: true,
  allows_own_mcp_servers: true,
}

test('converts settings to valid form fields and back', () => {
  expect(toSettings(toForm(settings))).toEqual(settings)
  expect(findErrors(toForm(settings))).toEqual({})
})

test('applies changes to what another administrator has saved meanwhile', () => {
  const feed = (name: string) => ({ title: name, url: `https://${name}.example.org`, language: 'en' as const })
  const settingsBefore: AdminSettings = { ...settings, news_feeds: [feed('one'), feed('two')] }
  const saved: AdminSettings = {
    ...settingsBefore,
    engines: { ...settings.engines, chat: { engine: 'off', model: null } },
    sign_in: { ...settings.sign_in, passwords: false },
    retention: { ...settings.retention, activity_days: 30 },
    backups: { ...settings.backups, every: 'day' },
    news_feeds: [feed('two'), feed('three')],
  }
  const before = toForm(settingsBefore)
  const after: SettingsForm = {
    ...before,
    assistant_name: 'Grace',
    engines: { ...before.engines, ocr: { engine: 'auto', model: '' } },
    sign_in: { ...before.sign_in, idle_minutes: 15 },
    trash_days: '7',
    backups: { ...before.backups, at: '04:00' },
    news_feeds: [...before.news_feeds, { ...feed('four'), key: 'x' }],
  }
  expect(toSettings(withChanges(toForm(saved), before, after))).toEqual({
    ...saved,
    assistant_name: 'Grace',
    engines: { chat: { engine: 'off', model: null } },
    sign_in: { ...saved.sign_in, idle_minutes: 15 },
    retention: { ...saved.retention, trash_days: 7 },
    backups: { ...saved.backups, at: '04:00' },
    news_feeds: [feed('two'), feed('four'), feed('three')],
  })
  expect(toSettings(withChanges(toForm(saved), before, before))).toEqual(saved)
})

test('omits an engine without a choice, and the model of one that is off', () => {
  const form = toForm({ ...settings, engines: {} })
  const engines = {
    chat: { engine: 'auto' as const, model: ' ' },
    vision: { engine: 'auto' as const, model: ' eye ' },
    ocr: { engine: 'off' as const, model: 'x' },
  }
  expect(toSettings({ ...form, engines }).engines).toEqual({
    vision: { engine: 'auto', model: 'eye' },
    ocr: { engine: 'off', model: null },
  })
})

describe('validation reports', () => {
  const feed = { title: 'More', url: 'https://news.example.org/rss', language: 'en' as const, key: 'x' }
  test.each<[string, Partial<SettingsForm>, string, object]>([
    ['a missing name', { assistant_name: ' ' }, 'assistant_name', { kind: 'required' }],
    ['a name that is too long', { assistant_name: 'x'.repeat(41) }, 'assistant_name', { kind: 'tooLong' }],
    ['half a day', { notification_days: '1.5' }, 'retention.notification_days', { kind: 'number', from: 1, to: 365 }],
    [
      'a number with a thousands separator',
      { storage_megabytes: '10.000' },
      'limits.storage_bytes_per_user',
      { kind: 'number', from: 1, to: 100_000_000 },
    ],
    ['a missing number', { backups_kept: '' }, 'retention.backups_kept', { kind: 'number', from: 1, to: 100 }],
    ['too few days', { activity_days: '3' }, 'retention.activity_days', { kind: 'number', from: 7, to: 3650 }],
    [
      'a file size that is too large',
      { upload_megabytes: '102401' },
      'limits.upload_bytes',
      { kind: 'number', from: 1, to: 102_400 },
    ],
    ['a missing time', { backups: { ...settings.backups, at: '' } }, 'backups.at', { kind: 'time' }],
    ['an invalid address', { news_feeds: [{ ...feed, url: 'ftp://x' }] }, 'news_feeds.0.url', { kind: 'address' }],
    ['a duplicate address', { news_feeds: [feed, feed] }, 'news_feeds.1.url', { kind: 'twice' }],
  ])('%s', (_case, change, path, error) => {
    expect(findErrors({ ...toForm(settings), ...change })).toEqual({ [path]: error })
  })
})
