import { expect, test } from 'vitest'
import { troubleOf } from './recorder.ts'
import { voiceNoteName } from './voice-note.ts'

test('a voice note is named after its time, with the file extension of its type', () => {
  const at = new Date(2026, 0, 5, 9, 7)
  expect(voiceNoteName('Voice note', at, 'audio/webm')).toBe('Voice note 2026-01-05 09.07.webm')
  expect(voiceNoteName('Sprachnotiz', at, 'audio/mp4')).toBe('Sprachnotiz 2026-01-05 09.07.m4a')
})

test.each([
  ['NotAllowedError', 'denied'],
  ['NotFoundError', 'none'],
  ['NotReadableError', 'busy'],
  ['TypeError', 'failed'],
])('the browser’s microphone error %s is read as %s', (name, trouble) => {
  expect(troubleOf(new DOMException('no', name))).toBe(trouble)
})
