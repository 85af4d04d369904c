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
  'Letters/~$Bericht.docx',
  '~syncthing~IMG_1.jpg.tmp',
  'Films/film.mp4.part',
  'IMG_1.jpg.a1b2c3d4.partial',
  'Unconfirmed 1.crdownload',
  'film.mp4.download/film.mp4',
  'IMG_1.jpg.!sync',
])('%s is a system file', (path) => {
  expect(isSystemFile(path)).toBe(true)
})

test.each([
  'a.jpg',
  './a.jpg',
  './Photos/a.jpg',
  'recycle/a.jpg',
  'my thumbs.db.txt',
  'Mr. Smith/v1.2/notes.md',
  'my.download/a.jpg',
  'drawing.tmp',
  '~/part.jpg',
  'a.part.jpg',
])('%s is a user’s file', (path) => {
  expect(isSystemFile(path)).toBe(false)
})
