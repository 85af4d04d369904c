import { describe, expect, test } from 'vitest'
import { bookOf, zipOf } from '../../../../test/document-files.ts'
import { deeplyNestedHtml, linesOf, parseDocument } from '../../../../test/parse-document.ts'
import { readEpub } from './epub.ts'

test('an unreadable chapter loses no other chapter of its book', async () => {
  const texts = ['Figs', deeplyNestedHtml, 'Quails']
  const { pages, isDamaged } = await parseDocument(
    readEpub,
    await bookOf(texts.map((text, index) => ({ title: `${index + 1}`, text }))),
  )
  expect(pages.map((lines) => lines.join(' '))).toEqual(['1 Figs', '2', '3 Quails'])
  expect(isDamaged).toBe(true)
})

test('reads chapters of an older media type', async () => {
  const epub = await zipOf({
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
    'book.opf':
      '<package><manifest><item id="a" href="a.htm" media-type="text/x-oeb1-document"/></manifest><spine><itemref idref="a"/></spine></package>',
    'a.htm': '<html><body><p>Call me Ishmael.</p></body></html>',
  })
  expect(await linesOf(readEpub, epub)).toEqual(['Call me Ishmael.'])
})

/** Book of files with their media types; its spine has them in order, except those that are only fallbacks. */
const bookWith = (files: [name: string, type: string, content: string, fallback?: string][], metadata = '') => {
  const fallbacks = new Set(files.map(([, , , fallback]) => fallback))
  const items = files.map(
    ([name, type, , fallback]) =>
      `<item id="${name}" href="${name}" media-type="${type}"${fallback ? ` fallback="${fallback}"` : ''}/>`,
  )
  const order = files.flatMap(([name]) => (fallbacks.has(name) ? [] : [`<itemref idref="${name}"/>`]))
  return zipOf({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfile full-path="in/book.opf"/></container>',
    'in/book.opf': `<package xmlns:dc="x"><metadata>${metadata}</metadata><manifest>${items.join('')}</manifest><spine>${order.join('')}</spine></package>`,
    ...Object.fromEntries(files.map(([name, , content]) => [`in/${name}`, content])),
  })
}
const xhtml = 'application/xhtml+xml'
const pageOf = (content: string) => `<html><body>${content}</body></html>`
const drawnPage = (picture: string) =>
  pageOf(`<svg xmlns="http://www.w3.org/2000/svg"><title>x</title><image xlink:href="${picture}"/></svg>`)

