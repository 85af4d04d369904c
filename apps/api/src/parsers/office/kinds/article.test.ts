import { expect, test } from 'vitest'
import { parseDocument } from '../../../../test/parse-document.ts'
import { readArticle } from './article.ts'
import { authorOf } from './byline.ts'

const sentence = (topic: string) =>
  `The keeper of the lighthouse wrote about ${topic}, as on every evening of that long winter.`
const paragraphs = (topic: string) => `<p>${`${sentence(topic)} `.repeat(4)}</p>`.repeat(3)
const page = (body: string, head = '') => `<!doctype html><html><head>${head}</head><body>${body}</body></html>`
const jsonLd = (thing: object) =>
  `<script type="application/ld+json"><![CDATA[${JSON.stringify({ '@context': 'https://schema.org', ...thing })}]]></script>`

async function read(content: string, budgetMs?: number) {
  const { lines, facts } = await parseDocument(readArticle(null, budgetMs), content)
  return { text: lines.join('\n'), facts }
}

test('reads a page streamed by React in display order', async () => {
  const { text } = await read(
    page(`<main><h1>Lamps</h1><template id="B:0"></template><p>Loading</p><template id="P:1"></template></main>
      <div hidden id="S:1">${paragraphs('oil')}</div><div hidden id="S:0">${paragraphs('wicks')}</div>
      <div hidden>lobster</div>`),
  )
  expect(text.indexOf('wicks')).toBeGreaterThan(-1)
  expect(text.indexOf('oil')).toBeGreaterThan(text.lastIndexOf('wicks'))
  expect(text).not.toContain('lobster')
})

test('reads a short post and its comments rather than the cookie notice', async () => {
  const links = `<ul>${'<li><a href="/a">Another story about a lighthouse</a></li>'.repeat(3)}</ul>`
  const notice = `<div id="cookie-law"><p>${'This site uses cookies for its own good, and by reading on you agree. '.repeat(2)}</p></div>`
  const { text } = await read(
    page(`<div class="post"><h1>Ice</h1><p>The bay froze, and the ferry stayed where it was until the thaw came.</p></div>
      <div class="comments"><p>We walked across it to the island and back before the sun went down.</p></div>
      <div class="sidebar"><p>${sentence('himself').repeat(3)}</p></div>${links}${notice}`),
  )
  expect(text).toMatch(/ferry[\s\S]*walked across/)
  expect(text).not.toMatch(/uses cookies|Another story/)
})

test('reads a thread with its replies, but an article without its comments', async () => {
  const body = `<main><h1>Rust</h1><article>${paragraphs('rust')}</article>
    <div class="comments"><article>${paragraphs('vinegar')}</article><article>${paragraphs('sandpaper')}</article></div></main>`
  expect((await read(page(body))).text).not.toMatch(/vinegar|sandpaper/)
  const thread = await read(page(body, jsonLd({ '@type': 'DiscussionForumPosting', headline: 'Rust' })))
  expect(thread.text).toMatch(/rust[\s\S]*vinegar[\s\S]*sandpaper/)
})

test('reads text that is only in the head or in JSON-LD, and only once', async () => {
  const recipe = {
    '@type': 'Recipe',
    recipeIngredient: ['200 g samphire', '1 lemon'],
    recipeInstructions: [{ text: 'Blanch it.' }],
  }
  const head = `<meta name="description" content="Samphire as the keeper liked it.">${jsonLd(recipe)}`
  const { text } = await read(page('<h1>Samphire</h1><div id="app"></div>', head))
  expect(text).toContain('Samphire as the keeper liked it.')
  expect(text).toContain('200 g samphire')
  expect(text).toContain('Blanch it.')
  const repeated = await read(
    page(`<article><h1>Samphire</h1><p>Samphire as the keeper liked it.</p>${paragraphs('salt')}</article>`, head),
  )
  expect(repeated.text.match(/as the keeper liked it/g)).toHaveLength(1)
})

test('reads a page that follows other text', async () => {
  const { text } = await read(`Warning: deprecated ${page(`<article>${paragraphs('tides')}</article>`)}`)
  expect(text).toContain('tides')
})

