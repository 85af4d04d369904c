import { expect, test } from 'vitest'
import { readPaper } from '../../../../test/read-paper.ts'
import { readArticle } from './article.ts'

const sentence = (topic: string) =>
  `The keeper of the lighthouse wrote about ${topic}, as on every evening of that long winter.`
const paragraphs = (topic: string) => `<p>${`${sentence(topic)} `.repeat(4)}</p>`.repeat(3)
const page = (body: string, head = '') => `<!doctype html><html><head>${head}</head><body>${body}</body></html>`
const jsonLd = (thing: object) =>
  `<script type="application/ld+json"><![CDATA[${JSON.stringify({ '@context': 'https://schema.org', ...thing })}]]></script>`

async function read(content: string) {
  const { lines, facts } = await readPaper(readArticle(null), content)
  return { text: lines.join('\n'), facts }
}

test('a page that React streams is read in the order that it shows', async () => {
  const { text } = await read(
    page(`<main><h1>Lamps</h1><template id="B:0"></template><p>Loading</p><template id="P:1"></template></main>
      <div hidden id="S:1">${paragraphs('oil')}</div><div hidden id="S:0">${paragraphs('wicks')}</div>
      <div hidden>lobster</div>`),
  )
  expect(text.indexOf('wicks')).toBeGreaterThan(-1)
  expect(text.indexOf('oil')).toBeGreaterThan(text.lastIndexOf('wicks'))
  expect(text).not.toContain('lobster')
})

test('a short post is read rather than the notice of cookies, and with the comments on it', async () => {
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

test('a thread is read with its answers, an article without the comments on it', async () => {
  const body = `<main><h1>Rust</h1><article>${paragraphs('rust')}</article>
    <div class="comments"><article>${paragraphs('vinegar')}</article><article>${paragraphs('sandpaper')}</article></div></main>`
  expect((await read(page(body))).text).not.toMatch(/vinegar|sandpaper/)
  const thread = await read(page(body, jsonLd({ '@type': 'DiscussionForumPosting', headline: 'Rust' })))
  expect(thread.text).toMatch(/rust[\s\S]*vinegar[\s\S]*sandpaper/)
})

test('what a page only says in its head or to programs is read once', async () => {
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
  const said = await read(
    page(`<article><h1>Samphire</h1><p>Samphire as the keeper liked it.</p>${paragraphs('salt')}</article>`, head),
  )
  expect(said.text.match(/as the keeper liked it/g)).toHaveLength(1)
})

test('a page behind text in front of it is read', async () => {
  const { text } = await read(`Warning: deprecated ${page(`<article>${paragraphs('tides')}</article>`)}`)
  expect(text).toContain('tides')
})

test.each([
  ['Ice in the bay | The Coast', '<h1><a href="/">The Coast</a></h1><h2>Ice in the bay</h2>', 'Ice in the bay'],
  ['The Coast » Blog » Ice', '<h1><a href="https://coast.example/">The Coast</a></h1>', 'The Coast » Blog » Ice'],
  ['Ice – and what it does', '<h1>Ice – and what it does</h1>', 'Ice – and what it does'],
  ['', '<h1>Ice</h1>', 'Ice'],
])('the title of "%s" has no name of the site', async (title, headings, expected) => {
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
])('author and date are read from %s%s', async (head, body, author) => {
  const { facts } = await read(page(`<article><h1>Ice</h1>${body}${paragraphs('ice')}</article>`, head))
  expect([facts.author, facts.createdAt?.toISOString().slice(0, 10)]).toEqual([author, '2024-05-06'])
})
