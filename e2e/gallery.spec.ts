import type { LibraryJson, MediaDetailJson } from '@mira/shared'
import type { Page } from '@playwright/test'
import { expect, expectAccessible, test } from './support/fixtures.ts'
import { mockDetail, mockId, mockLibrary, upload } from './support/library.ts'

const grid = (page: Page) => page.getByRole('grid')
const cards = (page: Page) => grid(page).getByRole('link')
const selectionBar = (page: Page) => page.getByRole('toolbar', { name: 'Selected items' })
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

/** Number of the mock item that has the focus. */
const focusedNumber = (page: Page) =>
  page.evaluate(() => Number((document.activeElement as HTMLElement).dataset.mediaId?.slice(-12) ?? -1))

test.describe('a library of fifty thousand items', () => {
  test('renders few cards however far the user scrolls', async ({ userPage: page }) => {
    const library = await mockLibrary(page, 50_000)
    await page.goto('/gallery')
    await expect(page.getByRole('grid', { name: 'Library, 50,000 items' })).toBeVisible()
    await page.getByRole('button', { name: 'Library stats' }).click()
    await expect(page.getByRole('dialog', { name: 'Library stats' })).toContainText('50,000')
    await page.keyboard.press('Escape')

    const measured = await page.evaluate(async () => {
      const scroller = [...document.querySelectorAll('main div')].find(
        (element) => getComputedStyle(element).overflowY === 'auto' && element.querySelector('[role=grid]'),
      )
      if (!scroller) throw new Error('Nothing scrolls')
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      let maxCards = 0
      let maxElements = 0
      let emptyFrames = 0
      // Scrolling continues only as items load, so this ends with the library or at the test's timeout.
      while (scroller.scrollTop < 30_000) {
        scroller.scrollTop += 400
        await frame()
        const shown = document.querySelectorAll('[role=gridcell] a').length
        maxCards = Math.max(maxCards, shown)
        maxElements = Math.max(maxElements, document.querySelectorAll('*').length)
        if (shown === 0) emptyFrames += 1
      }
      return { maxCards, maxElements, emptyFrames }
    })
    expect(measured.maxCards).toBeLessThan(80)
    expect(measured.maxElements).toBeLessThan(2_500)
    expect(measured.emptyFrames).toBe(0)
    // Each page was requested once, and only as far as the user scrolled; the first, which is requested before the event stream
    // is open, once more if scrolling began only seconds later.
    const calls = library.calls.filter((call) => call.startsWith('GET /media/library'))
    const [first, ...parts] = calls.filter((call, index) => call !== calls[0] || index === 0)
    expect(first).not.toContain('cursor=')
    expect(calls.length - parts.length).toBeLessThanOrEqual(2)
    expect(new Set(parts).size).toBe(parts.length)
    expect(parts.length).toBeGreaterThan(2)
    expect(parts.length).toBeLessThan(29)
    // The day of the visible items stays at the top, with the row of search and filters above it.
    await expect(grid(page).locator('.sticky').getByRole('heading')).toBeInViewport()
    await expect(page.getByRole('searchbox', { name: 'Search the library' })).toBeInViewport()
  })

  test('is navigated by keyboard', async ({ userPage: page }) => {
    await mockLibrary(page, 50_000)
    await page.goto('/gallery')
    await cards(page).first().focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    expect(await focusedNumber(page)).toBe(2)
    await page.keyboard.press('ArrowDown')
    const below = await focusedNumber(page)
    expect(below).toBeGreaterThan(3)
    await page.keyboard.press('ArrowUp')
    expect(await focusedNumber(page)).toBe(2)

    await page.keyboard.press('Space')
    await expect(selectionBar(page)).toContainText('1 item selected')
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('Shift+ArrowRight')
    await expect(selectionBar(page)).toContainText('3 items selected')
    await expect(page.getByRole('gridcell', { selected: true })).toHaveCount(3)
    await page.keyboard.press('Escape')
    await expect(selectionBar(page)).toHaveCount(0)
    await page.keyboard.press('ControlOrMeta+a')
    await expect(selectionBar(page)).toContainText('100 items selected')
    await page.keyboard.press('Escape')

    // To the end of the loaded items, and further as more load.
    await page.keyboard.press('End')
    await expect.poll(() => focusedNumber(page)).toBe(99)
    const goDown = async () => {
      await page.keyboard.press('ArrowDown')
      return focusedNumber(page)
    }
    await expect.poll(goDown).toBeGreaterThan(110)
    const openedNumber = await focusedNumber(page)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(new RegExp(`/gallery/${mockId(openedNumber)}$`))
    await expect(heading(page, `file-${openedNumber}`)).toBeFocused()
    await page.keyboard.press('ArrowRight')
    await expect(heading(page, `file-${openedNumber + 1}`)).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page).toHaveURL(/\/gallery$/)
    await expect.poll(() => focusedNumber(page)).toBe(openedNumber + 1)
    await expect(page.locator(`[data-media-id="${mockId(openedNumber + 1)}"]`)).toBeInViewport()

    await page.keyboard.press('Delete')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete 1 item' }).click()
    await expect(page.locator(`[data-media-id="${mockId(openedNumber + 1)}"]`)).toHaveCount(0)
    await expect.poll(() => focusedNumber(page)).toBe(openedNumber + 2)
  })

  test('is searched and filtered by the server, with the filters in the URL', async ({ userPage: page }) => {
    const library = await mockLibrary(page, 50_000)
    await page.goto('/gallery?type=video')
    await expect(cards(page).first()).toBeVisible()
    expect(library.calls.some((call) => call.includes('media_type=video'))).toBe(true)
    await page.getByRole('searchbox', { name: 'Search the library' }).pressSequentially('red boat')
    await expect(page).toHaveURL(/query=red\+boat/)
    await page.getByRole('combobox', { name: 'Tag' }).selectOption('harbour')
    await page.getByRole('combobox', { name: 'Status' }).selectOption('completed')
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('name')
    await expect(page).toHaveURL(/sort=name/)
    const lastRequest = () => library.calls.findLast((call) => call.includes('/media/library'))
    await expect.poll(lastRequest).toContain('sort=name')
    const last = lastRequest()
    const parameters = Object.fromEntries(new URLSearchParams(last?.split('?')[1]))
    expect(parameters).toEqual({
      query: 'red boat',
      media_type: 'video',
      tag: 'harbour',
      status: 'completed',
      sort: 'name',
      limit: '100',
    })
    // The search was sent after a pause in typing, not letter by letter.
    const queries = library.calls.map((call) => new URLSearchParams(call.split('?')[1]).get('query'))
    expect(queries.filter((query) => query === 'red').length).toBeLessThanOrEqual(1)
    await expect(grid(page).getByRole('heading')).toHaveCount(0)
  })

  test('shows frames of a hovered video, unless data saver is on', async ({ userPage: page }) => {
    const library = await mockLibrary(page, 20)
    const frames = [0, 1, 2].map((number) => ({
      frame_number: number,
      timestamp_seconds: number * 10,
      thumbnail: `/api/media/${mockId(number)}/frames/${number}`,
      caption: null,
      extracted_text: null,
    }))
    library.details.set(3, mockDetail(3, { frames }))
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await page.goto('/gallery')
    const video = page.locator(`[data-media-id="${mockId(3)}"]`)
    await video.hover()
    await expect(video.locator('img[src*="/frames/1"]')).toBeVisible()
    await page.mouse.move(0, 0)
    await expect(video.locator('img[src*="/frames/"]')).toHaveCount(0)

    await page.evaluate(() => localStorage.setItem('settings', JSON.stringify({ dataSaver: true })))
    await page.reload()
    await video.hover()
    await page.waitForTimeout(800)
    await expect(video.locator('img[src*="/frames/"]')).toHaveCount(0)
  })
})

