import { describe, expect, test } from 'vitest'
import { processorMs } from '../../../../test/fastest.ts'
import { deeplyNestedHtml, parseDocument } from '../../../../test/parse-document.ts'
import { readNotes } from './notes.ts'

describe('Evernote notes', () => {
  const noteOf = (title: string, content: string, more = '') =>
    `<note><title>${title}</title><content><![CDATA[<?xml version="1.0"?>\n<!DOCTYPE en-note SYSTEM "x.dtd"><en-note>${content}</en-note>]]></content><created>20230120T204520Z</created>${more}</note>`
  const exportOf = (...notes: string[]) =>
    `<?xml version="1.0"?>\n<!DOCTYPE en-export SYSTEM "x.dtd">\n<en-export>${notes.join('\n')}</en-export>`
  const fileOf = (name: string, type: string, content: string) =>
    `<resource><data encoding="base64">\n${Buffer.from(content).toString('base64')}\n</data><mime>${type}</mime><resource-attributes><file-name>${name}</file-name></resource-attributes></resource>`

  test('have their title, time, tags, checkboxes, tasks, tables, address and files', async () => {
    const lists = [
      '<div><en-todo checked="true"/>Figs</div><div><en-todo/>Dates</div>',
      '<ul style="--en-todo:true;"><li style="--en-checked:false;"><div>Jam</div></li><li style="--en-checked:true;">Tea</li></ul>',
      '<div style="--en-task-group:true">Content not supported</div><en-crypt hint="x">RU5DMCR2SQ</en-crypt>',
      '<table><tr><td>a</td><td>b&nbsp;c</td></tr></table>',
    ]
    const more = [
      '<tag>kitchen</tag><tag>todo</tag>',
      '<note-attributes><author>Ada</author><source-url>https://figs.example</source-url></note-attributes>',
      '<task><title>Call Bo</title><taskStatus>completed</taskStatus><reminder><title>x</title></reminder></task>',
      fileOf('list.txt', 'text/plain', 'Käse') + fileOf('a.pdf', 'application/pdf', '%PDF-1.7'),
      fileOf('a.png', 'image/png', '\x89PNG'),
    ]
    const notes = await parseDocument(readNotes, exportOf(noteOf('Shopping &amp; more', lists.join(''), more.join(''))))
    expect(notes).toMatchObject({ pictures: 1, names: ['a.pdf'], isDamaged: false })
    expect(notes.facts).toEqual({
      ...{ title: 'Shopping & more', author: 'Ada', createdAt: new Date('2023-01-20T20:45:20Z') },
    })
    expect(notes.lines).toEqual([
      ...['Shopping & more', 'Created: 2023-01-20T20:45:20.000Z', 'Tags: kitchen, todo'],
      ...['Attachments: list.txt, a.pdf, a.png', '☑ Figs', '☐ Dates', '• ☐ Jam', '• ☑ Tea', 'a | b c', '• ☑ Call Bo'],
      ...['https://figs.example', 'list.txt', 'Käse'],
    ])
  })

  test('can have text without markup, and a task state split by a comment', async () => {
    const task = '<task><title>Jam</title><taskStatus>comp<!-- -->leted</taskStatus></task>'
    const note = `<note><title>Plain</title><content><![CDATA[Figs & dates]]></content>${task}</note>`
    expect((await parseDocument(readNotes, exportOf(note))).lines).toEqual(['Plain', 'Figs & dates', '• ☑ Jam'])
  })

  test('have long fields without a gap where an emoji doesn’t fit', async () => {
    const { lines } = await parseDocument(readNotes, exportOf(noteOf(`${'a'.repeat(1_999)}😀&amp;b`, 'Figs')))
    expect(lines[0]).toBe('a'.repeat(1_999))
  })

  test('don’t show the checkbox of an empty item on what follows it', async () => {
    const list = '<ul><li style="--en-checked:true;"></li></ul><p>Figs</p>'
    expect((await parseDocument(readNotes, exportOf(noteOf('List', list)))).lines.at(-1)).toBe('Figs')
  })

  test('have at most 100 files and 100 tags', async () => {
    const file = fileOf('a.txt', 'text/plain', 'Käse')
    const tags = Array.from({ length: 101 }, (_, n) => `<tag>t${n}</tag>`)
    const { lines } = await parseDocument(readNotes, exportOf(noteOf('Many', '', tags.join('') + file.repeat(102))))
    expect(lines.filter((line) => line === 'Käse')).toHaveLength(100)
    expect(lines.find((line) => line.startsWith('Tags:'))).toMatch(/, t98, t99$/)
  })

  test('have files of some megabytes in total; the rest are only named', async () => {
    const file = fileOf('a.pdf', 'application/pdf', '%PDF'.padEnd(9 * 1024 * 1024))
    const { names, lines, isDamaged } = await parseDocument(
      readNotes,
      exportOf(noteOf('Large', '<p>x</p>', file.repeat(5))),
    )
    expect({ names, isDamaged }).toEqual({ names: ['a.pdf', 'a.pdf', 'a.pdf'], isDamaged: true })
    expect(lines).toContain('Attachments: a.pdf, a.pdf, a.pdf, a.pdf, a.pdf')
  })

  test('are rejected quickly when they’re too long', async () => {
    const content = 'figs '.repeat(2_000_000) + '&lt;'.repeat(10_000)
    const read = async () => {
      const long = parseDocument(readNotes, exportOf(`<note><content>${content}</content></note>`))
      await expect(long).rejects.toThrow('too long to be read in full')
    }
    expect(await processorMs(read)).toBeLessThan(10_000)
  })

  test('are read up to the end of a truncated export, which is reported as damaged', async () => {
    const exported = exportOf(
      noteOf('One', '<p>first</p>'),
      noteOf('Two', '<p>last</p>', fileOf('a.pdf', 'application/pdf', '%PDF')),
    )
    const readUpTo = (end: string) => parseDocument(readNotes, exported.slice(0, exported.lastIndexOf(end)))
    const truncated = await readUpTo('</p>')
    expect(truncated.pages.map((page) => page.at(-1))).toEqual(['first', 'last'])
    expect(truncated).toMatchObject({ isDamaged: true, facts: {} })
    expect(await readUpTo('</resource>')).toMatchObject({ names: [], isDamaged: true })
    expect(await readUpTo('</en-export>')).toMatchObject({ names: ['a.pdf'], isDamaged: false })
  })

  test('are read even when one of them can’t be', async () => {
    const { pages, facts, isDamaged } = await parseDocument(
      readNotes,
      exportOf(noteOf('One', '<p>first'), noteOf('Two', deeplyNestedHtml), noteOf('Three', '<p>last</p>')),
    )
    expect(pages.map((page) => [page[0], page.at(-1)])).toEqual([
      ['One', 'first'],
      ['Two', 'Created: 2023-01-20T20:45:20.000Z'],
      ['Three', 'last'],
    ])
    expect({ facts, isDamaged }).toEqual({ facts: {}, isDamaged: true })
  })
})
