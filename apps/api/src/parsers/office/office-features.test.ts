import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DocumentFormat } from '@mira/shared'
import { afterAll, expect, test } from 'vitest'
import { zipOf } from '../../../test/document-files.ts'
import { testSandboxing } from '../../../test/test-sandboxing.ts'
import { createDocumentReader } from './document-reader.ts'

const folder = mkdtempSync(join(tmpdir(), 'mira-office-'))
const documentReader = createDocumentReader({ sandboxing: testSandboxing })
afterAll(async () => {
  await documentReader.close()
  rmSync(folder, { recursive: true, force: true })
})

async function linesIn(format: DocumentFormat, content: string | Buffer): Promise<string[]> {
  const filename = join(folder, `file.${format}`)
  writeFileSync(filename, content)
  const { signal } = new AbortController()
  const { pages } = await documentReader.read({ filename, format }, { folder, signal })
  const lines: string[] = []
  for await (const { text } of pages(signal)) lines.push(...text.split('\n').filter((line) => line !== ''))
  return lines
}

const relations = (...targets: [type: string, target: string][]) =>
  `<Relationships>${targets.map(([type, target], index) => `<Relationship Id="r${index + 1}" Target="${target}" Type="x/${type}"/>`).join('')}</Relationships>`
const docx = (body: string, otherParts: Record<string, string> = {}) =>
  zipOf({
    'word/document.xml': `<w:body>${body}</w:body>`,
    'word/_rels/document.xml.rels': relations(
      ...Object.keys(otherParts).map((name): [string, string] => [name, `${name}.xml`]),
    ),
    ...Object.fromEntries(Object.entries(otherParts).map(([name, content]) => [`word/${name}.xml`, content])),
  })
const odt = (text: string, styles = '', more: Record<string, string> = {}) =>
  zipOf({ 'content.xml': `${styles}<office:text>${text}</office:text>`, ...more })
const pptx = (slide: string, otherParts: Record<string, string> = {}) =>
  zipOf({
    'ppt/presentation.xml': '<p:sldId r:id="r1"/>',
    'ppt/_rels/presentation.xml.rels': relations(['slide', 'slides/slide1.xml']),
    'ppt/slides/slide1.xml': slide,
    'ppt/slides/_rels/slide1.xml.rels': relations(
      ...Object.keys(otherParts).map((name): [string, string] => [name, `${name}.xml`]),
    ),
    ...Object.fromEntries(Object.entries(otherParts).map(([name, content]) => [`ppt/slides/${name}.xml`, content])),
  })
const rtf = (text: string) => `{\\rtf1\\ansi ${text}\\par}`
const run = (text: string, format = '') => `<w:r><w:rPr>${format}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`
const box = (text: string) => `<w:r><w:txbxContent><w:p>${run(text)}</w:p></w:txbxContent></w:r>`
const hiddenStyle = '<style:style style:name="T1"><style:text-properties text:display="none"/></style:style>'

