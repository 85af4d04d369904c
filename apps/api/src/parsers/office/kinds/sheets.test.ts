import { describe, expect, test } from 'vitest'
import { zipOf } from '../../../../test/document-files.ts'
import { linesOf, relation } from '../../../../test/parse-document.ts'
import { readSheets } from './sheets.ts'

const workbookOf = (files: Record<string, string>) =>
  zipOf({
    'xl/workbook.xml': '<workbook><sheets><sheet name="Sheet1" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': `<Relationships>${relation('r1', 'worksheet', 'worksheets/sheet1.xml')}${relation('r2', 'sharedStrings', 'sharedStrings.xml')}${relation('r3', 'styles', 'styles.xml')}</Relationships>`,
    ...files,
  })

describe('XLSX', () => {
  test('of 1C refers to its shared strings in another case', async () => {
    const xlsx = await workbookOf({
      'xl/SharedStrings.xml': '<sst><si><t>Кабачки</t></si></sst>',
      'xl/worksheets/sheet1.xml': '<worksheet><sheetData><row><c t="s"><v>0</v></c></row></sheetData></worksheet>',
    })
    expect(await linesOf(readSheets, xlsx)).toEqual(['Sheet1', 'Кабачки'])
  })

  test('has its escaped characters decoded', async () => {
    const xlsx = await workbookOf({
      'xl/sharedStrings.xml': '<sst><si><t>one_x000D_\ntwo</t></si><si><t>file_x005F_x0041_</t></si></sst>',
      'xl/worksheets/sheet1.xml':
        '<worksheet><sheetData><row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="inlineStr"><is><t>three_x000a_four</t></is></c></row></sheetData></worksheet>',
    })
    expect(await linesOf(readSheets, xlsx)).toEqual(['Sheet1', 'one two | file_x0041_ | three four'])
  })

  test('leaves out the phonetic readings of inline texts', async () => {
    const xlsx = await workbookOf({
      'xl/worksheets/sheet1.xml':
        '<worksheet><sheetData><row><c t="inlineStr"><is><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></is></c></row></sheetData></worksheet>',
    })
    expect(await linesOf(readSheets, xlsx)).toEqual(['Sheet1', '東京'])
  })

  test('of Japan and China has date formats without a code', async () => {
    const cells = (...values: [style: number, value: number][]) =>
      values.map(([style, value]) => `<c s="${style}"><v>${value}</v></c>`).join('')
    const xlsx = await workbookOf({
      'xl/styles.xml':
        '<styleSheet><cellXfs><xf numFmtId="31"/><xf numFmtId="57"/><xf numFmtId="32"/><xf numFmtId="55"/></cellXfs></styleSheet>',
      'xl/worksheets/sheet1.xml': `<worksheet><sheetData><row>${cells([0, 45170], [1, 45170], [2, 0.75], [3, 45170], [3, 0.75])}</row></sheetData></worksheet>`,
    })
    expect(await linesOf(readSheets, xlsx)).toEqual([
      'Sheet1',
      '2023-09-01 | 2023-09-01 | 18:00 | 2023-09-01 | 18:00:00',
    ])
  })

  test('of .NET is read although it wrongly declares UTF-16', async () => {
    const xlsx = await workbookOf({
      'xl/worksheets/sheet1.xml':
        '<?xml version="1.0" encoding="utf-16"?><worksheet><sheetData><row><c t="inlineStr"><is><t>Kürbis</t></is></c></row></sheetData></worksheet>',
    })
    expect(await linesOf(readSheets, xlsx)).toEqual(['Sheet1', 'Kürbis'])
  })

  test('can have ISO dates and chart sheets', async () => {
    const xlsx = await zipOf({
      'xl/workbook.xml':
        '<workbook><sheets><sheet name="Dates" r:id="r1"/><sheet name="Plot" r:id="r2"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': `<Relationships>${relation('r1', 'worksheet', 'worksheets/sheet1.xml')}${relation('r2', 'chartsheet', 'chartsheets/sheet1.xml')}${relation('r3', 'styles', 'styles.xml')}</Relationships>`,
      'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
      'xl/worksheets/sheet1.xml':
        '<worksheet><sheetData><row><c s="1" t="d"><v>2014-02-14T08:27:48.765Z</v></c></row></sheetData></worksheet>',
      'xl/chartsheets/sheet1.xml': '<chartsheet/>',
      'xl/chartsheets/_rels/sheet1.xml.rels': `<Relationships>${relation('r1', 'drawing', '../drawings/drawing1.xml')}</Relationships>`,
      'xl/drawings/drawing1.xml': '<xdr:wsDr><a:p><a:r><a:t>Rainfall</a:t></a:r></a:p></xdr:wsDr>',
    })
    expect(await linesOf(readSheets, xlsx)).toEqual(['Dates', '2014-02-14', 'Plot', 'Rainfall'])
  })

  test('has series and categories in its charts', async () => {
    const chart =
      '<c:chartSpace><c:ser><c:tx><c:strRef><c:f>Sheet1!$B$1</c:f><c:strCache><c:pt idx="0"><c:v>Harvest</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>Figs</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>17</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:chartSpace>'
    const xlsx = await workbookOf({
      'xl/worksheets/sheet1.xml': '<worksheet/>',
      'xl/worksheets/_rels/sheet1.xml.rels': `<Relationships>${relation('r1', 'drawing', '../drawings/drawing1.xml')}</Relationships>`,
      'xl/drawings/drawing1.xml': '<xdr:wsDr/>',
      'xl/drawings/_rels/drawing1.xml.rels': `<Relationships>${relation('r1', 'chart', '../charts/chart1.xml')}</Relationships>`,
      'xl/charts/chart1.xml': chart,
    })
    expect(await linesOf(readSheets, xlsx)).toEqual(['Sheet1', 'Harvest | Figs'])
  })
})
