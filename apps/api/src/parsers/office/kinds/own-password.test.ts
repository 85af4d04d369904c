import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CFB, utils, write } from '@e965/xlsx'
import { afterAll, expect, test } from 'vitest'
import { createPaperWriter } from '../paper-writer.ts'
import { readOldSheets } from './old-sheets.ts'
import { withoutOwnPassword } from './own-password.ts'

const folder = mkdtempSync(join(tmpdir(), 'mira-own-password-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A record of 112 bytes, which the lock replaces. */
const WRITE_ACCESS = Buffer.from([0x5c, 0, 112, 0])
const FILE_PASS = 0x2f
/** RC4 with an empty salt. */
const LOCK =
  '01000100010000000000000000000000000000000000bfdb5579e0430b27033537201dc013a8b9e22ac174e6abe06f81e00f129b75f7'

/** A workbook encrypted by decrypting it, which is the same for RC4. */
function lockedWorkbook(lock: string): Buffer {
  const book = utils.book_new(utils.aoa_to_sheet([['Figs', 17.5]]), 'Costs')
  const file = CFB.read(write(book, { type: 'buffer', bookType: 'biff8' }), { type: 'buffer' })
  const stream = Buffer.from(CFB.find(file, '/Workbook')?.content as Uint8Array)
  const at = stream.indexOf(WRITE_ACCESS)
  stream.writeUInt16LE(FILE_PASS, at)
  stream.fill(0, at + 4, at + 116).write(LOCK, at + 4, 'hex')
  const locked = withoutOwnPassword(stream) ?? stream
  locked.writeUInt16LE(FILE_PASS, at)
  locked.write(lock, at + 4, 'hex')
  CFB.utils.cfb_add(file, '/Workbook', locked)
  return Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array)
}

async function textOf(content: Buffer): Promise<string | undefined> {
  const filename = join(folder, 'file.xls')
  writeFileSync(filename, content)
  const writer = createPaperWriter()
  await readOldSheets(filename, writer, () => undefined)
  return writer.pages()[0]?.text
}

test("a workbook that Excel locked with its own password is read, and one with a user's isn't", async () => {
  const content = lockedWorkbook(LOCK)
  expect(content.includes('Figs')).toBe(false)
  expect(await textOf(content)).toBe('Costs\n\nFigs | 17.5')
  await expect(textOf(lockedWorkbook(LOCK.replace('bfdb', 'bfdc')))).rejects.toMatchObject({
    code: 'encrypted_document',
  })
})

test('a workbook obfuscated with that password is read', () => {
  const [beginning, written] = ['0908040000000000' + '2f000600' + '000059b30a9a', 'cd4ff207924c55e2902a2946578eb28d']
  const stream = Buffer.from(`${beginning}04021000${written}`, 'hex')
  expect(withoutOwnPassword(stream)?.toString('latin1')).toContain('Figs and quinces')
  expect(withoutOwnPassword(Buffer.from(stream.toString('hex').replace('59b3', '58b3'), 'hex'))).toBeNull()
})
