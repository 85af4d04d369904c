import type { SearchResponseJson, SearchResultJson, UnderstoodPhraseJson } from '@mira/shared'
import type { Page, Route } from '@playwright/test'
import { expect, expectAccessible, test, themesAndWidths } from './support/fixtures.ts'

const box = (page: Page) => page.getByRole('combobox', { name: 'What are you looking for?' })
const searchButton = (page: Page) => page.getByRole('button', { name: 'Search Memory' })
const results = (page: Page) => page.getByRole('region', { name: /^Search Results/ }).getByRole('listitem')
const idOf = (n: number) => `0198c3a0-0000-7000-8000-${String(n).padStart(12, '0')}`

function resultOf(n: number, overrides: Partial<SearchResultJson> = {}): SearchResultJson {
  return {
    id: idOf(n),
    media_id: idOf(100 + n),
    media_type: 'image',
    similarity_score: 0.87,
    matched: 'words',
    found_in: 'text',
    thumbnail: null,
    caption: null,
    extracted_text: null,
    content: '',
    highlights: [],
    timestamp: '2026-05-04T12:00:00.000Z',
    taken_local: null,
    duration: null,
    is_video_frame: false,
    frame_number: null,
    timestamp_seconds: null,
    page: null,
    box: null,
    original_filename: `picture-${n}.png`,
    url: `/gallery/${idOf(100 + n)}`,
    ...overrides,
  }
}

const frame = resultOf(1, {
  media_type: 'video',
  is_video_frame: true,
  frame_number: 4,
  timestamp_seconds: 83,
  duration: 245,
  similarity_score: 0.934,
  original_filename: 'party.mp4',
  caption: 'A cake with candles',
  extracted_text: 'Happy birthday Anna 2026',
  content: 'Happy birthday Anna',
  highlights: [[6, 14]],
  url: `/gallery/${idOf(101)}?t=83&frame=4`,
})

/** Mocks the search; returns the queries and the results reported as opened. */
async function mockSearch(page: Page, respond: (query: URLSearchParams) => Partial<SearchResponseJson> | number) {
  const queries: URLSearchParams[] = []
  const opened: unknown[] = []
  await page.route('**/api/media/search?*', (route) => {
    const query = new URL(route.request().url()).searchParams
    queries.push(query)
    const response = respond(query)
    if (typeof response === 'number') {
      return route.fulfill({ status: response, json: { detail: 'The index is being built.', code: 'conflict' } })
    }
    const json: SearchResponseJson = { search_id: idOf(999), results: [], took_ms: 3, mode: 'semantic', ...response }
    return route.fulfill({ json })
  })
  await page.route('**/api/memory/opened', (route) => {
    opened.push(route.request().postDataJSON())
    return route.fulfill({ status: 204 })
  })
  return { queries, opened }
}

test('without a query there are tips, whose examples fill the search field', async ({ userPage }) => {
  await userPage.goto('/memory')
  await expect(userPage.getByRole('heading', { name: 'Memory Search', level: 1 })).toBeVisible()
  await expect(userPage.getByText('Search across all your uploaded media using natural language')).toBeVisible()
  await expect(userPage).toHaveTitle('Memory Search · Mira')
  await expect(userPage.getByRole('heading', { name: 'Search tips' })).toBeVisible()
  await expect(searchButton(userPage)).toBeDisabled()
  await box(userPage).fill('   ')
  await expect(searchButton(userPage)).toBeDisabled()
  await expectAccessible(userPage)
  await userPage.getByRole('button', { name: /sunset by the sea type:video/ }).click()
  await expect(box(userPage)).toHaveValue('sunset by the sea type:video')
  await expect(box(userPage)).toBeFocused()
})

