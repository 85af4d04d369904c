import type { CreateNote, MediaItemJson, NoteChanges, NoteJson } from '@mira/shared'
import { call } from './client.ts'

/** A note as it was written. */
export function fetchNote(id: string, signal?: AbortSignal): Promise<NoteJson> {
  return call('GET /notes/:id', { params: { id }, signal })
}

/** Keeps a note. */
export function addNote(note: CreateNote): Promise<MediaItemJson> {
  return call('POST /notes', { json: note })
}

/** Writes a note anew; what is left out stays. */
export function changeNote(id: string, changes: NoteChanges): Promise<MediaItemJson> {
  return call('PATCH /notes/:id', { params: { id }, json: changes })
}
