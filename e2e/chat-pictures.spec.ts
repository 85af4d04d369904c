import { Buffer } from 'node:buffer'
import type { ChatRequestJson } from '@mira/shared'
import type { Page } from '@playwright/test'
import { expect, expectAccessible, test } from './support/fixtures.ts'

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message' })
const answers = (page: Page) => page.getByRole('article', { name: 'Answer from Mira' })
const questions = (page: Page) => page.getByRole('article', { name: 'Your message' })
const chosen = (page: Page) => page.getByRole('region', { name: 'Selected images' })
const picker = (page: Page) => page.locator('input[type=file]')

/** A real picture, drawn by the browser itself. */
async function drawPicture(page: Page, name: string, colour: string) {
  const base64 = await page.evaluate((fill) => {
    const canvas = document.createElement('canvas')
    canvas.width = 320
    canvas.height = 240
    const context = canvas.getContext('2d')!
    context.fillStyle = fill
    context.fillRect(0, 0, 320, 240)
    context.fillStyle = 'white'
    context.fillRect(40, 40, 120, 80)
    return canvas.toDataURL('image/png').split(',')[1]!
  }, colour)
  return { name, mimeType: 'image/png', buffer: Buffer.from(base64, 'base64') }
}

const ids = {
  session_id: '0198c3a0-0000-7000-8000-000000000001',
  user_message_id: '0198c3a0-0000-7000-8000-000000000002',
  message_id: '0198c3a0-0000-7000-8000-000000000003',
}

/** Answers what is sent from a page, whatever engines the server has; returns what was sent. */
async function answerMessages(page: Page, answer: string): Promise<ChatRequestJson[]> {
  const sent: ChatRequestJson[] = []
  const events = [
    { type: 'session', ...ids, session_name: 'Pictures' },
    { type: 'chunk', content: answer },
    { type: 'complete', ...ids, model_used: 'seer', engine: 'remote', usage: null, duration_ms: 9, interrupted: false },
  ]
  const lines = events.map((event, index) => `id: ${index + 1}\ndata: ${JSON.stringify(event)}\n\n`)
  await page.route('**/api/chat/message', (route) => {
    sent.push(route.request().postDataJSON() as ChatRequestJson)
    return route.fulfill({ contentType: 'text/event-stream', body: `${lines.join('')}data: [DONE]\n\n` })
  })
  return sent
}

test('pictures are chosen, taken away and sent without a word', async ({ userPage }) => {
  const sent = await answerMessages(userPage, 'Two coloured squares.')
  await userPage.goto('/chat')
  const [red, blue, green] = [
    await drawPicture(userPage, 'red.png', 'crimson'),
    await drawPicture(userPage, 'blue.png', 'royalblue'),
    await drawPicture(userPage, 'green.png', 'seagreen'),
  ]
  await expect(userPage.getByText('Vision mode')).toBeHidden()
  await picker(userPage).setInputFiles([red, blue, green])
  await expect(chosen(userPage).getByRole('img')).toHaveCount(3)
  await expect(userPage.getByText('Vision mode')).toBeVisible()
  await expectAccessible(userPage)
  await chosen(userPage).getByRole('button', { name: 'Remove blue.png' }).click()
  await expect(chosen(userPage).getByRole('img')).toHaveCount(2)

  await userPage.getByRole('button', { name: 'Send' }).click()
  await expect(answers(userPage)).toContainText('Two coloured squares.')
  await expect(questions(userPage)).toContainText('Please describe these images.')
  await expect(questions(userPage).getByRole('img', { name: 'green.png' })).toBeVisible()
  await expect(chosen(userPage)).toBeHidden()
  await expect(userPage.getByText('Vision mode')).toBeHidden()
  expect(sent).toHaveLength(1)
  expect(sent[0]).toMatchObject({ content: 'Please describe these images.', has_images: true })
  expect(sent[0]!.images).toEqual(
    [red, green].map(({ buffer }) => `data:image/png;base64,${buffer.toString('base64')}`),
  )
})

test('a picture of a message opens large and is kept in memory', async ({ userPage }) => {
  await answerMessages(userPage, 'A red square.')
  const kept: string[] = []
  await userPage.route('**/api/chat/messages/*/images/*/keep', (route) => {
    kept.push(new URL(route.request().url()).pathname)
    return route.fulfill({ status: 201, json: {} })
  })
  await userPage.goto('/chat')
  await picker(userPage).setInputFiles([await drawPicture(userPage, 'red.png', 'crimson')])
  await expect(chosen(userPage)).toBeVisible()
  await composer(userPage).fill('What is this?')
  await composer(userPage).press('Enter')
  await expect(answers(userPage)).toContainText('A red square.')
  await userPage.getByRole('button', { name: 'Show red.png large' }).click()
  const dialog = userPage.getByRole('dialog')
  await expect(dialog.getByRole('img', { name: 'red.png' })).toBeVisible()
  await expectAccessible(userPage)
  await dialog.getByRole('button', { name: 'Keep in memory' }).click()
  await expect(userPage.getByText('Kept in your memory', { exact: true })).toBeVisible()
  expect(kept).toEqual([`/api/chat/messages/${ids.user_message_id}/images/0/keep`])
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(dialog).toBeHidden()
})

test('"Clear All" takes every picture away', async ({ userPage }) => {
  await userPage.goto('/chat')
  await picker(userPage).setInputFiles([await drawPicture(userPage, 'red.png', 'crimson')])
  await expect(chosen(userPage)).toBeVisible()
  await userPage.getByRole('button', { name: 'Clear All' }).click()
  await expect(chosen(userPage)).toBeHidden()
  await expect(userPage.getByRole('button', { name: 'Send' })).toBeDisabled()
})

test('what is no picture and what is one too many is left out and said', async ({ userPage }) => {
  await userPage.goto('/chat')
  const picture = await drawPicture(userPage, 'red.png', 'crimson')
  const six = Array.from({ length: 6 }, (_, index) => ({ ...picture, name: `picture${index + 1}.png` }))
  await picker(userPage).setInputFiles([
    { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('notes') },
    ...six,
  ])
  await expect(userPage.getByText('“notes.txt” is not an image.', { exact: true })).toBeVisible()
  await expect(userPage.getByText('A message takes at most 5 images.', { exact: true })).toBeVisible()
  await expect(chosen(userPage).getByRole('img')).toHaveCount(5)
})

test('a picture is pasted, and another one dropped', async ({ userPage }) => {
  await userPage.goto('/chat')
  const { buffer } = await drawPicture(userPage, 'red.png', 'crimson')
  const give = (kind: 'paste' | 'drop', name: string) =>
    composer(userPage).evaluate(
      (field, { bytes, eventKind, fileName }) => {
        const transfer = new DataTransfer()
        transfer.items.add(new File([new Uint8Array(bytes)], fileName, { type: 'image/png' }))
        const init = { bubbles: true, cancelable: true }
        field.dispatchEvent(
          eventKind === 'paste'
            ? new ClipboardEvent('paste', { ...init, clipboardData: transfer })
            : new DragEvent('drop', { ...init, dataTransfer: transfer }),
        )
      },
      { bytes: [...buffer], eventKind: kind, fileName: name },
    )
  await give('paste', 'pasted.png')
  await expect(chosen(userPage).getByRole('img', { name: 'pasted.png' })).toBeVisible()
  await give('drop', 'dropped.png')
  await expect(chosen(userPage).getByRole('img')).toHaveCount(2)
})
