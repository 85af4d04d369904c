import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { zipOf } from '../../../../test/document-files.ts'
import { mp4 } from '../../../../test/small-files.ts'
import { sniffFile } from '../../../parsers/sniff/sniff.ts'
import { requireSizeByName, storedTypeOf } from './upload-refusal.ts'

const folder = mkdtempSync(join(tmpdir(), 'mira-kept-as-'))
afterAll(() => rmSync(folder, { recursive: true }))

const sniffContent = async (content: string | Buffer) => {
  const filename = join(folder, 'file')
  writeFileSync(filename, content)
  return sniffFile(filename)
}

const MHTML =
  'MIME-Version: 1.0\nContent-Type: multipart/related; boundary="x"\n\nThis document is a Single File Web Page.\n--x\n'

const WORKBOOK =
  '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<ss:Workbook xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"/>'

test.each([
  ['page.doc', '<html xmlns:o="urn:schemas-microsoft-com:office:office"><p>Figs</p></html>', 'html'],
  ['statement.xls', '<table border="1"><tr><td>Figs</td></tr></table>', 'html'],
  ['statement.xls', 'Datum\tBetrag\n01.03.2024\t-12,50\n', 'csv'],
  [
    'wiki.doc',
    `Date: Tue, 5 Mar 2024 10:00:00 +0000\nMessage-ID: <1@wiki>\nSubject: Exported From Confluence\n${MHTML}`,
    'eml',
  ],
  ['saved.mht', MHTML, 'eml'],
  [
    'Kitchen.enex',
    '<?xml version="1.0"?>\n<!DOCTYPE en-export SYSTEM "x.dtd">\n<en-export><note/></en-export>',
    'enex',
  ],
  ['Formats.md', '<en-export> is an element of ENEX.', 'txt'],
  ['report.xls', WORKBOOK.replace(/^(?:.*\n){2}/, ''), 'xls'],
  ['Kitchen.txt', '<en-export><note/></en-export>', 'txt'],
  ['All mail.mbox', `From 1844347792267117879@xxx\nFrom: a@x.org\nTo: b@x.org\nSubject: x\n\nHello`, 'mbox'],
  ['mail.text', `From: a@x.org\nTo: b@x.org\nDate: Mon, 30 Nov 2026 10:00:00 +0000\nSubject: x\n\nHello`, 'eml'],
  ['1234.emlx', `40      \nFrom: a@x.org\nTo: b@x.org\nSubject: x\n\nHello`, 'eml'],
  ['broken.eml', `Received: by x\nfolded without a blank\nFrom: a@x.org\nSubject: x\n\nHello`, 'eml'],
  ['letter.txt', `From: a@x.org\nTo: b@x.org\nDate: today\nDear Bo,\n\nHello`, 'txt'],
  ['report.xls', WORKBOOK, 'xls'],
  ['report.xml', WORKBOOK, 'xls'],
  ['report.txt', WORKBOOK, 'txt'],
  ['README.md', '<p align="center">Figs</p>\n\n# Figs\n', 'txt'],
  ['letter.txt', '<table><tr><td>Figs</td></tr></table>', 'txt'],
])('stores %s in its detected format', async (name, content, format) => {
  expect(storedTypeOf(await sniffContent(content), name).format).toBe(format)
})

test.each(['x.jfif', 'x.apng', 'x.wave', 'x.mp2', 'x.divx', 'x.m2v'])('rejects a PDF named %s', (name) => {
  const sniffed = { mediaType: 'document', format: 'pdf', contentType: 'application/pdf' } as const
  expect(() => storedTypeOf(sniffed, name)).toThrow('The name of this file ends in')
})

test('rejects large images by their name, but accepts names of videos and recordings', () => {
  expect(() => requireSizeByName('x.jfif', 3e9)).toThrow('Pictures and documents')
  for (const ending of ['mka', 'weba', '3gpp', '3ga', 'm2t', 'mpe', 'vob', 'qt', 'm4r', 'wma', 'ogv']) {
    expect(() => requireSizeByName(`x.${ending}`, 3e9)).not.toThrow()
    for (const format of ['mp4', 'm4a'] as const) {
      const mediaType = format === 'mp4' ? 'video' : 'audio'
      expect(storedTypeOf({ mediaType, format, contentType: 'x' }, `x.${ending}`).format).toBe(format)
    }
  }
})

test('accepts a website’s name as the end of a screenshot’s or a large video’s', () => {
  const png = { mediaType: 'image', format: 'png', contentType: 'image/png' } as const
  expect(storedTypeOf(png, 'Screenshot example.org').format).toBe('png')
  expect(() => requireSizeByName('Talk at example.org', 3e9)).not.toThrow()
})

test.each(['stream.ts', 'recording.MTS'])('accepts a large video and a module named %s', async (name) => {
  expect(() => requireSizeByName(name, 3e9)).not.toThrow()
  expect(storedTypeOf({ mediaType: 'video', format: 'mts', contentType: 'video/mp2t' }, name).format).toBe('mts')
  expect(storedTypeOf(await sniffContent('export const figs = 3\n'), name).format).toBe('txt')
})

test.each([
  ['letter.pages', { 'Index/Document.iwa': 'x', 'preview.jpg': 'x' }, /Pages, Numbers or Keynote document. Export it/],
  ['photos.zip', { 'a.jpg': 'x' }, /ZIP files are imported/],
])('rejects %s with advice', async (name, files, message) => {
  const sniffed = await sniffContent(await zipOf(files))
  expect(() => storedTypeOf(sniffed, name)).toThrow(message)
})

test('accepts an audio book whose chapters have images', async () => {
  expect(storedTypeOf(await sniffContent(mp4('isom', ['soun', 'vide'])), 'book.m4b').format).toBe('mp4')
})
