import { expect, test } from 'vitest'
import { isSystemFile } from './system-files.ts'

test.each([
  '.DS_Store',
  'Photos/._IMG_1.jpg',
  'project/.git/config',
  'Photos/Thumbs.db',
  'Photos/Desktop.ini',
  '__MACOSX/Photos/a.jpg',
  'Photos/@eaDir/IMG_1.jpg/SYNOPHOTO_THUMB_M.jpg',
  '$RECYCLE.BIN/S-1-5/a.jpg',
  './Photos/#recycle/a.jpg',
])('%s is a system file', (path) => {
  expect(isSystemFile(path)).toBe(true)
})

test.each(['a.jpg', './a.jpg', './Photos/a.jpg', 'recycle/a.jpg', 'my thumbs.db.txt', 'Mr. Smith/v1.2/notes.md'])(
  '%s is a user’s file',
  (path) => {
    expect(isSystemFile(path)).toBe(false)
  },
)
