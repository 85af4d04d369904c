import { describe, expect, test } from 'vitest'
import { zipOf } from '../../../../test/document-files.ts'
import { linesOf, parseDocument } from '../../../../test/parse-document.ts'
import { readOpenDocument } from './open-document.ts'

describe('OpenDocument', () => {
  test('of LibreOffice since 24.8 is recognised as locked when encrypted as one file', async () => {
    const odt = await zipOf({
      mimetype: 'application/vnd.oasis.opendocument.text',
      'encrypted-package': Buffer.alloc(100, 7),
      'META-INF/manifest.xml':
        '<manifest:manifest><manifest:file-entry manifest:full-path="encrypted-package"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>',
    })
    await expect(parseDocument(readOpenDocument('odt'), odt)).rejects.toMatchObject({ code: 'encrypted_document' })
  })

  test('has the text boxes of a sheet, and no earlier contents of its cells', async () => {
    const ods = await zipOf({
      'content.xml':
        '<office:document-content><office:body><office:spreadsheet><table:tracked-changes><table:cell-content-change><table:previous><table:change-track-table-cell><text:p>before</text:p></table:change-track-table-cell></table:previous></table:cell-content-change></table:tracked-changes><table:table table:name="Costs"><table:shapes><draw:frame><draw:text-box><text:p>Pay by Friday</text:p></draw:text-box></draw:frame></table:shapes><table:table-row><table:table-cell><text:p>Figs</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>',
    })
    expect(await linesOf(readOpenDocument('ods'), ods)).toEqual(['Costs', 'Pay by Friday', 'Figs'])
  })
})
