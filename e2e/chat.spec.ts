import type { Locator, Page } from '@playwright/test'
import { startTcpProxy } from '../apps/api/test/tcp-proxy.ts'
import { expect, expectAccessible, looks, test } from './support/fixtures.ts'
import { startTestServer } from './support/server.ts'

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message' })
const answers = (page: Page) => page.getByRole('article', { name: 'Answer from Mira' })
const questions = (page: Page) => page.getByRole('article', { name: 'Your message' })
const stopButton = (page: Page) => page.getByRole('button', { name: 'Stop' })
const sessionLinks = (page: Page) => page.getByRole('navigation', { name: 'Conversations' }).getByRole('link')

async function send(page: Page, text: string): Promise<void> {
  await composer(page).fill(text)
  await composer(page).press('Enter')
}

/** Words that a reader can count: "word1 word2 …". */
function words(count: number): string {
  return Array.from({ length: count }, (_, index) => `word${index + 1}`).join(' ')
}

function sessionIdOf(page: Page): string | null {
  return new URL(page.url()).searchParams.get('session')
}

test('a message is answered as it is written, and the address names the conversation', async ({ userPage, server }) => {
  server.openAi.when('What is the tide', { text: 'The **tide** is the sea’s breath. '.repeat(8), delayMs: 60 })
  await userPage.goto('/chat')
  await expect(userPage.getByRole('heading', { level: 1 })).toHaveText('Chat with Mira')
  await expect(userPage.getByText('New conversation', { exact: true })).toBeVisible()
  await expect(userPage.getByText('AI helper that handles text and images')).toBeVisible()

  await send(userPage, 'What is the tide?')
  await expect(questions(userPage)).toHaveText(/What is the tide\?/)
  await expect(stopButton(userPage)).toBeVisible()
  await expect(composer(userPage)).toBeDisabled()
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

test('a new chat is begun by key, and the list is put away and brought back', async ({ userPage }) => {
  await userPage.goto('/chat')
  await send(userPage, 'First of two')
  await expect(answers(userPage)).toContainText('You said: First of two')
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

test('a reload in the middle of an answer goes on with it', async ({ userPage, server }) => {
  const whole = words(60)
  server.openAi.when('Count for me', { text: whole, delayMs: 80 })
  await userPage.goto('/chat')
  await send(userPage, 'Count for me')
  await expect(answers(userPage)).toContainText('word5 ')
  await userPage.reload()
  await expect(answers(userPage)).toContainText('word5 ')
  await expect(stopButton(userPage)).toBeVisible()
  await expect(answers(userPage)).toContainText(whole)
  await expect(answers(userPage)).toHaveCount(1)
  await expect(userPage.getByRole('button', { name: 'Send' })).toBeVisible()
  expect(server.openAi.chats().filter(({ body }) => JSON.stringify(body).includes('Count for me'))).toHaveLength(1)
})

test('Stop keeps what had arrived, marked as interrupted', async ({ userPage, server }) => {
  server.openAi.when('Tell a long story', { text: words(400), delayMs: 50 })
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

test('Escape stops an answer, too', async ({ userPage, server }) => {
  server.openAi.when('Tell another story', { text: words(400), delayMs: 50 })
  await userPage.goto('/chat')
  await send(userPage, 'Tell another story')
  await expect(answers(userPage)).toContainText('word4 ')
  await userPage.keyboard.press('Escape')
  await expect(answers(userPage)).toContainText('[Interrupted]')
})

test('another tab shows the question and follows the answer', async ({ userPage, server }) => {
  server.openAi.when('Seen in both tabs', { text: words(60), delayMs: 80 })
  await userPage.goto('/chat')
  await send(userPage, 'Begin')
  await expect(userPage.getByRole('button', { name: 'Send' })).toBeVisible()
  await expect(answers(userPage)).toContainText('You said: Begin')

  const other = await userPage.context().newPage()
  await other.goto(userPage.url())
  await expect(answers(other)).toContainText('You said: Begin')
  await send(userPage, 'Seen in both tabs')
  await expect(questions(other).last()).toContainText('Seen in both tabs')
  await expect(answers(other).last()).toContainText('word3 ')
  await expect(stopButton(other)).toBeVisible()
  await stopButton(other).click()
  await expect(answers(userPage).last()).toContainText('[Interrupted]')
  await expect(answers(other).last()).toContainText('[Interrupted]')
  expect(await answers(other).last().textContent()).toBe(await answers(userPage).last().textContent())
})

test('a lost network is bridged: nothing is missing and nothing is twice', async ({ userPage, server, person }) => {
  const whole = words(120)
  server.openAi.when('Count through a tunnel', { text: whole, delayMs: 60 })
  const { hostname, port } = new URL(server.url)
  const line = await startTcpProxy({ host: hostname, port: Number(port) })
  await userPage.addInitScript((token) => localStorage.setItem('token', token), person.token)
  await userPage.goto(`http://127.0.0.1:${line.port}/chat`)
  await send(userPage, 'Count through a tunnel')
  await expect(answers(userPage)).toContainText('word3 ')

  await line.cut()
  await userPage.context().setOffline(true)
  await expect(userPage.getByText('Reconnecting…').first()).toBeVisible()
  const textInTunnel = await answers(userPage).textContent()
  await userPage.waitForTimeout(1000)
  expect(await answers(userPage).textContent()).toBe(textInTunnel)

  await line.mend()
  await userPage.context().setOffline(false)
  await expect(answers(userPage)).toContainText(whole, { timeout: 20_000 })
  await expect(answers(userPage)).toHaveCount(1)
  await expect(userPage.getByText('Reconnecting…').first()).toBeHidden()
  await line.cut()
})

test('a server that is killed in the middle of an answer loses nothing that was shown', async ({
  userPage,
  server,
}) => {
  server.openAi.when('Survive a crash', { text: words(200), delayMs: 60 })
  await userPage.goto('/chat')
  await send(userPage, 'Survive a crash')
  await expect(answers(userPage)).toContainText('word8 ')
  await server.crashAndRestart()
  await expect(answers(userPage)).toContainText('[Interrupted]', { timeout: 20_000 })
  await expect(answers(userPage)).toContainText('word4 ')
  await expect(questions(userPage)).toContainText('Survive a crash')
  await send(userPage, 'And on we go')
  await expect(answers(userPage).last()).toContainText('You said: And on we go')
})

test('a model that fails says why, and the question stays', async ({ userPage, server }) => {
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

test('a message that the server refuses stays on the screen and is sent again by Retry', async ({ userPage }) => {
  await userPage.goto('/chat')
  await userPage.route('**/api/chat/message', (route) =>
    route.fulfill({ status: 503, json: { detail: 'The database is being moved.', code: 'moving' } }),
  )
  await send(userPage, 'Keep this text')
  await expect(answers(userPage)).toContainText(
    'Sorry, I encountered an error processing your request. Please try again.',
  )
  await expect(answers(userPage)).toContainText('The database is being moved.')
  await expect(questions(userPage)).toContainText('Keep this text')
  await expectAccessible(userPage)

  await userPage.reload()
  await expect(questions(userPage)).toContainText('Keep this text')
  await expect(userPage.getByText('Not sent')).toBeVisible()

  await userPage.unroute('**/api/chat/message')
  await userPage.getByRole('button', { name: 'Retry' }).click()
  await expect(answers(userPage)).toContainText('You said: Keep this text')
  await expect(questions(userPage)).toHaveCount(1)
  await expect(userPage.getByText('Not sent')).toBeHidden()
})

test('a refused message can be taken back and written anew', async ({ userPage }) => {
  await userPage.goto('/chat')
  await userPage.route('**/api/chat/message', (route) => route.fulfill({ status: 500, body: '' }))
  await send(userPage, 'Not quite right')
  await userPage.getByRole('button', { name: 'Edit' }).click()
  await expect(composer(userPage)).toHaveValue('Not quite right')
  await expect(composer(userPage)).toBeFocused()
  await expect(questions(userPage)).toHaveCount(0)
})

test('a double click on Send is one message, and does not stop its answer', async ({ userPage, server, person }) => {
  server.openAi.when('Once only', { text: words(10), delayMs: 40 })
  await userPage.goto('/chat')
  await composer(userPage).fill('Once only')
  await userPage.getByRole('button', { name: 'Send' }).dblclick()
  await expect(answers(userPage)).toContainText('word10')
  await expect(answers(userPage)).not.toContainText('[Interrupted]')
  const session = await server.call<{ messages: unknown[] }>('GET', `/chat/sessions/${sessionIdOf(userPage)}`, {
    token: person.token,
  })
  expect(session.messages).toHaveLength(2)
})

test('Shift and Enter make a new line; letters that are being composed are not sent', async ({ userPage }) => {
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

test('a draft survives a reload, per conversation, and not where Auto Save is off', async ({ userPage }) => {
  await userPage.goto('/chat')
  await send(userPage, 'Hello there')
  await expect(answers(userPage)).toContainText('You said: Hello there')
  const address = userPage.url()
  await composer(userPage).fill('half a thought')
  await userPage.getByRole('link', { name: 'New chat' }).click()
  await expect(composer(userPage)).toHaveValue('')
  await composer(userPage).fill('another one')
  await userPage.goto(address)
  await expect(composer(userPage)).toHaveValue('half a thought')
  await userPage.goto('/chat')
  await expect(composer(userPage)).toHaveValue('another one')

  await userPage.evaluate(() => localStorage.setItem('settings', JSON.stringify({ autoSave: false })))
  await userPage.reload()
  await composer(userPage).fill('kept nowhere')
  await userPage.reload()
  await expect(composer(userPage)).toHaveValue('')
})

test('too long a text is counted and cannot be sent', async ({ userPage }) => {
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

test('a conversation is renamed from the list and from its title, and deleted after a question', async ({
  userPage,
}) => {
  await userPage.goto('/chat')
  await send(userPage, 'Something to name')
  const link = sessionLinks(userPage).filter({ hasText: 'A short title' })
  await expect(link).toBeVisible()

  await link.focus()
  await userPage.keyboard.press('F2')
  await userPage.getByRole('textbox', { name: 'Name of the conversation' }).fill('Days in Lisbon')
  await userPage.keyboard.press('Enter')
  await expect(userPage.getByRole('button', { name: 'Rename “Days in Lisbon”' })).toBeVisible()
  await expect(sessionLinks(userPage).filter({ hasText: 'Days in Lisbon' })).toBeVisible()

  await userPage.getByRole('button', { name: 'Rename “Days in Lisbon”' }).click()
  await userPage.getByRole('textbox', { name: 'Name of the conversation' }).fill('Nights in Lisbon')
  await userPage.keyboard.press('Enter')
  const renamed = sessionLinks(userPage).filter({ hasText: 'Nights in Lisbon' })
  await expect(renamed).toBeVisible()
  await userPage.reload()
  await expect(renamed).toBeVisible()

  await renamed.hover()
  await userPage.getByRole('button', { name: 'Actions for Nights in Lisbon' }).click()
  await userPage.getByRole('menuitem', { name: 'Delete' }).click()
  const dialog = userPage.getByRole('alertdialog')
  await expect(dialog).toContainText('Are you sure you want to delete this chat session?')
  await expectAccessible(userPage)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(renamed).toBeVisible()

  await renamed.focus()
  await userPage.keyboard.press('Delete')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(renamed).toHaveCount(0)
  await expect(userPage).toHaveURL(/\/chat$/)
  await expect(userPage.getByText('New conversation', { exact: true })).toBeVisible()
})

test('a conversation that is deleted elsewhere says so, and an unknown one is not there', async ({
  userPage,
  server,
  person,
}) => {
  await userPage.goto('/chat')
  await send(userPage, 'Soon gone')
  await expect(answers(userPage)).toContainText('You said: Soon gone')
  await server.call('DELETE', `/chat/sessions/${sessionIdOf(userPage)}`, { token: person.token })
  await expect(userPage.getByText('This conversation is not here')).toBeVisible()
  await userPage.goto('/chat?session=nonsense')
  await expect(userPage.getByText('This conversation is not here')).toBeVisible()
})

test('the list is searched, moved through by arrows, and loaded as one scrolls', async ({
  userPage,
  server,
  person,
}) => {
  for (let number = 1; number <= 34; number += 1) await ask(server, person.token, `Topic number ${number}.`)
  await userPage.goto('/chat')
  await expect(sessionLinks(userPage).nth(20)).toBeAttached()
  await sessionLinks(userPage).last().scrollIntoViewIfNeeded()
  // The link to a new chat, and all that were.
  await expect(sessionLinks(userPage)).toHaveCount(35)

  // Out of the composer, where "/" is only a letter.
  await composer(userPage).press('Escape')
  await userPage.keyboard.press('/')
  await expect(userPage.getByRole('searchbox', { name: 'Search conversations' })).toBeFocused()
  await userPage.keyboard.type('number 17.')
  await expect(sessionLinks(userPage)).toHaveCount(2)
  await userPage.keyboard.press('Escape')
  await expect(sessionLinks(userPage).nth(10)).toBeVisible()
  await sessionLinks(userPage).nth(1).focus()
  await userPage.keyboard.press('ArrowDown')
  await expect(sessionLinks(userPage).nth(2)).toBeFocused()
  await userPage.keyboard.press('Enter')
  await expect(sessionLinks(userPage).nth(2)).toHaveAttribute('aria-current', 'page')
})

/** Sends a message as a script does and waits for the end of its answer. */
async function ask(
  server: { url: string },
  token: string,
  content: string,
  sessionId: string | null = null,
): Promise<string> {
  const response = await fetch(`${server.url}/api/chat/message`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content, session_id: sessionId, has_images: false, images: [] }),
  })
  return /"session_id":"([^"]+)"/.exec(await response.text())?.[1] ?? ''
}

test('who reads above is left in peace, who is at the end follows, and older messages come when scrolling up', async ({
  userPage,
  server,
  person,
}) => {
  let sessionId: string | null = null
  for (let number = 1; number <= 30; number += 1) {
    sessionId = await ask(server, person.token, `Question ${number}.`, sessionId)
  }
  server.openAi.when('Flow', { text: Array.from({ length: 120 }, (_, line) => `line ${line + 1}\n\n`), delayMs: 40 })
  await userPage.goto(`/chat?session=${sessionId}`)
  await expect(answers(userPage).last()).toContainText('You said: Question 30.')
  const scroller = userPage.getByRole('region', { name: 'Messages' })
  await expectAtEnd(scroller)
  await expect(questions(userPage)).toHaveCount(25)

  // Older messages come, and what was read stays where it was.
  const sixth = questions(userPage).filter({ hasText: 'Question 7.' })
  await sixth.scrollIntoViewIfNeeded()
  await expect(questions(userPage)).toHaveCount(30)
  await expect(sixth).toBeInViewport()
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

for (const { colorScheme, width } of looks) {
  test(`axe finds nothing in the chat, ${colorScheme}, ${width} px`, async ({ userPage, server }) => {
    await userPage.emulateMedia({ colorScheme })
    await userPage.setViewportSize({ width, height: 800 })
    const loads: string[] = []
    userPage.on('request', (request) => loads.push(request.url()))
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
    expect(loads.filter((url) => !url.startsWith(server.url))).toEqual([])
    expect(await userPage.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    if (width < 1024) {
      await userPage.getByRole('button', { name: 'Show conversations' }).click()
      await expect(userPage.getByRole('dialog').getByText('A short title')).toBeVisible()
      await expectAccessible(userPage)
    }
  })
}

test('without a model the built-in engine answers from earlier chats, says so, and its sources lead there', async ({
  browser,
}) => {
  test.slow()
  const alone = await startTestServer({ OPENAI_BASE_URL: '', OPENAI_API_KEY: '', CHAT_MODEL: '' })
  const { token } = await alone.createAccount()
  const earlier = await ask(alone, token, 'The tram to the castle is slow in the morning.')
  const page = await browser.newPage({
    storageState: { cookies: [], origins: [{ origin: alone.url, localStorage: [{ name: 'token', value: token }] }] },
  })
  await page.goto(`${alone.url}/chat`)
  await send(page, 'What did I write about the castle?')
  await expect(answers(page).getByText('built-in', { exact: true })).toBeVisible()
  await expect(answers(page)).toContainText('No language model is connected')
  const source = answers(page).getByRole('list', { name: 'Sources' }).getByRole('link')
  await expect(source).toHaveCount(1)
  await source.click()
  await expect(page).toHaveURL(new RegExp(`session=${earlier}$`))
  await expect(questions(page)).toContainText('The tram to the castle is slow in the morning.')
  await page.close()
  await alone.stop()
})

test('a message that is sent without a network stays and can be sent when it is back', async ({ userPage }) => {
  await userPage.goto('/chat')
  await expect(composer(userPage)).toBeEnabled()
  await userPage.context().setOffline(true)
  await send(userPage, 'From the tunnel')
  await expect(userPage.getByText('Not sent')).toBeVisible()
  await expect(answers(userPage)).toContainText('The server cannot be reached.')
  await userPage.context().setOffline(false)
  await userPage.getByRole('button', { name: 'Retry' }).click()
  await expect(answers(userPage)).toContainText('You said: From the tunnel')
  await expect(questions(userPage)).toHaveCount(1)
})

test('on a phone a conversation is opened and renamed in the sheet', async ({ userPage, server, person }) => {
  await ask(server, person.token, 'The first of two.')
  await ask(server, person.token, 'The second of two.')
  await userPage.setViewportSize({ width: 360, height: 740 })
  await userPage.goto('/chat')
  await userPage.getByRole('button', { name: 'Show conversations' }).click()
  const sheet = userPage.getByRole('dialog', { name: 'Conversations' })
  const links = sheet.getByRole('navigation').getByRole('link')
  await expect(links).toHaveCount(3)
  await links.last().hover()
  await sheet
    .getByRole('button', { name: /^Actions for / })
    .last()
    .click()
  await userPage.getByRole('menuitem', { name: 'Rename' }).click()
  const name = sheet.getByRole('textbox', { name: 'Name of the conversation' })
  await expect(name).toBeFocused()
  await name.fill('Renamed on a phone')
  await name.press('Enter')
  await expect(links.last()).toContainText('Renamed on a phone')
  await expect(links.last()).toBeFocused()

  // Escape leaves the name as it was.
  await links.last().press('F2')
  await name.fill('Not this')
  await name.press('Escape')
  await userPage.reload()
  await userPage.getByRole('button', { name: 'Show conversations' }).click()
  await expect(links.last()).toContainText('Renamed on a phone')
  await links.last().press('Enter')
  await expect(sheet).toBeHidden()
  await expect(questions(userPage)).toContainText('The first of two.')
  await expect(userPage.getByRole('button', { name: 'Rename “Renamed on a phone”' })).toBeVisible()
})

test('who may not chat is told so', async ({ openPageAs, server }) => {
  const page = await openPageAs(await server.createAccount({ can_chat: false }))
  await page.goto('/chat')
  await expect(page.getByText('Chat is not open to your account')).toBeVisible()
  await expectAccessible(page)
})

test('screen readers hear the answer in sentences', async ({ userPage, server }) => {
  server.openAi.when('Speak to me', {
    text: 'The first sentence is here. The second one comes after it, slowly and with many words. The end',
    delayMs: 120,
  })
  await userPage.goto('/chat')
  await send(userPage, 'Speak to me')
  const spoken = userPage.getByRole('log', { name: 'What Mira says' })
  await expect(spoken.locator('p').first()).toHaveText('The first sentence is here.')
  await expect(spoken.locator('p').last()).toHaveText(/The end$/)
  await expect(userPage.getByText('The answer is complete')).toBeAttached()
})