describe('a book', () => {
  test('of drawings has a page for each, with its text and its image', async () => {
    const lines =
      '<text x="1" y="10">Call me<title>tooltip</title><style>text{}</style></text><text x="1" y="20">Ish<tspan>mael</tspan><tspan y="30">.</tspan></text>'
    const book = await bookWith([
      ['1.svg', 'image/svg+xml', `<svg><title>x</title><style>text{}</style>${lines}</svg>`],
      ['2.xhtml', xhtml, pageOf(`<p>Moby</p><svg:svg><svg:image href="a.png"/><svg:text>Dick</svg:text></svg:svg>`)],
    ])
    const { pages, pictures } = await parseDocument(readEpub, book)
    expect(pages).toEqual([
      ['Call me', 'Ishmael', '.'],
      ['Moby', 'Dick'],
    ])
    expect(pictures).toBe(1)
  })

  test('of drawings has its text in lines as drawn', async () => {
    const lines = [
      '<text x="1" y="10">Call</text><text x="9" y="10">me</text>',
      '<text y="20"><tspan x="1" dy="0">Ish</tspan><tspan>mael.</tspan><tspan x="1" dy="12">Some</tspan><tspan x="1" dy="1.2em">years</tspan></text>',
      '<text y="50">H<tspan dy="3">2</tspan><tspan dy="-3">O</tspan></text>',
      '<g transform="translate(0,60)"><text>ago</text></g><g transform="translate(0,70)"><text>never</text></g>',
    ]
    const book = await bookWith([['1.svg', 'image/svg+xml', `<svg>${lines.join('')}</svg>`]])
    expect((await parseDocument(readEpub, book)).lines).toEqual([
      ...['Call me', 'Ishmael.', 'Some', 'years', 'H2O', 'ago', 'never'],
    ])
  })

  test.each([
    ['<meta property="rendition:layout">pre-paginated</meta>', [0, 1, 0]],
    ['<meta name="fixed-layout" content="true"/>', [0, 1, 0]],
    ['', [1, 0, 0, 0, 0, 0]],
  ])('of images is read although one page has text: %s', async (metadata, lines) => {
    const book = await bookWith(
      [
        ['1.xhtml', xhtml, drawnPage('a%20b.png')],
        ['2.xhtml', xhtml, pageOf('<p>Printed in Vienna</p>')],
        ...Array.from({ length: lines.length - 2 }, (_, n): [string, string, string] => [
          `c ${n}.png`,
          'image/png',
          '',
        ]),
      ],
      metadata,
    )
    const { pages, pictures } = await parseDocument(readEpub, book)
    expect({ lines: pages.map((page) => page.length), pictures }).toEqual({ lines, pictures: lines.length - 1 })
  })

  test('of one chapter has no pages for its cover and title', async () => {
    const book = await bookWith([
      ['cover.xhtml', xhtml, drawnPage('a.png')],
      ['title.xhtml', xhtml, drawnPage('b.png')],
      ['1.xhtml', xhtml, pageOf('<p>Call me Ishmael.</p>')],
    ])
    expect((await parseDocument(readEpub, book)).pages).toEqual([['Call me Ishmael.']])
  })

  test('with an image or an unknown file in its spine uses the fallback', async () => {
    const book = await bookWith([
      ['1.png', 'image/png', '', '1.xhtml'],
      ['1.xhtml', xhtml, pageOf('<p>A whale</p>')],
      ['2.json', 'application/json', '{}', '2.xml'],
      ['2.xml', 'application/xml', '<x/>', '2.xhtml'],
      ['2.xhtml', xhtml, pageOf('<p>A ship</p>')],
    ])
    expect(await parseDocument(readEpub, book)).toMatchObject({ pages: [['A whale'], ['A ship']], pictures: 1 })
  })

  test('has its author, and other contributors only without one', async () => {
    const page = pageOf('<p>Call me Ishmael.</p>')
    const illustrator = '<dc:creator id="b">Bo</dc:creator><meta refines="#b" property="role">ill</meta>'
    const creators = `<dc:creator opf:role="aut">Ada</dc:creator><dc:creator opf:role="trl">Cy</dc:creator>${illustrator}`
    expect((await parseDocument(readEpub, await bookWith([['1.xhtml', xhtml, page]], creators))).facts.author).toBe(
      'Ada',
    )
    expect((await parseDocument(readEpub, await bookWith([['1.xhtml', xhtml, page]], illustrator))).facts.author).toBe(
      'Bo',
    )
  })

  test('has text outside its root element', async () => {
    const page = `<!DOCTYPE html [<!ENTITY a "b">\n<!ENTITY c "d"> ] >${pageOf('<p>Call me</p>')}Ishmael`
    expect((await parseDocument(readEpub, await bookWith([['1.xhtml', xhtml, page]]))).lines).toEqual([
      'Call me',
      'Ishmael',
    ])
  })

  test('has all its authors, and no text of its document type', async () => {
    const page = `<!DOCTYPE html [<!ENTITY a "b"> ]>${pageOf('<p>Call me Ishmael.</p>')}`
    const metadata = '<dc:title>Moby</dc:title><dc:creator> Ada  Quibble </dc:creator><dc:creator>Bo</dc:creator>'
    const { facts, lines } = await parseDocument(readEpub, await bookWith([['1.xhtml', xhtml, page]], metadata))
    expect(facts).toEqual({ title: 'Moby', author: 'Ada Quibble, Bo', createdAt: null })
    expect(lines).toEqual(['Call me Ishmael.'])
  })
})
