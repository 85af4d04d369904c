import { path } from '@mira/client/path'
import type { CreateNote, MediaItemJson, NoteChanges, NoteJson } from '@mira/shared'
import { requestJson } from './client.ts'

/** A note as it was written. */
export function fetchNote(id: string, signal?: AbortSignal): Promise<NoteJson> {
  return requestJson(path`/notes/${id}`, { signal })
}

/** Keeps a note. */
export function addNote(note: CreateNote): Promise<MediaItemJson> {
  return requestJson('/notes', { method: 'POST', json: note })
}

/** Writes a note anew; what is left out stays. */
export function changeNote(id: string, changes: NoteChanges): Promise<MediaItemJson> {
  return requestJson(path`/notes/${id}`, { method: 'PATCH', json: changes })
}
