import { describe, expect, test } from 'vitest'
import { linesOf, parseDocument } from '../../../../test/parse-document.ts'
import { readHtml } from './html.ts'

test('reads the visible text of a page: words split by tags, alt texts, nothing hidden', async () => {
  const { lines } = await parseDocument(
    readHtml,
    `<p><span>O</span>nce the <b>Ele</b>phant, Do&shy;nau; super<wbr>cali</p><p hidden>lobster <br> more</p>
     <div style="color:red; display: none">mussel <p>deep</p></div><img alt="A walrus" style="display:none"><p>Look: <img alt="a walrus"></p>
     <table><tr><td>Plum</td><td>7</td></tr></table>`,
  )
  expect(lines).toEqual(['Once the Elephant, Do\u00adnau; supercali', 'Look: a walrus', 'Plum | 7'])
})

describe('HTML', () => {
  test.each([
    [
      'of Office that declares "unicode" is UTF-8',
      '<meta http-equiv=Content-Type content="text/html; charset=unicode"><p>Größe</p>',
    ],
    ['with a byte order mark that its head contradicts is UTF-8', '\uFEFF<meta charset="iso-8859-1"><p>Größe</p>'],
  ])('%s', async (_name, page) => {
    expect(await linesOf(readHtml, page)).toEqual(['Größe'])
  })

  test('is read in its real encoding when it wrongly declares UTF-8, or declares another after long scripts', async () => {
    const words = 'Größe und Maß stehen im Heft; die Äpfel wären süß'
    const page = Buffer.from(`<meta charset="utf-8"><p>${words}</p>`, 'latin1')
    expect(await linesOf(readHtml, page)).toEqual([words])
    const late = `<script>${'let a;'.repeat(1_000)}</script><meta charset="windows-1251"><p>`
    expect(await linesOf(readHtml, Buffer.concat([Buffer.from(late), Buffer.from('cff0e8e2e5f2', 'hex')]))).toEqual([
      'Привет',
    ])
  })

  test('is read in the encoding of its XML declaration', async () => {
    const page = Buffer.from(
      '<?xml version="1.0" encoding="windows-1251"?><html><body><p>\xcf\xf0\xe8</p></body></html>',
      'latin1',
    )
    expect(await linesOf(readHtml, page)).toEqual(['При'])
  })

  test('in valid UTF-8 is read as such though its head says otherwise', async () => {
    expect(await linesOf(readHtml, '<meta charset="gb2312"><p>人工智能 Größe</p>')).toEqual(['人工智能 Größe'])
  })

  test('has a long title without a gap where an emoji doesn’t fit', async () => {
    const { facts } = await parseDocument(readHtml, `<title>${'a'.repeat(999)}😀&amp;b</title>`)
    expect(facts.title).toBe('a'.repeat(999))
  })

  test('shows content that React streams at its end', async () => {
    const placeholder = '<template id="B:1a"></template>'
    const streamed = '<div hidden id="S:1a"><p>Seen</p></div><div hidden>Not</div>'
    expect(await linesOf(readHtml, placeholder + streamed)).toEqual(['Seen'])
    // without its placeholder no script shows it
    expect(await linesOf(readHtml, streamed)).toEqual([])
  })

  test('separates the words of alt texts and of centred lines', async () => {
    const page = '<center>One</center><center>Two</center><p><img alt="Blue"><img alt="Moon"> Hi<img alt="😀">!</p>'
    expect(await linesOf(readHtml, page)).toEqual(['One', 'Two', 'Blue Moon Hi😀!'])
  })
})
