import { isDeepStrictEqual } from 'node:util'
import { type AdminSettings, adminSettingsSchema } from '@mira/shared'

/** Changed settings by name: `assistant_name`, `limits.upload_bytes`, `engines.chat`. */
export type Decisions = Record<string, unknown>

const sections = ['limits', 'sign_in', 'retention', 'backups', 'engines'] as const
type Section = (typeof sections)[number]

/** An engine that is left to resolve by itself, with the model of the environment, is no choice. */
function isNoChoice(value: unknown): boolean {
  return isDeepStrictEqual(value, { engine: 'auto', model: null })
}

/** Settings by name, one level deep. */
function flat(settings: AdminSettings): Decisions {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]): [string, unknown][] =>
      sections.includes(name as Section)
        ? Object.entries(value as object).map(([inner, one]) => [`${name}.${inner}`, one])
        : [[name, value]],
    ),
  )
}

function withDecision(settings: AdminSettings, name: string, value: unknown): AdminSettings | null {
  const [section = '', inner] = name.split('.', 2)
  const changed =
    inner === undefined
      ? { ...settings, [section]: value }
      : { ...settings, [section]: { ...settings[section as Section], [inner]: value } }
  return adminSettingsSchema.safeParse(changed).data ?? null
}

/** Settings that differ from their defaults. */
export function decisionsOf(settings: AdminSettings, defaults: AdminSettings): Decisions {
  const flatDefaults = flat(defaults)
  return Object.fromEntries(
    Object.entries(flat(settings)).filter(([name, value]) => {
      if (name.startsWith('engines.')) return !isNoChoice(value)
      return !isDeepStrictEqual(value, flatDefaults[name])
    }),
  )
}

/**
 * The settings that hold: the defaults, and over them what was decided.
 * @returns also the names of decisions that this version does not understand, which do not hold.
 */
export function applyDecisions(
  decisions: Decisions,
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