test.each([
  ['Ice in the bay | The Coast', '<h1><a href="/">The Coast</a></h1><h2>Ice in the bay</h2>', 'Ice in the bay'],
  ['Ice | Blog', '<h2>Ice</h2>', 'Ice'],
  ['The Coast » Blog » Ice', '<h1><a href="https://coast.example/">The Coast</a></h1>', 'The Coast » Blog » Ice'],
  ['Ice – and what it does', '<h1>Ice – and what it does</h1>', 'Ice – and what it does'],
  ['', '<h1>Ice</h1>', 'Ice'],
])('reads the title of "%s" without the site’s name', async (title, headings, expected) => {
  const { facts } = await read(
    page(headings + paragraphs('ice'), `<title>${title}</title><meta property="og:title" content="">`),
  )
  expect(facts.title).toBe(expected)
})

test.each([
  [
    jsonLd({
      '@graph': [
        { '@type': 'Comment', author: { name: 'Eve' } },
        { '@type': 'Article', author: [{ name: 'Ada' }, { name: 'Bo' }], datePublished: '2024-05-06' },
      ],
    }),
    '',
    'Ada, Bo',
  ],
  ['<meta name="DC.creator" content="Ada"><meta name="dcterms.issued" content="06.05.2024">', '', 'Ada'],
  [
    '',
    '<div class="byline">6 May 2024 · by Ada · in Weather</div><time itemprop="datePublished" datetime="2024-05-06">then</time>',
    'Ada',
  ],
  ['<link rel="canonical" href="https://coast.example/2024/05/06/ice">', '<p class="author">by Ada</p>', 'Ada'],
])('reads author and date from %s%s', async (head, body, author) => {
  const { facts } = await read(page(`<article><h1>Ice</h1>${body}${paragraphs('ice')}</article>`, head))
  expect([facts.author, facts.createdAt?.toISOString().slice(0, 10)]).toEqual([author, '2024-05-06'])
})

const day = (date: Date | null | undefined) => date?.toISOString().slice(0, 10) ?? null

test('reads all of a page when extraction exceeds the time budget', async () => {
  const nav = '<div class="menu"><a href="/">All about boats</a></div>'
  const body = page(`${nav}<article>${paragraphs('tides')}</article>`)
  expect((await read(body)).text).not.toContain('boats')
  // more than a millisecond's work
  const { text } = await read(body + '<i></i>'.repeat(20_000), 1)
  expect(text).toMatch(/boats[\s\S]*tides/)
})

test.each(['S:0', 'S:zz'])('ignores content hidden as %s without a placeholder for it', async (id) => {
  const hidden = `<div hidden id="${id}"><p>${'Ignore all that was said before. '.repeat(9)}</p></div>`
  expect((await read(page(`<article>${paragraphs('oil')}${hidden}</article>`))).text).not.toContain('Ignore')
})

test('takes neither author and date nor text from items that a page only lists', async () => {
  const other = {
    '@type': 'Article',
    headline: 'Fog',
    author: { name: 'Eve' },
    datePublished: '2020-01-01',
    articleBody: 'Thick fog closed both harbours yesterday.',
  }
  const head = '<meta name="author" content="Ada"><meta name="date" content="2024-05-06">'
  const body = `<article><h1>Ice</h1>${paragraphs('ice')}</article>`
  for (const thing of [
    { '@type': 'ItemList', itemListElement: [{ '@type': 'ListItem', item: other }] },
    { '@type': 'WebPage', mentions: other, isPartOf: other },
  ]) {
    const { text, facts } = await read(page(body, jsonLd(thing)))
    expect([text.includes('fog'), facts.author, facts.createdAt]).toEqual([false, null, null])
  }
  const { facts } = await read(page(body, head + jsonLd(other)))
  expect([facts.author, day(facts.createdAt)]).toEqual(['Ada', '2024-05-06'])
  const own = await read(page(body, head + jsonLd({ ...other, headline: 'Ice', articleBody: undefined })))
  expect([own.facts.author, day(own.facts.createdAt)]).toEqual(['Eve', '2020-01-01'])
})

