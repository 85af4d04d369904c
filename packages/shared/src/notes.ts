import { z } from 'zod'
import { NOTE_MAX_CHARACTERS, NOTE_TITLE_MAX_CHARACTERS } from './constants/limits.ts'
import { timestampSchema } from './timestamp.ts'

const titleSchema = z
  .string()
  .trim()
  .min(1, { error: 'Give the note a title.' })
  .max(NOTE_TITLE_MAX_CHARACTERS, { error: `Use at most ${NOTE_TITLE_MAX_CHARACTERS} characters.` })
const textSchema = z
  .string()
  .max(NOTE_MAX_CHARACTERS, { error: `Use at most ${NOTE_MAX_CHARACTERS} characters.` })
  .refine((text) => text.trim() !== '', { error: 'Write something.' })

/** POST /notes: `text` is Markdown. */
export const createNoteSchema = z.strictObject({ title: titleSchema, text: textSchema })
export type CreateNote = z.output<typeof createNoteSchema>

/** PATCH /notes/{id}: what is left out stays. */
export const noteChangesSchema = z.strictObject({ title: titleSchema.optional(), text: textSchema.optional() })
export type NoteChanges = z.output<typeof noteChangesSchema>

/** GET /notes/{id}: a note as it was written. */
export const noteSchema = z.object({ id: z.uuid(), title: z.string(), text: z.string(), updated_at: timestampSchema })
export type Note = z.output<typeof noteSchema>
export type NoteJson = z.input<typeof noteSchema>
