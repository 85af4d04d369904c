import { describe, expect, test } from 'vitest'
import { wordOf, zipOf } from '../../../../test/document-files.ts'
import { linesOf, parseDocument, relation } from '../../../../test/parse-document.ts'
import { readWord } from './word.ts'

describe('DOCX', () => {
  test('of a web editor has its text in an embedded MHT page', async () => {
    const mail =
      'MIME-Version: 1.0\nContent-Type: multipart/related;\n type="text/html";\n boundary="--=mhtDocumentPart"\n\n----=mhtDocumentPart\nContent-Type: text/html; charset="utf-8"\nContent-Transfer-Encoding: quoted-printable\nContent-Location: file:///C:/fake/document.html\n\n<!DOCTYPE html><html><body><h1>Rezept</h1><p>Zwei Pf=C3=BCnde Quitten</p></body></html>\n\n----=mhtDocumentPart--\n'
    const docx = await zipOf({
      'word/document.xml': '<w:document><w:body><w:altChunk r:id="htmlChunk"/></w:body></w:document>',
      'word/_rels/document.xml.rels':
        '<Relationships><Relationship Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/aFChunk" Target="/word/afchunk.mht" Id="htmlChunk"/></Relationships>',
      'word/afchunk.mht': mail,
    })
    expect(await linesOf(readWord, docx)).toEqual(['Rezept', 'Zwei Pfünde Quitten'])
  })

  test.each([
    ['page.mht', 'aFChunk', 11],
    ['a.xlsx', 'package', 21],
  ])('is read without %s when that is too large, and reported as damaged', async (name, type, megabytes) => {
    const docx = await zipOf({
      'word/document.xml': '<w:p><w:r><w:t>Figs</w:t></w:r></w:p>',
      'word/_rels/document.xml.rels': `<Relationships>${relation('a', type, name)}</Relationships>`,
      [`word/${name}`]: Buffer.alloc(megabytes * 1024 * 1024, 'page '),
    })
    expect(await parseDocument(readWord, docx)).toMatchObject({ lines: ['Figs'], attachments: [], isDamaged: true })
  })

  test('is read without elements named like properties of objects', async () => {
    const docx = await wordOf('<w:p><w:r><constructor/><w:t>Figs</w:t></w:r></w:p>')
    expect(await linesOf(readWord, docx)).toEqual(['Figs'])
  })

  test('has the words on both sides of an alignment tab', async () => {
    const docx = await wordOf('<w:p><w:r><w:t>Quarterly report</w:t><w:ptab/><w:t>March</w:t></w:r></w:p>')
    expect(await linesOf(readWord, docx)).toEqual(['Quarterly report\tMarch'])
  })
})