test('a result shows its text, score and reason, and opens at the matching place', async ({ userPage }) => {
  const { queries, opened } = await mockSearch(userPage, () => ({ results: [frame] }))
  await userPage.goto('/memory')
  await userPage.getByRole('button', { name: 'Image', exact: true }).click()
  await userPage.getByRole('button', { name: 'Video', exact: true }).click()
  await box(userPage).fill('  birthday  ')
  await box(userPage).press('Enter')
  await expect(userPage.getByRole('heading', { name: 'Search Results (1)' })).toBeVisible()
  await expect(userPage.getByText('for “birthday”')).toBeVisible()
  expect(Object.fromEntries(queries[0]!)).toMatchObject({ query: 'birthday', limit: '20', include_frames: 'true' })
  expect(queries[0]!.getAll('media_types')).toEqual(['image', 'video'])
  await expect(userPage).toHaveURL('/memory?q=birthday&types=image%2Cvideo')

  const card = results(userPage).first()
  for (const words of ['93% match', 'Frame 4', '1:23', '4:05', 'Video Frame', 'on screen at 1:23', 'Score: 93%']) {
    await expect(card.getByText(words, { exact: true }).first()).toBeVisible()
  }
  await expect(card).toContainText('Caption: A cake with candles')
  await expect(card).toContainText('Extracted text: Happy birthday Anna 2026')
  await expect(card).toContainText('May 4, 2026')
  await expect(card.locator('mark')).toHaveText('birthday')
  await expectAccessible(userPage)

  await card.getByRole('link', { name: 'party.mp4' }).click()
  await expect.poll(() => opened).toEqual([{ search_id: idOf(999), result_id: idOf(1) }])
  const panel = userPage.getByRole('dialog')
  await expect(panel.getByRole('link', { name: 'Open in the gallery' })).toHaveAttribute(
    'href',
    `/gallery/${idOf(101)}?t=83&frame=4`,
  )
  await expect(results(userPage)).toHaveCount(1)
  await userPage.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)
  await expect(card.getByRole('link', { name: 'party.mp4' })).toBeFocused()
  await expect(userPage).toHaveURL('/memory?q=birthday&types=image%2Cvideo')
  await expect(results(userPage)).toHaveCount(1)
  await expect(box(userPage)).toHaveValue('birthday')
  expect(queries).toHaveLength(1)
})

test('the best result is labelled, a text shows its first lines, and results of filters alone have no score', async ({
  userPage,
}) => {
  const lease = resultOf(1, {
    media_type: 'document',
    original_filename: 'lease.md',
    content: 'in March',
    highlights: [[3, 8]],
    extracted_text: '# The lease\n\nThe notice period is three months.',
  })
  await mockSearch(userPage, (query) =>
    query.get('query') === 'type:document'
      ? { results: [lease], is_listing: true, mode: 'words' }
      : { results: [lease, resultOf(2)] },
  )
  await userPage.goto('/memory?q=march')
  await expect(results(userPage).first()).toContainText('Best match')
  await expect(results(userPage).first().locator('[data-face=lines]')).toHaveText(
    'Extracted text: The lease\nThe notice period is three months.',
  )
  await expect(results(userPage).last()).toContainText('Good match')
  await userPage.goto('/memory?q=type:document')
  await expect(results(userPage)).toContainText('lease.md')
  await expect(results(userPage)).not.toContainText(/%|Best match/)
  await expect(userPage.getByText('Keyword search only')).toHaveCount(0)
})

test('the button says "Searching..." and is disabled while the search runs', async ({ userPage }) => {
  const routes: Route[] = []
  await userPage.route('**/api/media/search?*', (route) => {
    routes.push(route)
  })
  await userPage.goto('/memory')
  await box(userPage).fill('cake')
  await searchButton(userPage).click()
  await expect(userPage.getByRole('button', { name: 'Searching...' })).toBeDisabled()
  await expect.poll(() => routes.length).toBe(1)
  await routes[0]!.fulfill({ json: { search_id: idOf(999), results: [], took_ms: 3, mode: 'semantic' } })
  await expect(userPage.getByRole('heading', { name: 'No results found' })).toBeVisible()
  await expect(userPage.getByText('Try different keywords or check your media type filters')).toBeVisible()
  await expect(searchButton(userPage)).toBeEnabled()
  await expectAccessible(userPage)
})

