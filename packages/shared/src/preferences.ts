import { z } from 'zod'
import { languages } from './constants/languages.ts'
import { MODEL_NAME_MAX_CHARACTERS } from './constants/limits.ts'
import { themeChoices } from './constants/themes.ts'

/** The name of a time zone. */
export const timeZoneSchema = z
  .string()
  .max(100)
  // offsets such as +01:00 are left out: PostgreSQL reads them with the opposite sign
  .regex(/^[A-Za-z][\w+-]*(\/[\w+-]+)*$/, { error: 'must be an IANA time zone such as Europe/Berlin' })
  .refine(isTimeZone, { error: 'must be an IANA time zone such as Europe/Berlin' })

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** GET and PATCH /me/preferences: what a person wishes on every device of theirs. */
export const preferencesSchema = z.object({
  /** Null while each device goes by its own browser; the same for the time zone and the theme. */
  language: z.enum(languages).nullable(),
  /** An IANA name. */
  time_zone: z.string().nullable(),
  theme: z.enum(themeChoices).nullable(),
  /** The model that new conversations in the web app begin with; null for the one that chats here anyway. */
  model: z.string().min(1).max(MODEL_NAME_MAX_CHARACTERS).nullable(),
  /** Allow answers rated up by the user in training sets of this instance. */
  shares_answers: z.boolean(),
  /** True when the user dismissed the list of first steps. */
  hides_first_steps: z.boolean(),
  /** True if uploads in the web app keep the place of pictures. */
  keeps_places: z.boolean(),
})
export type Preferences = z.infer<typeof preferencesSchema>

/** A partial update: missing fields stay unchanged. */
export const updatePreferencesSchema = z.strictObject({
  ...preferencesSchema.partial().shape,
  time_zone: timeZoneSchema.nullable().optional(),
})
export type UpdatePreferences = z.infer<typeof updatePreferencesSchema>
