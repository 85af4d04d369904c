import { Buffer } from 'node:buffer'
import type { MediaDetailJson } from '@mira/shared'
import type { Page } from '@playwright/test'
import { expect, expectAccessible, test } from './support/fixtures.ts'
import { mockDetail, mockId, mockLibrary, upload } from './support/library.ts'

test.describe('an item', () => {
  test('returns to the caption of the engine when a correction is undone', async ({
    server,
    account,
    userPage: page,
  }) => {
    await page.goto('/gallery')
    const item = await upload(server, account, 'blue.png', await drawPicture(page))
    await page.goto(`/gallery/${item.id}`)
    const caption = page.getByRole('region', { name: 'Caption' })
    await caption.getByRole('button', { name: 'Edit: Caption' }).click()
    await page.getByRole('textbox', { name: 'Caption' }).fill('A blue wall')
    await page.keyboard.press('ControlOrMeta+Enter')
    await expect(caption).toContainText('Edited by you')
    await caption.getByRole('button', { name: 'Undo my edit' }).click()
    await expect(caption).not.toContainText('Edited by you')
    const detail = await server.call<MediaDetailJson>('GET', `/media/${item.id}`, account)
    expect(detail.locked).toEqual([])
    expect(detail.caption).not.toBe('A blue wall')
  })

  test('offers to undo corrections of a sentence and of a page in place', async ({ userPage: page }) => {
    const library = await mockLibrary(page, 20)
    const sentence = { id: mockId(900), start: 4, end: 9, text: 'Mind the step.', is_locked: true }
    const unlocked = { ...sentence, id: mockId(901), start: 9, is_locked: false }
    library.details.set(7, mockDetail(7, { segments: [sentence, unlocked], duration: 60 }))
    const noPicture = { thumbnail: null, width: null, height: null }
    library.details.set(
      5,
      mockDetail(5, {
        pages: [
          { page: 1, title: null, text: 'Mine.', ...noPicture, is_locked: true },
          { page: 2, title: null, text: 'Read.', ...noPicture, is_locked: false },
        ],
      }),
    )
    const changes: unknown[] = []
    await page.route(/\/api\/media\/[0-9a-f-]{36}$/, (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback()
      changes.push(route.request().postDataJSON())
      return route.fulfill({ json: mockDetail(7) })
    })
    const undo = page.getByRole('button', { name: /Undo my edit/ })
    await page.goto(`/gallery/${mockId(7)}`)
    await expect(undo).toHaveAccessibleName('Undo my edit at 0:04')
    await undo.click()
    await expect.poll(() => changes).toEqual([{ segments: [{ id: sentence.id, text: null }] }])
    await page.goto(`/gallery/${mockId(5)}`)
    await undo.click()
    await expect.poll(() => changes[1]).toEqual({ pages: [{ page: 1, text: null }] })
    await page.goto(`/gallery/${mockId(5)}?page=2`)
    await expect(page.getByRole('region', { name: 'Text of page 2' })).toBeVisible()
    await expect(undo).toBeHidden()
  })

  test('gets a suggested tag with one click', async ({ userPage: page }) => {
    const library = await mockLibrary(page, 20)
    library.details.set(1, mockDetail(1, { tags: ['ferry'], suggested_tags: ['harbour'] }))
    await page.route(/\/api\/media\/[0-9a-f-]{36}$/, (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback()
      const { tags } = route.request().postDataJSON()
      library.details.set(1, mockDetail(1, { tags }))
      return route.fulfill({ json: mockDetail(1, { tags }) })
    })
    await page.goto(`/gallery/${mockId(1)}`)
    const suggestion = page.getByRole('button', { name: 'Add the suggested tag harbour' })
    await expect(suggestion).toBeVisible()
    await expect(page.locator('img').first()).toBeVisible()
    await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)))
    await expectAccessible(page)
    await suggestion.click()
    await expect(page.getByRole('button', { name: 'Remove the tag harbour' })).toBeVisible()
    await expect(page.getByRole('list', { name: 'Suggested' })).toBeHidden()
  })

  test('of type image shows where its words are, and can be zoomed', async ({ userPage: page }) => {
    const library = await mockLibrary(page, 20)
    library.details.set(
      0,
      mockDetail(0, {
        extracted_text: 'FERRY at noon',
        words: [
          { text: 'FERRY', box: [0.2, 0.2, 0.3, 0.1], confidence: 0.9 },
          { text: 'noon', box: [0.2, 0.4, 0.2, 0.1], confidence: 0.9 },
        ],
      }),
    )
    await page.goto(`/gallery/${mockId(0)}`)
    const boxes = page.getByTestId('words').locator('rect')
    await expect(page.getByTestId('words').locator('text')).toHaveCount(2)
    await expect(boxes).toHaveCount(0)
    await page.getByRole('button', { name: 'Show text regions' }).click()
    await expect(boxes).toHaveCount(2)
    const picture = page.getByRole('group', { name: /Picture/ })
    const widthOf = () => picture.evaluate((element) => element.scrollWidth)
    const fittedWidth = await widthOf()
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await page.getByRole('button', { name: 'Zoom in' }).click()
    expect(await widthOf()).toBeGreaterThan(fittedWidth * 1.6)
    // Arrow keys now pan the image instead of opening the next item.
    await picture.press('ArrowRight')
    await expect(page).toHaveURL(new RegExp(mockId(0)))
    await picture.press('0')
    expect(await widthOf()).toBe(fittedWidth)

    // A link from the search highlights the matching words.
    await page.goto(`/gallery/${mockId(0)}?q=ferry`)
    await expect(page.locator('mark')).toHaveText('FERRY')
  })

  test('of type image is zoomed by pinch and double tap, and left by a swipe', async ({ openPageAs, account }) => {
    const page = await openPageAs(account, { hasTouch: true, viewport: { width: 390, height: 800 } })
    await mockLibrary(page, 20)
    await page.goto(`/gallery/${mockId(0)}`)
    const picture = page.getByRole('group', { name: /Picture/ })
    await expect(picture.getByRole('img')).toBeVisible()
    const { x, y, width, height } = (await picture.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    const middle = { x: x + width / 2, y: y + height / 2 }
    const devtools = await page.context().newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...places: number[]) =>
      devtools.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: places.map((place, id) => ({ x: middle.x + place, y: middle.y, id })),
      })
    await touch('touchStart', -30, 30)
    await touch('touchMove', -60, 60)
    await touch('touchMove', -90, 90)
    await touch('touchEnd')
    await expect(page.getByRole('status').filter({ hasText: '%' })).toHaveText('300%')
    // the page itself isn't zoomed, and panning doesn't leave the item
    expect(await page.evaluate(() => visualViewport?.scale)).toBe(1)
    await touch('touchStart', 60)
    await touch('touchMove', -60)
    await touch('touchEnd')
    await expect(page).toHaveURL(new RegExp(mockId(0)))

    await picture.press('0')
    for (const type of ['touchStart', 'touchEnd', 'touchStart', 'touchEnd'] as const) {
      if (type === 'touchStart') await touch(type, 0)
      else await touch(type)
    }
    await expect(page.getByRole('status').filter({ hasText: '%' })).toHaveText('200%')

    await picture.press('0')
    await touch('touchStart', 60)
    await touch('touchMove', -60)
    await touch('touchEnd')
    await expect(page).toHaveURL(new RegExp(mockId(1)))
  })

  test('of type audio highlights the current sentence and jumps to others', async ({ userPage: page }) => {
    const library = await mockLibrary(page, 20)
    const segments = [
      'Good morning.',
      'The ferry leaves at noon.',
      'Mind the step.',
      'Coffee on deck.',
      'Goodbye.',
    ].map((text, index) => ({
      id: mockId(900 + index),
      start: index * 10,
      end: index * 10 + 9,
      text,
      is_locked: false,
    }))
    library.details.set(7, mockDetail(7, { segments, duration: 60, waveform: [0.1, 0.9, 0.4, 0.7] }))
    await page.route(/\/api\/media\/[^/]+\/file/, (route) =>
      route.fulfill(partOf(silence(60), route.request().headers().range)),
    )
    await page.goto(`/gallery/${mockId(7)}?t=12`)
    const position = page.getByRole('slider', { name: 'Position in the recording' })
    const current = page.getByRole('region', { name: 'Transcript' }).locator('li[aria-current]')
    await expect(position).toHaveAttribute('aria-valuenow', '12')
    await expect(current).toContainText('The ferry leaves at noon.')
    await position.press('PageUp')
    await expect(position).toHaveAttribute('aria-valuetext', '0:42 of 1:00')
    await expect(current).toContainText('Goodbye.')
    await page.getByRole('button', { name: '0:20 Mind the step.' }).click()
    await expect(current).toContainText('Mind the step.')
    const playsFrom20 = () =>
      page.locator('audio').evaluate((audio: HTMLAudioElement) => !audio.paused && Math.floor(audio.currentTime / 10))
    await expect.poll(playsFrom20).toBe(2)

    await page.getByRole('searchbox', { name: 'Search in the transcript' }).fill('ferry')
    await expect(page.getByText('1 sentence found')).toBeVisible()
    await expect(page.getByRole('region', { name: 'Transcript' }).getByRole('listitem')).toHaveCount(1)
  })

  test('has a readable name on a phone', async ({ userPage: page }) => {
    const library = await mockLibrary(page, 20)
    const detail = mockDetail(0)
    const name = 'holiday-in-santander-1.jpg'
    library.details.set(0, { ...detail, metadata: { ...detail.metadata, original_filename: name } })
    await page.goto(`/gallery/${mockId(0)}`)
    await expect(page.getByRole('button', { name: 'Media', exact: true })).toHaveAttribute('aria-current', 'true')
    await page.setViewportSize({ width: 360, height: 740 })
    const heading = page.getByRole('heading', { level: 1, name })
    await expect(heading).toBeVisible()
    expect(await heading.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    await page.getByRole('button', { name: 'Next item' }).click()
    await expect(page).toHaveURL(new RegExp(mockId(1)))
  })

  test('of type document opens at the page in the link', async ({ userPage: page }) => {
    const library = await mockLibrary(page, 20)
    const pages = [1, 2, 3].map((number) => ({
      page: number,
      title: null,
      text: `Paragraph ${number} about the garden.`,
      thumbnail: `/api/media/${mockId(number)}/pages/${number}`,
      width: 595,
      height: 842,
      is_locked: false,
    }))
    library.details.set(5, mockDetail(5, { pages }))
    await page.goto(`/gallery/${mockId(5)}?page=2&q=garden`)
    await expect(page.getByText('Page 2 of 3')).toBeVisible()
    await expect(page.getByRole('region', { name: 'Text of page 2' })).toContainText('Paragraph 2')
    await expect(page.locator('mark')).toHaveText('garden')
    await page.getByRole('toolbar', { name: 'Pages' }).getByRole('button', { name: 'Page 2' }).press('ArrowRight')
    await expect(page.getByText('Page 3 of 3')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Next page' })).toBeDisabled()
    await expect(page).toHaveURL(new RegExp(mockId(5)))
  })
})

