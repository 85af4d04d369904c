import type { Locator } from '@playwright/test'
import {
  answers,
  composer,
  numberedWords,
  questions,
  send,
  sessionIdOf,
  sessionLinks,
  stopButton,
} from './support/chat-page.ts'
import { sendMessage } from './support/conversations.ts'
import { expect, expectAccessible, test, themesAndWidths } from './support/fixtures.ts'

test('an answer streams in, and the URL contains the conversation', async ({ userPage, server }) => {
  server.openAi.when('What is the tide', { text: 'The **tide** is the sea’s breath. '.repeat(8), delayMs: 60 })
  await userPage.goto('/chat')
  await expect(userPage.getByRole('heading', { level: 1 })).toHaveText('Chat with Mira')
  await expect(userPage.getByText('New conversation', { exact: true })).toBeVisible()
  await expect(userPage.getByText('AI helper for text and images')).toBeVisible()

  await send(userPage, 'What is the tide?')
  await expect(questions(userPage)).toHaveText(/What is the tide\?/)
  await expect(stopButton(userPage)).toBeVisible()
  await expect(answers(userPage)).toContainText('The tide is')
  await expect(answers(userPage)).toHaveAttribute('aria-busy', 'true')

  await expect(userPage.getByRole('button', { name: 'Send' })).toBeVisible()
  await expect(answers(userPage).getByText('test-model')).toBeVisible()
  await expect(answers(userPage).locator('strong')).toHaveCount(8)
  await expect(composer(userPage)).toBeFocused()
  await expect(userPage).toHaveURL(/\/chat\?session=[0-9a-f-]{36}$/)
  await expect(userPage.getByText(sessionIdOf(userPage)!)).toBeVisible()
  await expect(sessionLinks(userPage).filter({ hasText: 'A short title' })).toHaveAttribute('aria-current', 'page')
})

test('shortcuts start a new chat and hide the conversation list, and a button shows it again', async ({ userPage }) => {
  await userPage.goto('/chat')
  await send(userPage, 'First of two')
  await expect(answers(userPage).getByText('test-model')).toBeVisible()
  await composer(userPage).press('Escape')
  await userPage.keyboard.press('l')
  await expect(userPage.getByRole('navigation', { name: 'Conversations' })).toBeHidden()
  await userPage.reload()
  await expect(answers(userPage)).toContainText('You said: First of two')
  await expect(userPage.getByRole('navigation', { name: 'Conversations' })).toBeHidden()
  await userPage.getByRole('button', { name: 'Show conversations' }).click()
  await expect(sessionLinks(userPage)).toHaveCount(2)
  await userPage.keyboard.press('n')
  await expect(userPage).toHaveURL(/\/chat$/)
  await expect(composer(userPage)).toBeFocused()
  await expect(questions(userPage)).toHaveCount(0)
})

test('Stop keeps the partial answer, marked as interrupted', async ({ userPage, server }) => {
  server.openAi.when('Tell a long story', { text: numberedWords(400), delayMs: 50 })
  await userPage.goto('/chat')
  await send(userPage, 'Tell a long story')
  await expect(answers(userPage)).toContainText('word4 ')
  await stopButton(userPage).click()
  await expect(answers(userPage)).toContainText('[Interrupted]')
  await expect(answers(userPage)).toContainText('word4 ')
  await userPage.reload()
  await expect(answers(userPage)).toContainText('[Interrupted]')
  await expect(answers(userPage)).toContainText('word4 ')
  await expect(answers(userPage)).not.toContainText('word400')
})

test('Escape stops an answer, and Continue asks for the rest', async ({ userPage, server }) => {
  server.openAi.when('Tell another story', { text: numberedWords(400), delayMs: 50 })
  await userPage.goto('/chat')
  await send(userPage, 'Tell another story')
  await expect(answers(userPage)).toContainText('word4 ')
  await userPage.keyboard.press('Escape')
  await expect(answers(userPage)).toContainText('[Interrupted]')
  await answers(userPage).getByRole('button', { name: 'Continue', exact: true }).click()
  await expect(questions(userPage).last()).toContainText('Continue where you left off.')
})

test('a message sent during an answer waits for its end, and can be edited', async ({ userPage, server }) => {
  const answerEnd = Promise.withResolvers<void>()
  server.openAi.when('Long story', { text: numberedWords(60), lastAfter: answerEnd.promise })
  await userPage.goto('/chat')
  await send(userPage, 'Long story')
  await expect(answers(userPage)).toContainText('word2 ')
  await send(userPage, 'And then?')
  const waiting = userPage.getByRole('region', { name: 'Waiting messages' })
  await expect(waiting).toContainText('Will be sent when the answer is finished')
  await expectAccessible(userPage)
  await waiting.getByRole('button', { name: 'Edit' }).click()
  await expect(waiting).toBeHidden()
  await expect(composer(userPage)).toHaveValue('And then?')
  await send(userPage, 'And after that?')
  await expect(waiting).toContainText('And after that?')
  answerEnd.resolve()
  await expect(answers(userPage).last()).toContainText('You said: And after that?')
  await expect(answers(userPage).first()).toContainText('word60')
})