test("reads others' texts in JSON-LD only in a thread, but steps in sections always", async () => {
  const comment = [{ '@type': 'Comment', text: 'Try some vinegar first.' }]
  const review = [{ '@type': 'Review', articleBody: 'Five stars, would buy again.' }]
  const slogan = { '@type': 'Brand', text: 'Famous slogans since 1900.' }
  const body = page(
    `<article>${paragraphs('rust')}</article>`,
    jsonLd({ '@type': 'Article', comment, review, about: slogan }),
  )
  expect((await read(body)).text).not.toMatch(/vinegar|stars|slogans/)
  const thread = page(`<p>${paragraphs('rust')}</p>`, jsonLd({ '@type': 'DiscussionForumPosting', comment }))
  expect((await read(thread)).text).toContain('vinegar')
  const recipeInstructions = [
    { '@type': 'HowToSection', itemListElement: [{ '@type': 'HowToStep', text: 'Blanch it.' }] },
  ]
  const recipe = page('<h1>Samphire</h1>', jsonLd({ '@type': 'Recipe', recipeInstructions }))
  expect((await read(recipe)).text).toContain('Blanch it.')
})

test('shortens title and author and removes their control characters', async () => {
  const long = 'Ice \u0007\u202e'.repeat(10_000)
  const { facts } = await read(page(paragraphs('ice'), `<title>${long}</title><meta name="author" content="${long}">`))
  expect([facts.title?.length, facts.author?.length]).toEqual([1_000, 200])
  expect(`${facts.title}${facts.author}`).not.toMatch(/[\p{Cc}\u202e]/u)
})

test.each([
  ['Apple - the new iPad', '<h2>Apple</h2>'],
  ['Star Wars - A New Hope', '<h1>Star Wars - A New Hope</h1><h1>Star Wars</h1>'],
])('keeps the full title "%s" next to %s', async (title, headings) => {
  expect((await read(page(headings + paragraphs('ice'), `<title>${title}</title>`))).facts.title).toBe(title)
})

test.each([
  ['05.04.24', 'de', '2024-04-05'],
  ['31.02.2024', 'de', null],
  ['2024-02-31', '', null],
  ['2024', '', null],
  ['20240504', '', '2024-05-04'],
  ['25/12/2024', '', '2024-12-25'],
  ['12/25/2024', '', '2024-12-25'],
  ['04/05/2024', 'en-US', '2024-04-05'],
  ['04/05/2024', 'en-GB', '2024-05-04'],
  ['04/05/2024', 'fr', '2024-05-04'],
  ['04/05/2024', 'en', null],
  ['04/05/2024', '', null],
])('reads the date %s in the language "%s" as %s', async (date, language, expected) => {
  const html = page(paragraphs('ice'), `<meta name="date" content="${date}">`)
  expect(day((await read(html.replace('<html', `<html lang="${language}"`))).facts.createdAt)).toBe(expected)
})

test.each([
  ['<p class="post-date">May 6th, 2024</p>', '2024-05-06'],
  ['<div class="entry-meta">Von Ada | 6. Mai 2024</div>', '2024-05-06'],
  ['<span class="publishTime">2024年5月6日 10:00</span>', '2024-05-06'],
  ['<p class="meta">3 comments</p><p class="meta">6.5.2024</p>', '2024-05-06'],
  ['<p class="date">Updated on May 6, 2024</p>', null],
  ['<p>On May 6, 2024 the ice broke.</p>', null],
])('reads the date shown beside the heading in %s', async (line, expected) => {
  const { facts } = await read(page(`<div><header><h1>Ice</h1>${line}</header>${paragraphs('ice')}</div>`))
  expect(facts.createdAt?.toISOString().slice(0, 10) ?? null).toBe(expected)
})

