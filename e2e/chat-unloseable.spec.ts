import type { Page } from '@playwright/test'
import { startTcpProxy } from '../apps/api/test/tcp-proxy.ts'
import { answers, composer, numberedWords, questions, send, sessionIdOf, stopButton } from './support/chat-page.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

test('an answer continues after a reload', async ({ userPage, server }) => {
  const fullText = numberedWords(60)
  server.openAi.when('Count for me', { text: fullText, delayMs: 80 })
  await userPage.goto('/chat')
  await send(userPage, 'Count for me')
  await expect(answers(userPage)).toContainText('word5 ')
  await userPage.reload()
  await expect(answers(userPage)).toContainText('word5 ')
  await expect(stopButton(userPage)).toBeVisible()
  await expect(answers(userPage)).toContainText(fullText)
  await expect(answers(userPage)).toHaveCount(1)
  await expect(userPage.getByRole('button', { name: 'Send' })).toBeVisible()
  expect(server.openAi.chats().filter(({ body }) => JSON.stringify(body).includes('Count for me'))).toHaveLength(1)
})

test('another tab shows the question, follows the answer and can stop it', async ({ userPage, server }) => {
  server.openAi.when('Seen in both tabs', { text: numberedWords(60), delayMs: 80 })
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
  // each shows the time at which it learned of the answer
  const textIn = async (page: Page) => (await answers(page).last().textContent())?.split('[Interrupted]')[0]
  expect(await textIn(other)).toBe(await textIn(userPage))
})

test('an answer survives a lost connection: nothing is missing or duplicated', async ({
  userPage,
  server,
  account,
}) => {
  const fullText = numberedWords(120)
  server.openAi.when('Count through a tunnel', { text: fullText, delayMs: 60 })
  const { hostname, port } = new URL(server.url)
  const proxy = await startTcpProxy({ host: hostname, port: Number(port) })
  await userPage.addInitScript((token) => localStorage.setItem('token', token), account.token)
  await userPage.goto(`http://127.0.0.1:${proxy.port}/chat`)
  await send(userPage, 'Count through a tunnel')
  await expect(answers(userPage)).toContainText('word3 ')

  await proxy.cut()
  await userPage.context().setOffline(true)
  await expect(userPage.getByText('Reconnecting…').first()).toBeVisible()
  // plain text may end in white space, which disappears once it's rendered as Markdown
  const answerText = async () => (await answers(userPage).textContent())?.trim()
  const textInTunnel = await answerText()
  await userPage.waitForTimeout(1000)
  expect(await answerText()).toBe(textInTunnel)

  await proxy.mend()
  await userPage.context().setOffline(false)
  await expect(answers(userPage)).toContainText(fullText)
  await expect(answers(userPage)).toHaveCount(1)
  await expect(userPage.getByText('Reconnecting…').first()).toBeHidden()
  await proxy.cut()
})

test('an answer is shown as plain text when the style sheet of formulas fails to load', async ({
  userPage,
  server,
}) => {
  // the style sheet of formulas, which is loaded with the renderer; the page's own is called start….css
  await userPage.route(/assets\/(?!start)[^/]*\.css$/, (route) => route.abort('internetdisconnected'))
  server.openAi.when('Without looks', { text: numberedWords(20) })
  await userPage.goto('/chat')
  const styleSheetFailed = userPage.waitForEvent('requestfailed', (request) => request.url().endsWith('.css'))
  await send(userPage, 'Without looks')
  await styleSheetFailed
  await expect(answers(userPage)).toContainText('word20')
  await expect(composer(userPage)).toBeVisible()
})

test('a server killed during an answer keeps the question and the interrupted answer', async ({ userPage, server }) => {
  server.openAi.when('Survive a crash', { text: numberedWords(200), delayMs: 60 })
  await userPage.goto('/chat')
  await send(userPage, 'Survive a crash')
  await expect(answers(userPage)).toContainText('word8 ')
  await server.crashAndRestart()
  await expect(answers(userPage)).toContainText('[Interrupted]')
  await expect(answers(userPage)).toContainText('word4 ')
  await expect(questions(userPage)).toContainText('Survive a crash')
  await send(userPage, 'And on we go')
  await expect(answers(userPage).last()).toContainText('You said: And on we go')
})

test('a rejected message stays on the screen and is sent again with Retry', async ({ userPage }) => {
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

test('a rejected message can be edited in the composer', async ({ userPage }) => {
  await userPage.goto('/chat')
  await userPage.route('**/api/chat/message', (route) => route.fulfill({ status: 500, body: '' }))
  await send(userPage, 'Not quite right')
  await userPage.getByRole('button', { name: 'Edit' }).click()
  await expect(composer(userPage)).toHaveValue('Not quite right')
  await expect(composer(userPage)).toBeFocused()
  await expect(questions(userPage)).toHaveCount(0)
})

test('a double click on Send sends one message and doesn’t stop its answer', async ({ userPage, server, account }) => {
  server.openAi.when('Once only', { text: numberedWords(10), delayMs: 40 })
  await userPage.goto('/chat')
  await composer(userPage).fill('Once only')
  await userPage.getByRole('button', { name: 'Send' }).dblclick()
  await expect(answers(userPage)).toContainText('word10')
  await expect(answers(userPage)).not.toContainText('[Interrupted]')
  const session = await server.call<{ messages: unknown[] }>('GET', `/chat/sessions/${sessionIdOf(userPage)}`, {
    token: account.token,
  })
  expect(session.messages).toHaveLength(2)
})

test('drafts survive a reload, per conversation, unless Auto Save is off', async ({ userPage }) => {
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

test('a message sent offline is kept and can be sent once the network is back', async ({ userPage }) => {
  await userPage.goto('/chat')
  await expect(composer(userPage)).toBeEnabled()
  await userPage.context().setOffline(true)
  // The browser may take a moment to notice that it's offline.
  await expect(userPage.getByText('You’re offline.')).toBeVisible()
  await send(userPage, 'From the tunnel')
  await expect(userPage.getByText('Not sent')).toBeVisible()
  await expect(answers(userPage)).toContainText('The server can’t be reached.')
  await userPage.context().setOffline(false)
  await expect(userPage.getByText('You’re offline.')).toBeHidden()
  await userPage.getByRole('button', { name: 'Retry' }).click()
  await expect(answers(userPage)).toContainText('You said: From the tunnel')
  await expect(questions(userPage)).toHaveCount(1)
})
