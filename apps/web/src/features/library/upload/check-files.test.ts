import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkFilesBeforeUpload, folderPathOf, QUEUE_MAX_FILES } from './check-files.ts'

const MAX_BYTES = 2_097_152
const LIMITS = { maxBytes: MAX_BYTES, stillMaxBytes: 1000 }

const file = (name: string, overrides: Partial<{ type: string; size: number; path: string }> = {}) => ({
  name,
  type: '',
  size: 10,
  lastModified: 0,
  ...overrides,
})

describe('files chosen for upload', () => {
  it('are accepted by file extension, regardless of case', () => {
    const files = [file('a.JPG'), file('b.pdf'), file('c.flac'), file('d.MkV'), file('e.txt')]
    expect(checkFilesBeforeUpload(files, [], LIMITS)).toEqual({ accepted: files, rejections: [] })
  })

  it.each(['PTT-20240101-WA0001.opus', 'book.m4b', 'film.m4v', 'a.jfif', 'song.wma', 'sound.mka', 'disc.vob'])(
    'are accepted with a rare extension: %s',
    (name) => {
      expect(checkFilesBeforeUpload([file(name)], [], LIMITS).accepted).toHaveLength(1)
    },
  )

  it.each([
    'Contacts.vcf',
    'basic.ics',
    'saved.mht',
    'page.mhtml',
    'cells.ipynb',
    'map.geojson',
    'todo.org',
    'a.jsonl',
  ])('are accepted with an extension of texts that the server reads: %s', (name) => {
    expect(checkFilesBeforeUpload([file(name)], [], LIMITS).accepted).toHaveLength(1)
  })

  it('are accepted as text, whose kind the server tells', () => {
    const files = [file('shared', { type: 'text/x-vcard' }), file('main.zig', { type: 'text/x-zig' })]
    expect(checkFilesBeforeUpload(files, [], LIMITS).accepted).toEqual(files)
  })

  it('are accepted up to the size of videos when their name may be a recording’s', () => {
    const files = [file('tv.ts', { size: 1001 }), file('tv.mts', { size: 1001 })]
    expect(checkFilesBeforeUpload(files, [], LIMITS).accepted).toEqual(files)
  })

  it('are accepted by content type when their name doesn’t identify them', () => {
    const files = [file('image', { type: 'image/png' }), file('scan.tif', { type: 'image/tiff' })]
    expect(checkFilesBeforeUpload(files, [], LIMITS).accepted).toEqual(files)
  })

  it('are accepted as large videos when a time ends their name', () => {
    const files = [file('WhatsApp Video 2026-01-02 at 10.15.33', { type: 'video/mp4', size: 1001 })]
    expect(checkFilesBeforeUpload(files, [], LIMITS).accepted).toEqual(files)
  })

  it('are rejected with a reason', () => {
    const files = [
      file('a.exe'),
      file('many.ZIP'),
      file('pdf'),
      file('large.mp4', { size: MAX_BYTES + 1 }),
      file('empty.txt', { size: 0 }),
      file('large.pdf', { size: 1001 }),
      file('scan', { size: 1001, type: 'image/tiff' }),
      file('just.mp4', { size: MAX_BYTES }),
    ]
    expect(checkFilesBeforeUpload(files, [], LIMITS)).toEqual({
      accepted: [files[7]],
      rejections: [
        { name: 'a.exe', reason: 'type' },
        { name: 'many.ZIP', reason: 'archive' },
        { name: 'pdf', reason: 'type' },
        { name: 'large.mp4', reason: 'too-large' },
        { name: 'empty.txt', reason: 'too-small' },
        { name: 'large.pdf', reason: 'still-too-large' },
        { name: 'scan', reason: 'still-too-large' },
      ],
    })
  })

  it('are rejected when the queue is full', () => {
    const files = Array.from({ length: QUEUE_MAX_FILES }, (_, index) => file(`${index}.png`))
    const { accepted, rejections } = checkFilesBeforeUpload(files, [file('first.png')], LIMITS)
    expect(accepted).toHaveLength(QUEUE_MAX_FILES - 1)
    expect(rejections).toEqual([{ name: `${QUEUE_MAX_FILES - 1}.png`, reason: 'too-many' }])
  })

  it('are ignored when they are already queued or hidden', () => {
    const files = [file('a.png'), file('a.png'), file('b.png'), file('.DS_Store'), file('Thumbs.db')]
    const hidden = ['./notes/.git/a.png', './photos/@eaDir/b.jpg/thumb.jpg'].map((path) => file('a.png', { path }))
    expect(checkFilesBeforeUpload([...files, ...hidden], [file('b.png')], LIMITS)).toEqual({
      accepted: [files[0]],
      rejections: [],
    })
  })

  it('are both accepted when they have the same name in different folders', () => {
    const files = [file('a.png', { path: './one/a.png' }), file('a.png', { path: './two/a.png' })]
    expect(checkFilesBeforeUpload(files, [], LIMITS).accepted).toEqual(files)
  })
})

it('returns the folder of a file', () => {
  expect(folderPathOf({ path: './letters/2026/a.png' })).toBe('letters/2026')
  expect(folderPathOf({ path: 'a.png' })).toBe('')
  expect(folderPathOf({ webkitRelativePath: 'letters/a.png', path: 'a.png' })).toBe('letters')
})

it('accepts every file type that other apps may share', () => {
  const manifest = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../../public/manifest.webmanifest'), 'utf8'),
  )
  const types: string[] = manifest.share_target.params.files[0].accept.filter((type: string) => !type.endsWith('/*'))
  expect(types).toContain('application/epub+zip')
  const files = types.map((type) => file(`shared as ${type}`.replaceAll(/[/.]/g, ' '), { type }))
  expect(checkFilesBeforeUpload(files, [], LIMITS)).toEqual({ accepted: files, rejections: [] })
})