test('filters apply immediately to displayed results, and going back removes them', async ({ userPage }) => {
  const { queries } = await mockSearch(userPage, () => ({ results: [frame] }))
  await userPage.goto('/memory?q=cake')
  await expect(results(userPage)).toHaveCount(1)
  await userPage.getByRole('checkbox', { name: 'Include video frames' }).uncheck()
  await expect.poll(() => queries.at(-1)!.get('include_frames')).toBe('false')
  await userPage.getByLabel('From', { exact: true }).fill('2026-01-02')
  await expect.poll(() => queries.at(-1)!.get('from')).toBe('2026-01-02T00:00:00.000Z')
  await userPage.getByLabel('To', { exact: true }).fill('2026-01-01')
  await expect(userPage.getByText('The start date is after the end date.')).toBeVisible()
  await expect(searchButton(userPage)).toBeDisabled()
  await userPage.getByRole('button', { name: 'Clear dates' }).click()
  await expect(userPage).toHaveURL('/memory?q=cake&frames=no')
  await userPage.goBack()
  await expect(userPage.getByLabel('From', { exact: true })).toHaveValue('2026-01-02')
  await userPage.goBack()
  await userPage.goBack()
  await expect(userPage.getByRole('checkbox', { name: 'Include video frames' })).toBeChecked()
})

test('more results can be loaded, up to one hundred', async ({ userPage }) => {
  const { queries } = await mockSearch(userPage, (query) => ({
    results: Array.from({ length: Number(query.get('limit')) }, (_, index) => resultOf(index + 1)),
  }))
  await userPage.goto('/memory?q=picture')
  await expect(results(userPage)).toHaveCount(20)
  await userPage.getByRole('button', { name: 'Show more results' }).click()
  await expect(results(userPage)).toHaveCount(50)
  await userPage.getByRole('button', { name: 'Show more results' }).click()
  await expect(results(userPage)).toHaveCount(100)
  await expect(userPage.getByRole('button', { name: 'Show more results' })).toBeHidden()
  expect(queries.map((query) => query.get('limit'))).toEqual(['20', '50', '100'])
})

test('the search works by keyboard', async ({ userPage }) => {
  const names = ['one', 'two', 'three', 'four']
  await mockSearch(userPage, () => ({
    results: names.map((name, index) => resultOf(index + 1, { original_filename: `${name}.png` })),
  }))
  await userPage.goto('/memory?q=picture')
  await expect(results(userPage)).toHaveCount(4)
  await userPage.keyboard.press('/')
  await expect(box(userPage)).toBeFocused()
  await userPage.keyboard.press('ArrowDown')
  const link = (name: string) => userPage.getByRole('link', { name: `${name}.png` })
  await expect(link('one')).toBeFocused()
  await userPage.keyboard.press('ArrowRight')
  await expect(link('two')).toBeFocused()
  await userPage.keyboard.press('ArrowLeft')
  await userPage.keyboard.press('ArrowDown')
  await expect(link('four')).toBeFocused()
  await userPage.keyboard.press('ArrowUp')
  await userPage.keyboard.press('ArrowUp')
  await expect(box(userPage)).toBeFocused()
  await userPage.keyboard.press('ArrowDown')
  await userPage.keyboard.press('Enter')
  await userPage.getByRole('dialog').getByRole('link', { name: 'Open in the gallery' }).click()
  await expect(userPage).toHaveURL(`/gallery/${idOf(101)}`)
})

test('a failed search shows its error and can be retried', async ({ userPage }) => {
  let isBroken = true
  await mockSearch(userPage, () => (isBroken ? 409 : { results: [frame] }))
  await userPage.goto('/memory?q=cake')
  await expect(userPage.getByRole('alert')).toContainText('The search failed: The index is being built.')
  await expectAccessible(userPage)
  isBroken = false
  await userPage.getByRole('button', { name: 'Retry' }).click()
  await expect(results(userPage)).toHaveCount(1)
})