test('a waiting message stops the answer on a click, and is kept when the answer doesn’t finish', async ({
  userPage,
  server,
}) => {
  server.openAi.when('Endless story', { text: numberedWords(600), delayMs: 50 })
  await userPage.goto('/chat')
  const waiting = userPage.getByRole('region', { name: 'Waiting messages' })
  await send(userPage, 'Endless story')
  await expect(answers(userPage).last()).toContainText('word2 ')
  await send(userPage, 'A shorter one')
  await waiting.getByRole('button', { name: 'Send now' }).click()
  await expect(answers(userPage).last()).toContainText('You said: A shorter one')
  await expect(answers(userPage).first()).toContainText('[Interrupted]')

  await send(userPage, 'Endless story')
  await expect(answers(userPage).last()).toContainText('word2 ')
  await send(userPage, 'Left over')
  await expect(waiting).toContainText('Left over')
  await stopButton(userPage).click()
  // what the user types next isn't taken for shortcuts
  await expect(composer(userPage)).toBeFocused()
  await expect(waiting).toContainText('Not sent: the previous answer didn’t finish')
  await userPage.reload()
  await expect(waiting).toContainText('Left over')
  await waiting.getByRole('button', { name: 'Remove' }).click()
  await expect(waiting).toBeHidden()
  await expect(composer(userPage)).toBeFocused()
  await userPage.getByRole('button', { name: 'Undo' }).click()
  await expect(composer(userPage)).toHaveValue('Left over')
  await userPage.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(composer(userPage)).toBeFocused()
  await expect(answers(userPage).last()).toContainText('You said: Left over')
})

test('twenty messages may wait, and one more shows why it can’t', async ({ userPage, server }) => {
  server.openAi.when('Endless story', { text: numberedWords(600), delayMs: 50 })
  await userPage.goto('/chat')
  const waiting = userPage.getByRole('region', { name: 'Waiting messages' })
  await send(userPage, 'Endless story')
  await expect(answers(userPage).last()).toContainText('word2 ')
  for (let number = 1; number <= 20; number++) await send(userPage, `Number ${number}`)
  await expect(waiting.getByRole('listitem')).toHaveCount(20)
  await composer(userPage).fill('One too many')
  await composer(userPage).press('Enter')
  // the note above the list may be out of view, so Enter shows a toast as well
  const toast = userPage.getByRole('listitem').filter({ hasText: '20 messages are waiting, which is the limit' })
  await expect(toast).toHaveCount(1)
  await composer(userPage).press('Enter')
  await expect(toast).toHaveCount(1)
  await expect(composer(userPage)).toHaveValue('One too many')
})

test('a failing model shows an error, and the question stays and can be asked again', async ({ userPage, server }) => {
  server.openAi.when('Fail please', { error: { status: 401, message: 'Incorrect API key provided' } })
  await userPage.goto('/chat')
  await send(userPage, 'Fail please')
  await expect(answers(userPage)).toContainText(/^Error: /)
  await expect(questions(userPage)).toContainText('Fail please')
  await userPage.reload()
  await expect(answers(userPage)).toContainText('Error: ')
  await expect(questions(userPage)).toContainText('Fail please')

  server.openAi.when('Fail please', { text: 'Now it works.' })
  await userPage.getByRole('button', { name: 'Ask again' }).click()
  await expect(answers(userPage).last()).toContainText('Now it works.')
})

test('Shift+Enter inserts a line break, and Enter during IME composition doesn’t send', async ({ userPage }) => {
  await userPage.goto('/chat')
  const field = composer(userPage)
  await field.fill('first')
  await field.press('Shift+Enter')
  await field.pressSequentially('second')
  await expect(field).toHaveValue('first\nsecond')
  await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true })
  await field.dispatchEvent('keydown', { key: 'Enter', keyCode: 229 })
  await expect(questions(userPage)).toHaveCount(0)
  await field.press('Enter')
  await expect(questions(userPage)).toContainText('first\nsecond')
})

test('a text above the limit shows its length and can’t be sent', async ({ userPage }) => {
  await userPage.goto('/chat')
  await composer(userPage).fill('a'.repeat(32_000))
  await expect(userPage.getByText('32,000 of 32,000 characters')).toBeVisible()
  await expect(userPage.getByRole('button', { name: 'Send' })).toBeEnabled()
  await composer(userPage).fill('a'.repeat(32_001))
  await expect(userPage.getByText('32,001 of 32,000 characters: too long to send')).toBeVisible()
  await expect(userPage.getByRole('button', { name: 'Send' })).toBeDisabled()
  await composer(userPage).press('Enter')
  await expect(questions(userPage)).toHaveCount(0)
})