test.describe('deleting', () => {
  test('asks first, moves the items to the trash, and can be undone', async ({ userPage: page }) => {
    const library = await mockLibrary(page, 30)
    const moves = (where: string) => library.calls.filter((call) => call === `POST /media/${where}`).length
    await page.goto('/gallery')
    const boxes = grid(page).getByRole('checkbox')
    await boxes.nth(1).click()
    await boxes.nth(3).click({ modifiers: ['Shift'] })
    await selectionBar(page).getByRole('button', { name: 'Delete 3 items' }).click()
    const question = page.getByRole('alertdialog', { name: 'Delete 3 items?' })
    await expect(question).toContainText('These 3 items move to the trash. You can restore them for 30 days.')
    await question.getByRole('button', { name: 'Cancel' }).click()
    await expect(selectionBar(page)).toContainText('3 items selected')
    expect(moves('trash')).toBe(0)

    await selectionBar(page).getByRole('button', { name: 'Delete 3 items' }).click()
    await question.getByRole('button', { name: 'Delete 3 items' }).click()
    await expect(page.getByText('Moved to trash').first()).toBeVisible()
    await expect(page.locator(`[data-media-id="${mockId(2)}"]`)).toHaveCount(0)
    await expect(page.getByRole('grid', { name: 'Library, 27 items' })).toBeVisible()
    expect([moves('trash'), moves('restore')]).toEqual([1, 0])
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(page.locator(`[data-media-id="${mockId(2)}"]`)).toBeVisible()
    expect(moves('restore')).toBe(1)
  })
})

