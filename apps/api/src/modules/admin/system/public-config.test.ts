import { type Capability, type Check, capabilities } from '@mira/shared'
import { expect, test } from 'vitest'
import { VERSION } from '../../../config.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import { publicConfigOf } from './public-config.ts'

test('the public config contains the limits and the capabilities with an engine', () => {
  const models = Object.fromEntries(capabilities.map((name) => [name, { state: name === 'chat' ? 'ok' : 'off' }]))
  const settings = { assistant_name: 'Mira', limits: { upload_bytes: 104_857_600 }, retention: { trash_days: 30 } }
  const config = publicConfigOf({
    settings: { current: () => settings as ReturnType<SettingsReader['current']> },
    ai: { checks: () => models as Record<Capability, Check> },
  })
  expect(config).toEqual({
    assistant_name: 'Mira',
    phase_badge: 'Phase 5',
    version: VERSION,
    limits: {
      message_characters: 32_000,
      message_images: 5,
      upload_bytes: 104_857_600,
      whole_upload_bytes: 104_857_600,
      still_upload_bytes: 104_857_600,
      effect_upload_bytes: 52_428_800,
    },
    trash: { days: 30, account_days: 7 },
    capabilities: { ...Object.fromEntries(capabilities.map((name) => [name, false])), chat: true },
  })
})