test('the view follows an answer only at its end, and older messages load when scrolling up', async ({
  userPage,
  server,
  account,
}) => {
  let sessionId: string | undefined
  for (let number = 1; number <= 30; number += 1) {
    sessionId = await sendMessage(server, account, `Question ${number}.`, sessionId)
  }
  server.openAi.when('Flow', { text: Array.from({ length: 120 }, (_, line) => `line ${line + 1}\n\n`), delayMs: 40 })
  await userPage.goto(`/chat?session=${sessionId}`)
  await expect(answers(userPage).last()).toContainText('You said: Question 30.')
  const scroller = userPage.getByRole('region', { name: 'Messages' })
  await expectAtEnd(scroller)
  await expect(questions(userPage)).toHaveCount(25)

  // Older messages load, and the visible one stays in place.
  const seventh = questions(userPage).filter({ hasText: 'Question 7.' })
  await seventh.scrollIntoViewIfNeeded()
  await expect(questions(userPage)).toHaveCount(30)
  await expect(seventh).toBeInViewport()
  await userPage.getByRole('button', { name: 'Jump to latest' }).click()
  await expectAtEnd(scroller)

  await send(userPage, 'Flow')
  await expect(answers(userPage).last()).toContainText('line 30')
  await expectAtEnd(scroller)
  await scroller.hover()
  await userPage.mouse.wheel(0, -300)
  const latest = userPage.getByRole('button', { name: 'Jump to latest' })
  await expect(latest).toBeVisible()
  const before = await scroller.evaluate((element) => element.scrollTop)
  await expect(answers(userPage).last()).toContainText('line 70')
  expect(await scroller.evaluate((element) => element.scrollTop)).toBe(before)
  await latest.click()
  await expectAtEnd(scroller)
  await expect(answers(userPage).last()).toContainText('line 120')
  await expectAtEnd(scroller)
})

async function expectAtEnd(scroller: Locator): Promise<void> {
  await expect
    .poll(() => scroller.evaluate((element) => element.scrollHeight - element.clientHeight - element.scrollTop))
    .toBeLessThan(4)
}

const rich = `## Plan

See [the docs](https://example.com/a), an ![image](https://example.com/x.png) and <b>no markup</b>.

- [x] done
- [ ] open

| Day | Cost |
| --- | ---: |
| Friday | 38.50 |

\`\`\`ts
const total = 38.5
\`\`\`
`

for (const { colorScheme, width } of themesAndWidths) {
  test(`the chat passes axe in the ${colorScheme} theme at ${width} px`, async ({ userPage, server }) => {
    await userPage.emulateMedia({ colorScheme })
    await userPage.setViewportSize({ width, height: 800 })
    const requestedUrls: string[] = []
    userPage.on('request', (request) => requestedUrls.push(request.url()))
    server.openAi.when('Write it richly', { text: rich })
    await userPage.goto('/chat')
    await expect(userPage.getByText('Searchable history')).toBeVisible()
    await expectAccessible(userPage)
    await send(userPage, 'Write it richly')
    await expect(answers(userPage).getByText('const total')).toBeVisible()
    await expect(answers(userPage).getByText('test-model')).toBeVisible()
    await expect(answers(userPage).getByText('<b>no markup</b>')).toBeVisible()
    const link = answers(userPage).getByRole('link', { name: /the docs/ })
    await expect(link).toContainText('(example.com)')
    await expect(link).toHaveAttribute('rel', 'noopener noreferrer')
    await expectAccessible(userPage)
    expect(requestedUrls.filter((url) => !url.startsWith(server.url))).toEqual([])
    expect(await userPage.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    if (width < 1024) {
      await userPage.getByRole('button', { name: 'Show conversations' }).click()
      await expect(userPage.getByRole('dialog').getByText('A short title')).toBeVisible()
      await expectAccessible(userPage)
    }
  })
}

test('a user without the chat permission sees a message instead', async ({ openPageAs, server }) => {
  const page = await openPageAs(await server.createAccount({ can_chat: false }))
  await page.goto('/chat')
  await expect(page.getByText('Your account can’t use chat')).toBeVisible()
  await expectAccessible(page)
})

test('screen readers get the answer sentence by sentence', async ({ userPage, server }) => {
  server.openAi.when('Speak to me', {
    text: 'The first sentence is here. The second one comes after it, slowly and with many words. The end',
    delayMs: 120,
  })
  await userPage.goto('/chat')
  await send(userPage, 'Speak to me')
  const spoken = userPage.getByRole('log', { name: 'Latest answer from Mira' })
  await expect(spoken.locator('p').first()).toHaveText('The first sentence is here.')
  await expect(spoken.locator('p').last()).toHaveText(/The end$/)
  await expect(userPage.getByText('The answer is complete')).toBeAttached()
})
