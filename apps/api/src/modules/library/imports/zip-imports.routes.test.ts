import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { zipOf } from '../../../../test/document-files.ts'
import { callsOf, importCounts, importExport, itemsByName } from '../../../../test/import-client.ts'
import { plainImage } from '../../../../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let mira: TestApp
let picture: Buffer

beforeAll(async () => {
  mira = await startTestApp({ isStarted: true })
  picture = await plainImage({ width: 6, height: 4, format: 'png' })
})

afterAll(() => mira.close())

const as = (account: TestAccount) => callsOf(mira, account)
/** Changes the flags and the compression method of files, as the list at the end of an archive states them. */
function withMethod(
  archive: Buffer,
  { flags = 0, method, names }: { flags?: number; method: number; names: string[] },
) {
  const changed = Buffer.from(archive)
  for (const name of names) {
    const offset = changed.lastIndexOf(name) - CENTRAL_HEADER_BYTES
    changed.writeUInt16LE(changed.readUInt16LE(offset + 8) | flags, offset + 8)
    changed.writeUInt16LE(method, offset + 10)
  }
  return changed
}
const CENTRAL_HEADER_BYTES = 46
const AES = { flags: 1, method: 99 }
const DEFLATE64 = { method: 9 }

const runImport = (account: TestAccount, file: Buffer) => importExport(as(account), 'files', file)

describe('a ZIP file', () => {
  test('is imported as the files in it, and skipped files are listed with the reason', async () => {
    const anna = await mira.createUser({ can_upload: true })
    const file = await zipOf({
      'holiday/boat.png': picture,
      'holiday/letter.txt': 'Dear Anna, the boat leaves at nine.',
      'holiday/lie.png': 'no picture at all',
      'more.zip': await zipOf({ 'a.txt': 'a' }),
      'program.exe': 'MZ',
      '__MACOSX/holiday/._boat.png': 'x',
      '.DS_Store': 'x',
      'nothing.txt': '',
    })
    const result = await runImport(anna, file)
    expect(importCounts(result)).toEqual({ state: 'done', found: 3, imported: 2, skipped: 0 })
    expect(result.failed.map(({ name, told }) => [name, told[0]?.code]).sort()).toEqual([
      ['lie.png', 'upload_mismatch'],
      ['more.zip', 'import_nested_archive'],
      ['nothing.txt', 'upload_empty'],
      ['program.exe', 'import_unsupported'],
    ])
    expect([...(await itemsByName(as(anna))).keys()].sort()).toEqual(['boat.png', 'letter.txt'])
  })

  test('may use the path separators of Windows, but no paths outside itself', async () => {
    const account = await mira.createUser({ can_upload: true })
    const archive = await zipOf({ 'Papers/boiler.txt': 'It drips since Tuesday.' })
    const withEntryName = (name: string) =>
      Buffer.from(archive.toString('latin1').replaceAll('Papers/boiler.txt', name), 'latin1')
    const { found, imported, error } = await runImport(account, withEntryName('Papers\\boiler.txt'))
    expect({ found, imported, error }).toEqual({ found: 1, imported: 1, error: null })
    expect([...(await itemsByName(as(account))).keys()]).toEqual(['boiler.txt'])
    expect(await runImport(account, withEntryName('..\\pers\\boil.txt'))).toMatchObject({
      state: 'failed',
      imported: 0,
    })
  })

  test('is rejected when it isn’t a ZIP file, is empty, or unpacks to far more than its size', async () => {
    const anna = await mira.createUser({ can_upload: true })
    const files: [Buffer, string][] = [
      [picture, 'import_damaged'],
      [await zipOf({}), 'import_nothing'],
      [await zipOf({ 'large.txt': Buffer.alloc(60_000_000, ' ') }), 'import_too_large'],
    ]
    for (const [file, code] of files) {
      expect(await runImport(anna, file)).toMatchObject({ state: 'failed', told: [{ code }] })
    }
  })

  test('is rejected before anything is imported when it has a password, even in a preview', async () => {
    const anna = await mira.createUser({ can_upload: true })
    const archive = await zipOf({ 'boat.png': picture, 'letter.txt': 'Dear Anna' })
    const locked = withMethod(archive, { ...AES, names: ['boat.png', 'letter.txt'] })
    const refusal = { state: 'failed', told: [{ code: 'import_encrypted' }] }
    expect(await importExport(as(anna), 'files', locked, { preview: 'true' })).toMatchObject(refusal)
    expect(await importExport(as(anna), 'takeout', locked)).toMatchObject({ ...refusal, imported: 0 })
  })

  test('is imported except for single files with a password', async () => {
    const anna = await mira.createUser({ can_upload: true })
    const archive = await zipOf({ 'boat.png': picture, 'letter.txt': 'Dear Anna' })
    const counted = await importExport(as(anna), 'files', withMethod(archive, { ...AES, names: ['letter.txt'] }))
    expect(counted).toMatchObject({
      ...{ state: 'done', found: 1, imported: 1 },
      failed: [{ name: 'letter.txt', told: [{ code: 'import_entry_encrypted' }] }],
    })
  })

  test('says how to import files that are compressed in another way, and archives of another kind', async () => {
    const anna = await mira.createUser({ can_upload: true })
    const archive = await zipOf({ 'boat.png': picture, 'letter.txt': 'Dear Anna' })
    const counted = await importExport(as(anna), 'files', withMethod(archive, { ...DEFLATE64, names: ['boat.png'] }))
    expect(counted).toMatchObject({
      ...{ state: 'done', found: 1, imported: 1 },
      failed: [{ name: 'boat.png', told: [{ code: 'import_entry_packed' }] }],
    })
    const absolute = Buffer.from(archive.toString('latin1').replaceAll('letter.txt', '/etter.txt'), 'latin1')
    expect(await runImport(anna, absolute)).toMatchObject({
      ...{ state: 'failed', told: [{ code: 'import_unsupported_zip' }] },
    })
  })

  test('is imported except for a damaged file', async () => {
    const anna = await mira.createUser({ can_upload: true })
    const file = await zipOf({ 'a.txt': `begin ${'x'.repeat(50)} end`, 'b.png': picture })
    const offset = file.indexOf(picture.subarray(0, 20))
    // Flips a byte in the content of b.png, compressed or not.
    const broken = Buffer.from(file)
    const byteOffset = offset >= 0 ? offset + 40 : file.indexOf('b.png') + 'b.png'.length + 30
    broken[byteOffset] = broken[byteOffset]! ^ 0xff
    const result = await runImport(anna, broken)
    expect(result).toMatchObject({ state: 'done', imported: 1, failed: [{ name: 'b.png' }] })
  })

  test('requires the upload permission', async () => {
    const ben = await mira.createUser({ can_upload: false })
    await as(ben)
      .post('/imports')
      .field('source', 'files')
      .attach('file', await zipOf({ 'a.txt': 'a' }), 'a.zip')
      .expect(403)
  })
})
