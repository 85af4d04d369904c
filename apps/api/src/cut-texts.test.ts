import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rephrasingPrompt, summaryPrompt, titlePrompt } from './engines/chat/write-text.ts'
import { fetchWithPlainErrors } from './engines/remote/plain-errors.ts'
import { titleOf } from './modules/chat/conversations/titles-and-summaries.ts'
import { aboutText } from './modules/chat/turns/fit.ts'
import { topicOf } from './modules/chat/turns/memory-lookup.ts'
import { createPageReader } from './modules/chat/web/page-reader.ts'
import { storableDescription } from './modules/library/imports/metadata-completion.ts'
import { splitMoment } from './modules/library/items/moment-locations.ts'
import { chunksOf } from './modules/library/pipeline/steps/embed.ts'
import { cleanFileName } from './modules/library/upload/file-name.ts'
import { snippetOf } from './modules/search/present.ts'
import { queryTerms } from './modules/search/terms.ts'
import { plainLine } from './parsers/feed/feed-text.ts'
import { shortTitle } from './parsers/office/document-writer.ts'
import { createSemaphore } from './platform/lib/semaphore.ts'
import { safeFileName, shortName } from './platform/lib/title-file-name.ts'

/** Reads a page that is longer than the reader's limit. */
async function readPage(body: string): Promise<string> {
  const reader = createPageReader({
    fetcher: {
      get: async (url: string) => ({
        ...{ isOk: true, url, body: Buffer.from(body), contentType: 'text/plain', charset: 'utf-8' },
      }),
    },
    withTempFolder: async (use: (folder: string) => Promise<unknown>) => {
      const folder = await mkdtemp(join(tmpdir(), 'mira-cut-'))
      return use(folder).finally(() => rm(folder, { recursive: true }))
    },
    semaphore: createSemaphore({ permits: 1 }),
    limits: { maxCharacters: 1000 },
  } as never)
  return (await reader.read('https://example.org/', new AbortController().signal)).text
}

/** Error of a model server that repeats the request. */
async function errorWith(body: string): Promise<string> {
  const failing = fetchWithPlainErrors({ baseFetch: async () => new Response(body, { status: 400 }) })
  return (await failing('https://example.org/')).text()
}

const about = (text: string) =>
  aboutText(
    { instructions: { about_me: text, how_to_answer: text, uses_facts: false }, facts: [] } as never,
    8192,
    'UTC',
  )
const messages = (text: string) => [{ role: 'user' as const, content: text }]

/** Functions that cut a text for a user, the database or another server. */
const cutters: Record<string, (text: string) => unknown> = {
  'the title prompt': (text) => titlePrompt(text, text),
  'the summary prompt': (text) => summaryPrompt(null, messages(text), 100),
  'the rephrasing prompt': (text) => rephrasingPrompt(messages(text)),
  'the text about the user': about,
  'the topic of a conversation': (text) =>
    topicOf(
      [...messages(text), { role: 'assistant', content: text, sources: [{ title: 'A', snippet: text }] }] as never,
      'follow-up',
      () => 'follow-up',
    ),
  'a read page': readPage,
  'a model server’s error': errorWith,
  'a conversation’s title': titleOf,
  'a description': storableDescription,
  'pieces of a moment': (text) => splitMoment({ kind: 'text', body: text } as never),
  'chunks of a text': chunksOf,
  'a file name': (text) => cleanFileName(`${text}.txt`, 'file.txt'),
  'a short name': (text) => [safeFileName(text), shortName(text)],
  'a snippet': (text) => snippetOf(text, new Set(['a']), []),
  'words of a search': (text) => queryTerms({ text, mayEndInPrefix: true }),
  'a feed’s line': (text) => plainLine(text, 20_000),
  'a document’s title': shortTitle,
}

/** Emoji, and rare characters that are letters, each a surrogate pair. */
const characters = ['🌊', '𐍈']

test.each(Object.entries(cutters))('%s never ends in half of a character', async (_name, cut) => {
  const results: string[] = []
  for (const character of characters) {
    // One of the two has a pair at the limit, whether that is even or odd.
    for (const start of ['', 'a']) results.push(JSON.stringify(await cut(start + character.repeat(30_000))))
  }
  expect(results.some((json) => characters.some((character) => json.includes(character)))).toBe(true)
  for (const json of results) expect(json).not.toMatch(/\\ud[89a-f]|\ufffd/i)
})
