import {
  ACCOUNT_TRASH_DAYS,
  type Capability,
  type Check,
  capabilities,
  EFFECT_UPLOAD_MAX_BYTES,
  MESSAGE_MAX_CHARACTERS,
  MESSAGE_MAX_IMAGES,
  type PublicConfig,
  STILL_UPLOAD_MAX_BYTES,
  UPLOAD_MAX_BYTES,
} from '@mira/shared'

export interface PublicConfigDeps {
  version: string
  assistantName(): string
  /** Largest file that can be uploaded. */
  uploadBytes(): number
  /** Days for which deleted things can come back. */
  trashDays(): number
  /** Current engine state by capability. */
  modelChecks(): Record<Capability, Check>
}

/** Reads what a client needs before anybody signs in, but for the ways to do that. */
export type ReadPublicConfig = () => Omit<PublicConfig, 'sign_in'>

export function createPublicConfig(deps: PublicConfigDeps): ReadPublicConfig {
  const { version, assistantName, uploadBytes, trashDays, modelChecks } = deps
  return () => {
    const models = modelChecks()
    return {
      assistant_name: assistantName(),
      phase_badge: 'Phase 5',
      version,
      limits: {
        message_characters: MESSAGE_MAX_CHARACTERS,
        message_images: MESSAGE_MAX_IMAGES,
        upload_bytes: uploadBytes(),
        whole_upload_bytes: Math.min(uploadBytes(), UPLOAD_MAX_BYTES),
        still_upload_bytes: Math.min(uploadBytes(), STILL_UPLOAD_MAX_BYTES),
        effect_upload_bytes: EFFECT_UPLOAD_MAX_BYTES,
      },
      trash: { days: trashDays(), account_days: ACCOUNT_TRASH_DAYS },
      capabilities: Object.fromEntries(
        capabilities.map((name) => [name, models[name].state === 'ok']),
      ) as PublicConfig['capabilities'],
    }
  }
}
