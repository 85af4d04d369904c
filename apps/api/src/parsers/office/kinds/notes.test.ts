import { describe, expect, test } from 'vitest'
import { abyss, readPaper } from '../../../../test/read-paper.ts'
import { readNotes } from './notes.ts'

describe('notes of Evernote', () => {
  const noteOf = (title: string, content: string, more = '') =>
    `<note><title>${title}</title><content><![CDATA[<?xml version="1.0"?>\n<!DOCTYPE en-note SYSTEM "x.dtd"><en-note>${content}</en-note>]]></content><created>20230120T204520Z</created>${more}</note>`
  const exportOf = (...notes: string[]) =>
    `<?xml version="1.0"?>\n<!DOCTYPE en-export SYSTEM "x.dtd">\n<en-export>${notes.join('\n')}</en-export>`
  const fileOf = (name: string, type: string, content: string) =>
    `<resource><data encoding="base64">\n${Buffer.from(content).toString('base64')}\n</data><mime>${type}</mime><resource-attributes><file-name>${name}</file-name></resource-attributes></resource>`

  test('have their title, time, tags, boxes, tasks, tables, address and files', async () => {
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
    const notes = await readPaper(readNotes, exportOf(noteOf('Shopping &amp; more', lists.join(''), more.join(''))))
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

  test('may have words without markup, and the state of a task in pieces', async () => {
    const task = '<task><title>Jam</title><taskStatus>comp<!-- -->leted</taskStatus></task>'
    const note = `<note><title>Plain</title><content><![CDATA[Figs & dates]]></content>${task}</note>`
    expect((await readPaper(readNotes, exportOf(note))).lines).toEqual(['Plain', 'Figs & dates', '• ☑ Jam'])
  })

  test('have no box of an empty item on what follows it', async () => {
    const list = '<ul><li style="--en-checked:true;"></li></ul><p>Figs</p>'
    expect((await readPaper(readNotes, exportOf(noteOf('List', list)))).lines.at(-1)).toBe('Figs')
  })

  test('have a bounded number of files and tags, each with its own', async () => {
    const file = fileOf('a.txt', 'text/plain', 'Käse')
    const tags = Array.from({ length: 101 }, (_, n) => `<tag>t${n}</tag>`)
    const { lines } = await readPaper(readNotes, exportOf(noteOf('Many', '', tags.join('') + file.repeat(102))))
    expect(lines.filter((line) => line === 'Käse')).toHaveLength(100)
    expect(lines.find((line) => line.startsWith('Tags:'))).toMatch(/, t98, t99$/)
  })

  test('have files of some megabytes; those beyond that are named only', async () => {
    const file = fileOf('a.pdf', 'application/pdf', '%PDF'.padEnd(9 * 1024 * 1024))
    const { names, lines, isDamaged } = await readPaper(
      readNotes,
      exportOf(noteOf('Large', '<p>x</p>', file.repeat(5))),
    )
    expect({ names, isDamaged }).toEqual({ names: ['a.pdf', 'a.pdf', 'a.pdf'], isDamaged: true })
    expect(lines).toContain('Attachments: a.pdf, a.pdf, a.pdf, a.pdf, a.pdf')
  })

  test('are cut where they are too long, at once', async () => {
    const content = 'figs '.repeat(2_000_000) + '&lt;'.repeat(10_000)
    const startedMs = performance.now()
    const long = readPaper(readNotes, exportOf(`<note><content>${content}</content></note>`))
    await expect(long).rejects.toThrow('too long to be read in full')
    expect(performance.now() - startedMs).toBeLessThan(10_000)
  })

  test('are read up to where their export is cut off, which is noted', async () => {
    const cut = exportOf(
      noteOf('One', '<p>first</p>'),
      noteOf('Two', '<p>last</p>', fileOf('a.pdf', 'application/pdf', '%PDF')),
    )
    const at = (end: string) => readPaper(readNotes, cut.slice(0, cut.lastIndexOf(end)))
    const half = await at('</p>')
    expect(half.pages.map((page) => page.at(-1))).toEqual(['first', 'last'])
    expect(half).toMatchObject({ isDamaged: true, facts: {} })
    expect(await at('</resource>')).toMatchObject({ names: [], isDamaged: true })
    expect(await at('</en-export>')).toMatchObject({ names: ['a.pdf'], isDamaged: false })
  })

  test('are read one after the other, whatever is in one of them', async () => {
    const { pages, facts, isDamaged } = await readPaper(
      readNotes,
      exportOf(noteOf('One', '<p>first'), noteOf('Two', abyss), noteOf('Three', '<p>last</p>')),
    )
    expect(pages.map((page) => [page[0], page.at(-1)])).toEqual([
      ['One', 'first'],
      ['Two', 'Created: 2023-01-20T20:45:20.000Z'],
      ['Three', 'last'],
    ])
    expect({ facts, isDamaged }).toEqual({ facts: {}, isDamaged: true })
  })
})
