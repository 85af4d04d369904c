import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderPathOf, judgeFiles, QUEUE_MAX_FILES } from './judge-files.ts'

const MAX_BYTES = 2_097_152
const LIMITS = { maxBytes: MAX_BYTES, stillMaxBytes: 1000 }

const file = (name: string, overrides: Partial<{ type: string; size: number; path: string }> = {}) => ({
  name,
  type: '',
  size: 10,
  lastModified: 0,
  ...overrides,
})

describe('files that are chosen for an upload', () => {
  it('are taken by the ending of their name, in any case of letters', () => {
    const files = [file('a.JPG'), file('b.pdf'), file('c.flac'), file('d.MkV'), file('e.txt')]
    expect(judgeFiles(files, [], LIMITS)).toEqual({ accepted: files, rejections: [] })
  })

  it.each(['PTT-20240101-WA0001.opus', 'book.m4b', 'film.m4v', 'a.jfif', 'song.wma', 'sound.mka', 'disc.vob'])(
    'are taken by endings that few programs write: %s',
    (name) => {
      expect(judgeFiles([file(name)], [], LIMITS).accepted).toHaveLength(1)
    },
  )

  it('are taken by their content type when their name says nothing', () => {
    const files = [file('image', { type: 'image/png' }), file('scan.tif', { type: 'image/tiff' })]
    expect(judgeFiles(files, [], LIMITS).accepted).toEqual(files)
  })

  it('are refused with the reason', () => {
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
    expect(judgeFiles(files, [], LIMITS)).toEqual({
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

  it('are refused when too many wait', () => {
    const files = Array.from({ length: QUEUE_MAX_FILES }, (_, index) => file(`${index}.png`))
    const { accepted, rejections } = judgeFiles(files, [file('first.png')], LIMITS)
    expect(accepted).toHaveLength(QUEUE_MAX_FILES - 1)
    expect(rejections).toEqual([{ name: `${QUEUE_MAX_FILES - 1}.png`, reason: 'too-many' }])
  })

  it('are passed over when they wait already or are hidden', () => {
    const files = [file('a.png'), file('a.png'), file('b.png'), file('.DS_Store'), file('Thumbs.db')]
    const hidden = ['./notes/.git/a.png', './photos/@eaDir/b.jpg/thumb.jpg'].map((path) => file('a.png', { path }))
    expect(judgeFiles([...files, ...hidden], [file('b.png')], LIMITS)).toEqual({ accepted: [files[0]], rejections: [] })
  })

  it('are two when they lie in two folders', () => {
    const files = [file('a.png', { path: './one/a.png' }), file('a.png', { path: './two/a.png' })]
    expect(judgeFiles(files, [], LIMITS).accepted).toEqual(files)
  })
})

it('says in which folder a file lies', () => {
  expect(folderPathOf({ path: './letters/2026/a.png' })).toBe('letters/2026')
  expect(folderPathOf({ path: 'a.png' })).toBe('')
  expect(folderPathOf({ webkitRelativePath: 'letters/a.png', path: 'a.png' })).toBe('letters')
})

it('takes each type of file that other apps may share', () => {
  const manifest = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../../public/manifest.webmanifest'), 'utf8'),
  )
  const types: string[] = manifest.share_target.params.files[0].accept.filter((type: string) => !type.endsWith('/*'))
  expect(types).toContain('application/epub+zip')
  const files = types.map((type) => file(`shared as ${type}`.replaceAll(/[/.]/g, ' '), { type }))
  expect(judgeFiles(files, [], LIMITS)).toEqual({ accepted: files, rejections: [] })
})