test('the page says that it searches only by keyword, and what would help', async ({ userPage }) => {
  await mockSearch(userPage, () => ({
    results: [frame],
    mode: 'words',
    mode_reason: 'No engine.',
    mode_reason_code: 'no_embedding_engine',
  }))
  await userPage.goto('/memory?q=cake')
  await expect(userPage.getByText('Keyword search only. Set up search by meaning for better results.')).toBeVisible()
})

const summer = { text: 'last summer', kind: 'time', from: '2026-06-01T00:00:00.000Z', to: '2026-09-01T00:00:00.000Z' }
const videos = { text: 'in my videos', kind: 'type', media_types: ['video'] }

/** Search response that understands two phrases, unless the query marks them as literal. */
function understand(query: URLSearchParams): Partial<SearchResponseJson> {
  const literal = query.getAll('literal')
  const phrases = [summer, videos].filter(({ text }) => !literal.includes(text)) as UnderstoodPhraseJson[]
  return {
    results: [
      resultOf(1, { certainty: 'found', original_filename: 'found.png' }),
      ...[2, 3].map((n) => resultOf(n, { certainty: 'perhaps', similarity_score: 0.3, matched: 'meaning' })),
    ],
    understood: { words: 'boat', phrases },
  }
}

test('certain results come first, uncertain ones are collapsed, and both are reached by keyboard', async ({
  userPage,
}) => {
  await mockSearch(userPage, understand)
  await userPage.goto('/memory?q=boat')
  await expect(userPage.getByRole('heading', { name: 'Search Results (1)' })).toBeVisible()
  await expect(results(userPage)).toHaveCount(1)
  await expect(userPage.getByRole('heading', { name: 'No results found' })).toBeHidden()
  await box(userPage).press('ArrowDown')
  await expect(userPage.getByRole('link', { name: 'found.png' })).toBeFocused()
  await userPage.keyboard.press('ArrowDown')
  await userPage.keyboard.press('Enter')
  await expect(results(userPage)).toHaveCount(3)
  await expect(userPage.getByText('These may match what you’re looking for, but with less certainty.')).toBeVisible()
  await expect(results(userPage).nth(1)).toContainText('similar in meaning')
  await userPage.keyboard.press('ArrowDown')
  await expect(userPage.getByRole('link', { name: 'picture-2.png' })).toBeFocused()
  await expectAccessible(userPage)
  await userPage.keyboard.press('ArrowUp')
  await userPage.keyboard.press('Enter')
  await expect(results(userPage)).toHaveCount(1)
})

test('without certain results, the page says so above the uncertain ones', async ({ userPage }) => {
  await mockSearch(userPage, () => ({ results: [resultOf(2, { certainty: 'perhaps', similarity_score: 0.3 })] }))
  await userPage.goto('/memory?q=boat')
  await expect(userPage.getByRole('heading', { name: 'Search Results (0)' })).toBeVisible()
  await expect(userPage.getByRole('heading', { name: 'No results found' })).toBeVisible()
  await expect(userPage.getByText('Try different keywords or check your media type filters')).toBeVisible()
  await expect(results(userPage)).toHaveCount(0)
  await box(userPage).press('ArrowDown')
  await userPage.keyboard.press('Space')
  await expect(results(userPage)).toHaveCount(1)
  await expectAccessible(userPage)
})