const features: [feature: string, format: DocumentFormat, content: () => string | Promise<Buffer>, lines: string[]][] =
  [
    [
      'tracked changes',
      'docx',
      () =>
        docx(
          `<w:p>${run('Rent ')}<w:del><w:r><w:delText>20</w:delText></w:r></w:del><w:ins>${run('35')}</w:ins></w:p>`,
        ),
      ['Rent 35'],
    ],
    [
      'tracked changes',
      'odt',
      () => odt('<text:tracked-changes><text:p>20</text:p></text:tracked-changes><text:p>Rent 35</text:p>'),
      ['Rent 35'],
    ],
    ['tracked changes', 'rtf', () => rtf('Rent {\\deleted\\revauthdel1 20}{\\revised 35}'), ['Rent 35']],
    [
      'comments',
      'docx',
      () => docx(`<w:p>${run('Rent')}</w:p>`, { comments: `<w:comment><w:p>${run('why?')}</w:p></w:comment>` }),
      ['Rent', 'why?'],
    ],
    [
      'comments',
      'odt',
      () =>
        odt(
          '<text:p><office:annotation><dc:creator>Ann</dc:creator><text:p>why?</text:p></office:annotation>Rent</text:p>',
        ),
      ['Rent', 'why?'],
    ],
    ['comments', 'rtf', () => rtf('Rent{\\*\\atnid A}{\\*\\annotation{\\*\\atndate 1}\\pard why?}'), ['Rent', 'why?']],
    [
      'comments',
      'pptx',
      () => pptx('<a:p><a:t>Rent</a:t></a:p>', { comments: '<p:cm><p:text>why?</p:text></p:cm>' }),
      ['Rent', 'why?'],
    ],
    [
      'modern comments',
      'pptx',
      () => pptx('<a:p><a:t>Rent</a:t></a:p>', { comments: '<p188:cm><a:p><a:t>why?</a:t></a:p></p188:cm>' }),
      ['Rent', 'why?'],
    ],
    [
      'headers and footers',
      'rtf',
      () => rtf('{\\header Office\\par}{\\headerl Office\\par}{\\footer Account\\par}Rent'),
      ['Office', 'Rent', 'Account'],
    ],
    [
      'notes',
      'docx',
      () =>
        docx(`<w:p>${run('Rent is due')}</w:p>`, {
          footnotes: `<w:footnote><w:p>${run('monthly')}</w:p></w:footnote>`,
        }),
      ['Rent is due', 'monthly'],
    ],
    [
      'notes',
      'odt',
      () =>
        odt(
          '<text:p>Rent<text:note><text:note-citation>1</text:note-citation><text:p>monthly</text:p></text:note> is due</text:p>',
        ),
      ['monthly', 'Rent is due'],
    ],
    ['notes', 'rtf', () => rtf('Rent{\\footnote\\pard monthly} is due'), ['Rent is due', 'monthly']],
    [
      'hidden text',
      'docx',
      () => docx(`<w:p>${run('Seen ')}${run('unseen', '<w:vanish/>')}${run('words')}</w:p>`),
      ['Seen words'],
    ],
    [
      'hidden text',
      'odt',
      () => odt('<text:p>Seen <text:span text:style-name="T1">unseen</text:span>words</text:p>', hiddenStyle),
      ['Seen words'],
    ],
    ['hidden text', 'rtf', () => rtf('Seen {\\v unseen}\\v unseen\\v0 words'), ['Seen words']],
    [
      'text boxes',
      'docx',
      () => docx(`<w:p>${run('before ')}${box('in the box')}${run('and after')}</w:p>`),
      ['in the box', 'before and after'],
    ],
    [
      'text boxes',
      'odt',
      () => odt('<text:p>before <draw:text-box><text:p>in the box</text:p></draw:text-box>and after</text:p>'),
      ['in the box', 'before and after'],
    ],
    [
      'text boxes',
      'rtf',
      () => rtf('before {\\shp{\\*\\shpinst{\\shptxt in the box\\par}}}and after'),
      ['in the box', 'before and after'],
    ],
    [
      'equations',
      'docx',
      () => docx(`<w:p>${run('so ')}<m:oMath><m:r><m:t>x=42.7</m:t></m:r></m:oMath></w:p>`),
      ['so x=42.7'],
    ],
    [
      'equations',
      'odt',
      () =>
        odt('<text:p>so<draw:object xlink:href="./Object 1"/></text:p>', '', {
          'Object 1/content.xml': '<math><mi>x</mi><mo>=</mo><mn>42.7</mn><annotation>x = 42.7</annotation></math>',
        }),
      ['so', 'x=42.7'],
    ],
    ['equations', 'rtf', () => rtf('so {\\mmath{\\*\\moMath{\\mr x=42.7}}}'), ['so x=42.7']],
    [
      'equations',
      'pptx',
      () => pptx('<a:p><a:r><a:t>so </a:t></a:r><m:oMath><m:r><m:t>x=42.7</m:t></m:r></m:oMath></a:p>'),
      ['so x=42.7'],
    ],
    [
      'equations',
      'html',
      () => '<p>so <math><mi>x</mi><mo>=</mo><mn>42.7</mn><annotation>no</annotation></math></p>',
      ['so x=42.7'],
    ],
    ['the code page of a Mac', 'rtf', () => "{\\rtf1\\mac ch\\'89teau\\par}", ['château']],
  ]
test.each(features)('reads %s in %s as in every other format', async (_feature, format, content, lines) => {
  expect(await linesIn(format, await content())).toEqual(lines)
})

test('decodes named entities in a book, even those that XML doesn’t have', async () => {
  const book = await zipOf({
    'META-INF/container.xml': '<container><rootfile full-path="book.opf"/></container>',
    'book.opf':
      '<package><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/><itemref idref="a"/></package>',
    'a.xhtml': '<p>Caf&eacute; M&uuml;ller &amp; &lt;S&ouml;hne&gt; &nothing;</p>',
  })
  expect(await linesIn('epub', book)).toEqual(['Café Müller & <Söhne> &nothing;'])
})
