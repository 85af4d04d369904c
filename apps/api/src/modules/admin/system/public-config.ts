import {
  ACCOUNT_TRASH_DAYS,
  capabilities,
  EFFECT_UPLOAD_MAX_BYTES,
  MESSAGE_MAX_CHARACTERS,
  MESSAGE_MAX_IMAGES,
  PICTURE_OR_DOCUMENT_MAX_BYTES,
  type PublicConfig,
  UPLOAD_MAX_BYTES,
} from '@mira/shared'
import { VERSION } from '../../../config.ts'
import type { Ai } from '../../../engines/ai.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'

/** Configuration for clients before sign-in, without the ways to sign in. */
export function publicConfigOf({
  settings,
  ai,
}: {
  settings: Pick<SettingsReader, 'current'>
  ai: Pick<Ai, 'checks'>
}): Omit<PublicConfig, 'sign_in'> {
  const { assistant_name: name, limits, retention } = settings.current()
  const models = ai.checks()
  return {
    assistant_name: name,
    phase_badge: 'Phase 5',
    version: VERSION,
    limits: {
      message_characters: MESSAGE_MAX_CHARACTERS,
      message_images: MESSAGE_MAX_IMAGES,
      upload_bytes: limits.upload_bytes,
      whole_upload_bytes: Math.min(limits.upload_bytes, UPLOAD_MAX_BYTES),
      still_upload_bytes: Math.min(limits.upload_bytes, PICTURE_OR_DOCUMENT_MAX_BYTES),
      effect_upload_bytes: EFFECT_UPLOAD_MAX_BYTES,
    },
    trash: { days: retention.trash_days, account_days: ACCOUNT_TRASH_DAYS },
    capabilities: Object.fromEntries(
      capabilities.map((name) => [name, models[name].state === 'ok']),
    ) as PublicConfig['capabilities'],
  }
}
