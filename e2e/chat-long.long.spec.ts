import type { Page } from '@playwright/test'
import { expect, test } from './support/fixtures.ts'

const SESSION = '0198c3a0-0000-7000-8000-000000000001'
const COUNT = 600
const PAGE = 50

const idOf = (index: number) => `0198c3a0-0000-7000-8000-${String(1000 + index).padStart(12, '0')}`

/** Mocks a conversation of many messages, which would take minutes to create. */
async function mockLongConversation(page: Page): Promise<void> {
  const messages = Array.from({ length: COUNT }, (_, index) => ({
    id: idOf(index),
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `Message number ${index + 1}.${'\n\nAnd some more of it.'.repeat(index % 4)}`,
    created_at: new Date(Date.UTC(2026, 0, 1, 8, index)).toISOString(),
    images: [],
    media: [],
    mentions: [],
    model_used: null,
    engine: null,
    streaming: false,
    interrupted: false,
    error: null,
    error_code: null,
    reasoning: null,
    sources: [],
    agent_calls: [],
    usage: null,
    duration_ms: null,
    parent_id: index === 0 ? null : idOf(index - 1),
    siblings: { index: 0, count: 1, previous_id: null, next_id: null },
    rating: null,
  }))
  await page.route(`**/api/chat/sessions/${SESSION}*`, (route) => {
    const before = new URL(route.request().url()).searchParams.get('before')
    const end = before === null ? COUNT : messages.findIndex(({ id }) => id === before)
    const start = Math.max(0, end - PAGE)
    return route.fulfill({
      json: {
        id: SESSION,
        session_name: 'Long',
        created_at: messages[0]!.created_at,
        updated_at: messages.at(-1)!.created_at,
        message_count: COUNT,
        agent_used: null,
        status: 'active',
        tokens_used: 0,
        avg_response_time: null,
        sentiment: 'neutral',
        pinned: false,
        archived: false,
        tags: [],
        project_id: null,
        persona_id: null,
        snippet: null,
        messages: messages.slice(start, end),
        previous_cursor: start === 0 ? null : messages[start]!.id,
      },
    })
  })
}

const scroller = (page: Page) => page.getByRole('region', { name: 'Messages' })
const articles = (page: Page) => scroller(page).getByRole('article')

test('a long conversation renders few messages at a time and keeps the scroll position', async ({ userPage }) => {
  test.slow()
  await mockLongConversation(userPage)
  await userPage.goto(`/chat?session=${SESSION}`)
  await expect(articles(userPage).last()).toContainText(`Message number ${COUNT}.`)

  // Scroll to the first message, page by page.
  const first = userPage.getByText('Message number 1.', { exact: false }).first()
  await expect(async () => {
    await scroller(userPage).evaluate((element) => element.scrollTo({ top: 0 }))
    await expect(first).toBeInViewport({ timeout: 300 })
  }).toPass({ intervals: [50], timeout: 60_000 })
  await expect.poll(() => articles(userPage).count()).toBeLessThan(150)

  // Half-way down, nothing moves while messages are added and removed.
  const middle = await scroller(userPage).evaluate((element) => {
    element.scrollTop = element.scrollHeight / 2
    return element.scrollTop
  })
  await expect(articles(userPage).first()).not.toContainText('Message number 1.')
  await expect.poll(() => articles(userPage).count()).toBeGreaterThan(5)
  const height = await scroller(userPage).evaluate((element) => element.scrollHeight)
  expect(await scroller(userPage).evaluate((element) => element.scrollTop)).toBe(middle)

  await userPage.getByRole('button', { name: 'Jump to latest' }).click()
  await expect(userPage.getByText(`Message number ${COUNT}.`)).toBeInViewport()
  expect(Math.abs((await scroller(userPage).evaluate((element) => element.scrollHeight)) - height)).toBeLessThan(5)
  await expect.poll(() => articles(userPage).count()).toBeLessThan(150)
})
