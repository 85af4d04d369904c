import { answers, composer, questions, send } from './support/chat-page.ts'
import { drawImage, imageInput, selectedImages, widthOf } from './support/chat-pictures.ts'
import { sendMessage } from './support/conversations.ts'
import { expect, expectAccessible, test, withoutModel } from './support/fixtures.ts'

test.use({ serverEnvironment: withoutModel })

test('without a model, the built-in engine answers from earlier chats, says so, and links to them', async ({
  userPage: page,
  server,
  account,
}) => {
  const earlier = await sendMessage(server, account, 'The tram to the castle is slow in the morning.')
  await page.goto('/chat')
  await send(page, 'What did I write about the castle?')
  await expect(answers(page).getByText('built-in', { exact: true })).toBeVisible()
  await expect(answers(page)).toContainText('No language model is connected')
  const source = answers(page).getByRole('list', { name: 'Sources' }).getByRole('link')
  await expect(source).toHaveCount(1)
  await source.click()
  await expect(page).toHaveURL(new RegExp(`session=${earlier}$`))
  await expect(questions(page)).toContainText('The tram to the castle is slow in the morning.')
})

test('without a vision model, a note appears before sending, and no image is lost', async ({ userPage: page }) => {
  await page.goto('/chat')
  await expect(page.getByRole('list', { name: 'Available now' })).toContainText('Searchable history')
  await expect(page.getByText('Understands images')).toBeHidden()
  await imageInput(page).setInputFiles([await drawImage(page, 'red.png', 'crimson')])
  const note = page.getByText('No model that sees pictures is available right now.')
  await expect(note).toBeVisible()
  await expectAccessible(page)

  await page.reload()
  await expect(selectedImages(page).getByRole('img', { name: 'red.png' })).toBeVisible()
  await expect(note).toBeVisible()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(page.getByText('Not sent')).toBeVisible()
  await expect(answers(page)).toContainText('An administrator can connect one; until then, send only the text.')
  await expect(note).toBeHidden()
  await expectAccessible(page)

  await page.reload()
  await expect.poll(() => widthOf(questions(page).getByRole('img', { name: 'red.png' }))).toBe(320)
  await page.getByRole('button', { name: 'Edit' }).click()
  await expect(selectedImages(page).getByRole('img', { name: 'red.png' })).toBeVisible()
  await expect(composer(page)).toHaveValue('')
  await expect(questions(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'Clear All' }).click()
  await expect(note).toBeHidden()
  await expect.poll(() => page.evaluate(countStoredPictures)).toBe(0)
  await page.reload()
  await expect(page.getByText('Searchable history')).toBeVisible()
  await expect(selectedImages(page)).toBeHidden()
})

/** Number of messages with images stored in this browser; runs in the page. */
async function countStoredPictures(): Promise<number> {
  const resultOf = <Result>(request: IDBRequest<Result>) =>
    new Promise<Result>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
  const database = await resultOf(indexedDB.open('mira.chat'))
  try {
    return await resultOf(database.transaction('pictures').objectStore('pictures').count())
  } finally {
    database.close()
  }
}