test.describe('the library', () => {
  test('says why it is empty and links to the upload', async ({ userPage: page }) => {
    await page.goto('/gallery')
    await expect(page.getByRole('heading', { name: 'No media found' })).toBeVisible()
    await expect(page.getByText('You haven’t uploaded anything yet.')).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('main').getByRole('link', { name: 'Upload' }).last().click()
    await expect(page).toHaveURL(/\/upload$/)
    await page.goto('/gallery?type=audio')
    await expect(page.getByText('Nothing in your library matches this search and these filters.')).toBeVisible()
    await page.getByRole('button', { name: 'Show everything' }).click()
    await expect(page).toHaveURL(/\/gallery$/)
  })

  test('can be retried when it fails to load', async ({ userPage: page }) => {
    await page.route(/\/api\/media\/library/, (route) =>
      route.fulfill({ status: 400, json: { detail: 'No', code: 'bad_request' } }),
    )
    await page.goto('/gallery')
    await expect(page.getByText('Couldn’t load')).toBeVisible()
    await page.unroute(/\/api\/media\/library/)
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(page.getByRole('heading', { name: 'No media found' })).toBeVisible()
  })

  test('shows uploads from elsewhere as they happen', async ({ server, account, userPage: page }) => {
    await page.goto('/gallery')
    await expect(page.getByRole('heading', { name: 'No media found' })).toBeVisible()
    await upload(server, account, 'letter.txt', 'Dear neighbours, the garden party begins at noon.')
    await expect(cards(page).filter({ hasText: 'letter.txt' })).toBeVisible()
  })

  test('has items that are opened, captioned, tagged and deleted', async ({ server, account, userPage: page }) => {
    const item = await upload(server, account, 'letter.txt', 'Dear neighbours, the garden party begins at noon.')
    const detail = () => server.call<MediaDetailJson>('GET', `/media/${item.id}`, account)
    await page.goto('/gallery')
    await cards(page).filter({ hasText: 'letter.txt' }).click()
    await expect(heading(page, 'letter.txt')).toBeVisible()
    await expect(page).toHaveTitle(/letter\.txt/)
    await expect(page.getByRole('region', { name: 'Text', exact: true })).toContainText(
      'the garden party begins at noon',
    )

    await page.getByRole('button', { name: 'Edit: Caption' }).click()
    await page.getByRole('textbox', { name: 'Caption' }).fill('Invitation to the garden party')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const caption = page.getByRole('region', { name: 'Caption' })
    await expect(caption).toContainText('Invitation to the garden party')
    await expect(caption).toContainText('Edited by you')
    expect((await detail()).caption).toBe('Invitation to the garden party')

    await page.getByRole('tab', { name: 'Details' }).click()
    await page.getByRole('combobox', { name: 'Add tags' }).fill('garden, Summer')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(page.getByRole('button', { name: 'Remove the tag garden' })).toBeVisible()
    expect([...(await detail()).tags].map((tag) => tag.toLowerCase()).sort()).toEqual(['garden', 'summer'])
    await page.getByRole('tab', { name: 'Processing' }).click()
    await expect(page.getByText('Inspect the file')).toBeVisible()
    await expectAccessible(page)

    await page.getByRole('button', { name: 'Delete item' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete 1 item' }).click()
    await expect(page).toHaveURL(/\/gallery$/)
    await expect(page.getByRole('heading', { name: 'No media found' })).toBeVisible()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(cards(page).filter({ hasText: 'Invitation to the garden party' })).toBeVisible()
    expect((await detail()).id).toBe(item.id)

    await cards(page).first().focus()
    await page.keyboard.press('Delete')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete 1 item' }).click()
    const total = async () => (await server.call<LibraryJson>('GET', '/media/library', account)).total
    await expect.poll(total, { timeout: 9_000 }).toBe(0)
    await page.goto(`/gallery/${item.id}`)
    await expect(page.getByRole('heading', { name: 'This item isn’t available' })).toBeVisible()
  })
})

test('on a phone, images begin near the top, and a long press selects one', async ({ openPageAs, account }) => {
  const page = await openPageAs(account, { hasTouch: true, viewport: { width: 390, height: 844 } })
  await mockLibrary(page, 500)
  await page.goto('/gallery')
  const first = cards(page).first()
  await expect(first).toBeVisible()
  const placeOf = async () => (await first.boundingBox()) ?? { x: 0, y: 844 }
  const { x, y } = await placeOf()
  expect(y).toBeLessThan(250)
  // the focused search field gets the whole row
  const search = page.getByRole('searchbox', { name: 'Search the library' })
  await search.tap()
  await expect.poll(async () => (await search.boundingBox())?.width).toBeGreaterThan(250)
  await search.blur()
  await expect(page.getByRole('combobox', { name: 'Type' })).toBeInViewport()
  await expect.poll(placeOf).toMatchObject({ x, y })

  const devtools = await page.context().newCDPSession(page)
  const touchPoints = [{ x: x + 40, y: y + 60, id: 0 }]
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints })
  await expect(selectionBar(page)).toContainText('1 item selected')
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  // lifting the finger opens nothing, and from now on a tap selects
  await cards(page).nth(1).tap()
  await expect(selectionBar(page)).toContainText('2 items selected')
  await expect(page).toHaveURL(/\/gallery$/)
  await selectionBar(page).getByRole('button', { name: 'Clear selection' }).tap()
  // the same in the corner, where the checkbox appears under the finger
  const corner = [{ x: x + 16, y: y + 16, id: 0 }]
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: corner })
  await expect(selectionBar(page)).toContainText('1 item selected')
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await cards(page).nth(1).tap()
  await expect(selectionBar(page)).toContainText('2 items selected')
  await selectionBar(page).getByRole('button', { name: 'Clear selection' }).tap()
  await first.tap()
  await expect(heading(page, 'file-0')).toBeVisible()
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the gallery fits a phone and is accessible in ${colorScheme}`, async ({ userPage: page }) => {
    await page.setViewportSize({ width: 360, height: 740 })
    await page.emulateMedia({ colorScheme })
    await mockLibrary(page, 500)
    await page.goto('/gallery')
    await expect(cards(page).first()).toBeVisible()
    await grid(page).getByRole('checkbox').first().click()
    await expect(selectionBar(page)).toBeVisible()
    await expectAccessible(page)
    for (const number of [0, 3, 5, 7]) {
      await page.goto(`/gallery/${mockId(number)}`)
      await expect(heading(page, `file-${number}`)).toBeVisible()
      await expectAccessible(page)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    }
  })
}