test('an understood phrase can be searched literally, and back', async ({ userPage }) => {
  const { queries } = await mockSearch(userPage, understand)
  await userPage.goto('/memory?q=boat+last+summer+in+my+videos')
  const understood = userPage.getByRole('group', { name: 'Understood as' })
  await expect(understood.getByRole('button')).toHaveText([
    /“last summer”: Jun 1\s–\sAug 31, 2026/,
    /“in my videos”: Video/,
  ])
  await understood.getByRole('button', { name: /last summer/ }).click()
  await expect(understood.getByRole('button')).toHaveText([/“in my videos”: Video/, /“last summer” as words/])
  expect(queries.at(-1)!.getAll('literal')).toEqual(['last summer'])
  await expect(userPage).toHaveURL('/memory?q=boat+last+summer+in+my+videos&literal=last+summer')
  await expectAccessible(userPage)
  await understood.getByRole('button', { name: /“last summer” as words/ }).click()
  await expect(understood.getByRole('button', { name: /“last summer”: Jun 1/ })).toBeVisible()
  await understood.getByRole('button', { name: /in my videos/ }).click()
  await expect.poll(() => queries.at(-1)!.getAll('literal')).toEqual(['in my videos'])
  await box(userPage).fill('another boat')
  await box(userPage).press('Enter')
  await expect.poll(() => queries.at(-1)!.get('query')).toBe('another boat')
  expect(queries.at(-1)!.getAll('literal')).toEqual([])
})

for (const { colorScheme, width } of themesAndWidths) {
  test.describe(`in the ${colorScheme} theme at ${width} px`, () => {
    test.use({ colorScheme, viewport: { width, height: 900 } })

    test('understood phrases and uncertain results fit in every language', async ({ userPage }) => {
      await mockSearch(userPage, (query) => ({
        ...understand(query),
        ...{ mode: 'words', mode_reason_code: 'embedding_engine_failed' },
      }))
      // wide windows have room for every language
      for (const language of width < 400 ? ['en', 'es', 'fr', 'de'] : ['en']) {
        await userPage.goto('/memory?q=boat')
        await userPage.evaluate(
          (chosen) => localStorage.setItem('settings', JSON.stringify({ language: chosen })),
          language,
        )
        await userPage.goto('/memory?q=boat&literal=since+the+very+last+time+that+we+went+to+the+sea+in+the+summer')
        await expect(userPage.locator('html')).toHaveAttribute('lang', language)
        await userPage.locator('summary').click()
        await expect(userPage.getByRole('link', { name: 'picture-3.png' })).toBeVisible()
        expect(await userPage.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
        await expectAccessible(userPage)
      }
    })
  })
}

test('recent searches are kept in this browser and can be cleared', async ({ userPage }) => {
  await mockSearch(userPage, () => ({ results: [frame] }))
  await userPage.goto('/memory')
  await box(userPage).fill('red car')
  await searchButton(userPage).click()
  await expect(results(userPage)).toHaveCount(1)
  await userPage.goBack()
  await userPage.getByRole('button', { name: 'Search again for red car' }).click()
  await expect(userPage).toHaveURL('/memory?q=red+car')
  await userPage.goto('/memory')
  await userPage.getByRole('button', { name: 'Clear', exact: true }).click()
  await expect(userPage.getByRole('heading', { name: 'Recent searches' })).toBeHidden()
  await userPage.reload()
  await expect(userPage.getByRole('heading', { name: 'Search tips' })).toBeVisible()
  await expect(userPage.getByRole('heading', { name: 'Recent searches' })).toBeHidden()
})

test('a user without the upload permission can’t search', async ({ server, openPageAs }) => {
  const page = await openPageAs(await server.createAccount({ can_upload: false }))
  await page.goto('/memory')
  await expect(page).toHaveURL(/\/dashboard$/)
  const notice = page.getByRole('status').filter({ hasText: 'That page requires permission to upload' })
  await expect(notice).toBeVisible()
  await expectAccessible(page)
  await notice.getByRole('button', { name: 'Close' }).click()
  await expect(notice).toHaveCount(0)
  await page.goto('/dashboard?tab=automation')
  await expect(page.getByText('That page is for administrators')).toBeVisible()
})

test('results fit on a phone in the dark theme', async ({ userPage }) => {
  await mockSearch(userPage, () => ({ results: [frame, resultOf(2, { original_filename: 'long-'.repeat(40) })] }))
  await userPage.setViewportSize({ width: 360, height: 740 })
  await userPage.emulateMedia({ colorScheme: 'dark' })
  await userPage.goto('/memory?q=cake')
  await expect(results(userPage)).toHaveCount(2)
  expect(await userPage.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  await expectAccessible(userPage)
})
