import { Buffer } from 'node:buffer'
import type { LibraryJson } from '@mira/shared'
import { IMAGE_MAX_BYTES } from '@mira/shared/constants/limits'
import type { Page } from '@playwright/test'
import type { RecordedRequest } from '../apps/api/test/openai-wire.ts'
import { noisyImage } from '../apps/api/test/pictures.ts'
import { drawImage, imageInput, selectedImages, widthOf } from './support/chat-pictures.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message' })
const answers = (page: Page) => page.getByRole('article', { name: 'Answer from Mira' })
const questions = (page: Page) => page.getByRole('article', { name: 'Your message' })

const send = (page: Page) => page.getByRole('button', { name: 'Send', exact: true })
const enlargeButton = (page: Page, name: string) =>
  questions(page).getByRole('button', { name: `Enlarge ${name}`, exact: true })

/** URLs of the images that a model received with the last message. */
function sentImages({ body }: RecordedRequest): string[] {
  const content = body.messages?.at(-1)?.content
  const parts = Array.isArray(content) ? (content as { image_url?: { url: string } }[]) : []
  return parts.flatMap(({ image_url }) => (image_url === undefined ? [] : [image_url.url]))
}

/** Response of a vision model. */
const describeImages = (request: RecordedRequest) => ({ text: `I see ${sentImages(request).length} JPEG pictures.` })

/** Pastes an image into the composer, or drops it there. */
async function pasteOrDrop(page: Page, kind: 'paste' | 'drop', { name, buffer }: { name: string; buffer: Buffer }) {
  await composer(page).evaluate(
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
}

test('the model receives picked, pasted and dropped images, which are still there after a reload', async ({
  userPage,
  server,
}) => {
  server.openAi.when('Please describe these images.', describeImages)
  await userPage.goto('/chat')
  await expect(userPage.getByRole('list', { name: 'Available now' })).toContainText('Understands images')
  // larger than the limit of a message, so it is scaled down
  const large = await noisyImage({ width: 3000, height: 2400, quality: 100 })
  expect(large.length).toBeGreaterThan(IMAGE_MAX_BYTES)
  const [photo, blue, green, brown] = [
    { name: 'photo.jpg', mimeType: 'image/jpeg', buffer: large },
    await drawImage(userPage, 'blue.png', 'royalblue'),
    await drawImage(userPage, 'green.png', 'seagreen'),
    await drawImage(userPage, 'brown.png', 'sienna'),
  ]
  await expect(userPage.getByText('Vision mode')).toBeHidden()
  await imageInput(userPage).setInputFiles([photo, blue])
  await pasteOrDrop(userPage, 'paste', green)
  await expect(selectedImages(userPage).getByRole('img')).toHaveCount(3)
  await pasteOrDrop(userPage, 'drop', brown)
  await expect(selectedImages(userPage).getByRole('img')).toHaveCount(4)
  await expect(userPage.getByText('Vision mode')).toBeVisible()
  await expect(userPage.getByText('No model that sees pictures')).toBeHidden()
  await expectAccessible(userPage)
  await selectedImages(userPage).getByRole('button', { name: 'Remove blue.png' }).click()
  await expect(selectedImages(userPage).getByRole('img')).toHaveCount(3)

  await send(userPage).click()
  await expect(answers(userPage)).toContainText('I see 3 JPEG pictures.')
  await expect(questions(userPage)).toContainText('Please describe these images.')
  await expect(questions(userPage).getByRole('img')).toHaveCount(3)
  await expect(selectedImages(userPage)).toBeHidden()
  await expect(userPage.getByText('Vision mode')).toBeHidden()
  const request = server.openAi.chats().findLast((chat) => sentImages(chat).length > 0)!
  expect(sentImages(request).every((url) => url.startsWith('data:image/jpeg;base64,'))).toBe(true)

  await userPage.reload()
  const pictures = questions(userPage).getByRole('img')
  await expect(pictures).toHaveCount(3)
  for (const picture of await pictures.all()) await expect.poll(() => widthOf(picture)).toBeGreaterThan(0)
})

test('an image of a message is enlarged and saved to memory', async ({ userPage, account, server }) => {
  server.openAi.when('What is this?', describeImages)
  await userPage.goto('/chat')
  await imageInput(userPage).setInputFiles([await drawImage(userPage, 'red.png', 'crimson')])
  await expect(selectedImages(userPage)).toBeVisible()
  await composer(userPage).fill('What is this?')
  await composer(userPage).press('Enter')
  await expect(answers(userPage)).toContainText('I see 1 JPEG pictures.')
  await userPage.reload()
  await enlargeButton(userPage, 'picture-1.jpg').or(enlargeButton(userPage, 'picture-1.png')).click()
  const dialog = userPage.getByRole('dialog')
  await expect.poll(() => widthOf(dialog.getByRole('img'))).toBe(320)
  await expectAccessible(userPage)
  await dialog.getByRole('button', { name: 'Save to memory' }).click()
  await expect(userPage.getByText('Saved to your memory', { exact: true })).toBeVisible()
  const library = await server.call<LibraryJson>('GET', '/media/library', { token: account.token })
  expect(library.media_items).toMatchObject([{ media_type: 'image' }])
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(dialog).toBeHidden()
})

test('a failed answer about images is requested again with the same images', async ({ userPage, server }) => {
  server.openAi.when('Which animal', { error: { status: 400, message: 'This model does not support image input' } })
  await userPage.goto('/chat')
  await imageInput(userPage).setInputFiles([await drawImage(userPage, 'red.png', 'crimson')])
  await expect(selectedImages(userPage)).toBeVisible()
  await composer(userPage).fill('Which animal is this?')
  await composer(userPage).press('Enter')
  await expect(answers(userPage)).toContainText(/^Error: /)
  await userPage.reload()
  await expect(answers(userPage)).toContainText('Error: ')
  await expect.poll(() => widthOf(questions(userPage).getByRole('img'))).toBeGreaterThan(0)

  server.openAi.when('Which animal', describeImages)
  await userPage.getByRole('button', { name: 'Ask again' }).click()
  await expect(answers(userPage)).toContainText('I see 1 JPEG pictures.')
  await expect(questions(userPage)).toHaveCount(1)
  await expect(answers(userPage).getByText('2 of 2')).toBeVisible()
})

test('"Clear All" removes every image', async ({ userPage }) => {
  await userPage.goto('/chat')
  await imageInput(userPage).setInputFiles([await drawImage(userPage, 'red.png', 'crimson')])
  await expect(selectedImages(userPage)).toBeVisible()
  await userPage.getByRole('button', { name: 'Clear All' }).click()
  await expect(selectedImages(userPage)).toBeHidden()
  await expect(userPage.getByRole('button', { name: 'Send' })).toBeDisabled()
})

test('other files and images above the limit are rejected with a message', async ({ userPage }) => {
  await userPage.goto('/chat')
  const picture = await drawImage(userPage, 'red.png', 'crimson')
  const six = Array.from({ length: 6 }, (_, index) => ({ ...picture, name: `picture${index + 1}.png` }))
  await imageInput(userPage).setInputFiles([
    { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('notes') },
    ...six,
  ])
  await expect(userPage.getByText('“notes.txt” isn’t an image.', { exact: true })).toBeVisible()
  await expect(userPage.getByText('A message can have at most 5 images.', { exact: true })).toBeVisible()
  await expect(selectedImages(userPage).getByRole('img')).toHaveCount(5)
})