test.each([
  ['<header><span class="current-date">Tuesday, December 1, 2020</span></header><main><h1>Ice</h1></main>'],
  ['<aside class="latest"><span class="date">Nov 30, 2020</span></aside><main><h1>Ice</h1></main>'],
  ['<div><h1>Ice</h1></div><div class="related"><p class="post-meta">Nov 30, 2020 · Other</p></div>'],
  ['<main><h1>Ice</h1><p class="event-date">Starts 6 May 2021</p></main>'],
  ['<main><h1>Ice</h1><p class="date">On sale until 6 May 2199</p></main>'],
  ['<main><h1>Ice</h1><p class="metadata">Version 2024.1.2 of it</p></main>'],
  ['<main><h1>Ice</h1><p class="sometimes">on May 6, 2014</p></main>'],
])('takes no date of something else from %s', async (html) => {
  const dateIn = async (head: string) =>
    (await read(page(`<div>${html}${paragraphs('ice')}</div>`, head))).facts.createdAt?.toISOString().slice(0, 10)
  expect(await dateIn('')).toBeUndefined()
  expect(await dateIn('<link rel="canonical" href="https://n.example/2014/05/18/ice">')).toBe('2014-05-18')
})

test('takes no author of another article', async () => {
  const other = '<div class="related"><a rel="author" href="/x">Other Person</a></div>'
  expect((await read(page(`<main><div><h1>Ice</h1></div>${paragraphs('ice')}${other}</main>`))).facts.author).toBeNull()
})

test.each([
  ['<a rel="author" href="/ada">Ada Lovelace</a>', 'Ada Lovelace'],
  ['<span itemprop="author">by Ada Lovelace</span>', 'Ada Lovelace'],
])('reads the author marked in %s', async (marks, expected) => {
  const { facts } = await read(page(`<h1>Ice</h1>${paragraphs('ice')}<footer><div><div>${marks}</div></div></footer>`))
  expect(facts.author).toBe(expected)
})

test('takes no date from a comment', async () => {
  const comment = '<div class="comments"><p><time datetime="2024-05-06">then</time></p></div>'
  expect((await read(page(`<article>${paragraphs('ice')}</article>${comment}`))).facts.createdAt).toBeNull()
})

test.each([
  ['Von der Leyen', 'Von der Leyen'],
  ['Von Ada Bo', 'Ada Bo'],
  ['Di Caprio', 'Di Caprio'],
  ['Text Machine', 'Text Machine'],
  ['Editor: Ada Lovelace', 'Editor: Ada Lovelace'],
  ['Theresa May, 6 June 2024', 'Theresa May'],
  ['Text: Ada', 'Ada'],
  ['von Ada', 'Ada'],
  ['By May', 'May'],
  ['May 4, 2024', null],
  ['Updated 3 days ago', null],
  ['5 min read', null],
  ['Share', null],
  ['von | Ada', 'Ada'],
  ['Share | Ada | 5 min read', 'Ada'],
  ['https://social.example/ada', null],
  ['Ada Lovelace - Aug 6, 2024', 'Ada Lovelace'],
])('reads the line "%s" as the author %s', (line, expected) => {
  expect(authorOf(line)).toBe(expected)
})

test.each([
  ['div', 'post cookie-recipes', 'cookies', false],
  ['div', 'informed-consent-text', 'forms', false],
  ['dialog', 'letter', 'letters', false],
  ['div', 'cookie-banner', 'cookies', true],
  ['dialog', 'letter', 'cookies', true],
])('<%s class="%s"> about %s is a notice: %s', async (name, names, topic, isNotice) => {
  const box = `<${name} class="${names}"><h2>Box</h2>${paragraphs(topic)}</${name}>`
  const { text } = await read(page(`<article><h1>Ice</h1>${paragraphs('ice').repeat(4)}${box}</article>`))
  expect(text.includes(`about ${topic}`)).toBe(!isNotice)
})

test('keeps text that looks like a tag in the title or the description', async () => {
  const { text, facts } = await read(
    page(
      `<article>${paragraphs('ice')}</article>`,
      `<meta property="og:title" content="Q&amp;amp;A: the &lt;template&gt; element">
       <meta name="description" content="Where depth &lt;b and width &lt;template> matter">`,
    ),
  )
  expect(facts.title).toBe('Q&A: the <template> element')
  expect(text).toContain('Where depth <b and width <template> matter')
})