/** PNG file drawn in the browser. */
async function drawPicture(page: Page): Promise<Buffer<ArrayBuffer>> {
  const base64 = await page.evaluate(() => {
    const canvas = document.createElement('canvas')
    canvas.width = 640
    canvas.height = 480
    const context = canvas.getContext('2d')
    if (!context) throw new Error('There is no canvas')
    context.fillStyle = 'steelblue'
    context.fillRect(0, 0, 640, 480)
    return canvas.toDataURL('image/png').split(',')[1] ?? ''
  })
  return Buffer.from(base64, 'base64')
}

/** Response to a range request for a file. */
function partOf(file: Buffer, range: string | undefined) {
  const first = Number(/bytes=(\d+)/.exec(range ?? '')?.[1] ?? 0)
  return {
    status: 206,
    contentType: 'audio/wav',
    headers: {
      'accept-ranges': 'bytes',
      'content-range': `bytes ${first}-${file.length - 1}/${file.length}`,
    },
    body: file.subarray(first),
  }
}

/** Silent WAV file. */
function silence(seconds: number): Buffer {
  const rate = 8_000
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + seconds * rate, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate, 28)
  header.writeUInt16LE(1, 32)
  header.writeUInt16LE(8, 34)
  header.write('data', 36)
  header.writeUInt32LE(seconds * rate, 40)
  return Buffer.concat([header, Buffer.alloc(seconds * rate, 128)])
}
