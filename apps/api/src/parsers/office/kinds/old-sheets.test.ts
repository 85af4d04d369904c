import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BookType, utils, type WorkBook, write } from '@e965/xlsx'
import { afterAll, describe, expect, test } from 'vitest'
import { zipOf } from '../../../../test/document-files.ts'
import { linesOf, parseDocument } from '../../../../test/parse-document.ts'
import { sniffFile } from '../../sniff/sniff.ts'
import { readOldSheets } from './old-sheets.ts'

const folder = mkdtempSync(join(tmpdir(), 'mira-old-sheets-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a workbook that Excel writes in another format', () => {
  const workbook = (): WorkBook => {
    const cells = [['Figs', 17.5, true, { t: 'e', v: 42 }, { t: 'n', v: 45170, z: 'dd.mm.yyyy' }]]
    const book = utils.book_new(utils.aoa_to_sheet(cells), 'Costs')
    book.Props = { Title: 'Harvest', Author: 'Ada' }
    return book
  }
  const writtenAs = (bookType: BookType): Buffer => write(workbook(), { type: 'buffer', bookType })

  test.each(['xlsb', 'xlml', 'biff8'] as const)('%s', async (bookType) => {
    const { lines, facts } = await parseDocument(readOldSheets, writtenAs(bookType))
    expect(lines).toEqual(['Costs', 'Figs | 17.5 | TRUE | #N/A | 01.09.2023'])
    expect(facts).toMatchObject({ title: 'Harvest', author: 'Ada' })
  })

  test('is detected by its content', async () => {
    const filename = join(folder, 'known')
    const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml'
    writeFileSync(filename, await zipOf({ '[content_types].xml': types }))
    expect(await sniffFile(filename)).toMatchObject({ format: 'xlsx' })
    const embedded =
      '<Types><Default Extension="xlsb" ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.12"/><Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/></Types>'
    writeFileSync(filename, await zipOf({ '[Content_Types].xml': embedded }))
    expect(await sniffFile(filename)).toMatchObject({ format: 'pptx' })
    writeFileSync(filename, writtenAs('xlsb'))
    expect(await sniffFile(filename)).toMatchObject({ format: 'xls' })
    writeFileSync(filename, writtenAs('xlml'))
    expect(await sniffFile(filename)).toMatchObject({ format: 'txt', text: 'workbook' })
  })

  test('is refused when it unpacks to far too much, in files of any name', async () => {
    const large = await zipOf({ 'xl/media/a.png': Buffer.alloc(65 * 1024 * 1024), 'xl/workbook.bin': 'x' })
    await expect(linesOf(readOldSheets, large)).rejects.toMatchObject({ code: 'too_large_document' })
  })

  test('can name a language twice in XML', async () => {
    const xml = writtenAs('xlml').toString().replace('dd.mm.yyyy', '[ENG][$-409]d\\-mmm\\-yy;@')
    expect((await linesOf(readOldSheets, xml)).at(-1)).toMatch(/ 1-Sep-23$/)
  })

  test('can have a cell in row or column 2,000,000,000', async () => {
    const xml = writtenAs('xlml').toString()
    for (const name of ['<Row', '<Cell ss:StyleID="s21"'])
      expect(
        await linesOf(readOldSheets, xml.replace(`${name} ss:Index="1"`, `${name} ss:Index="2000000000"`)),
      ).toContain('Costs')
  })
})
