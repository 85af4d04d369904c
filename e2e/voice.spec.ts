import type { Page } from '@playwright/test'
import { chromiumLaunchOptions } from './support/browser.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

const chromium = await chromiumLaunchOptions()
// the fake microphone beeps once a second, and its permission is granted without asking
const args = [...chromium.args, '--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']
test.use({ launchOptions: { ...chromium, args } })

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message' })
const microphone = (page: Page) => page.getByRole('button', { name: /^Speak/ })
const bar = (page: Page) => page.getByRole('group', { name: 'Dictation' })
const notice = (page: Page) => page.getByRole('region', { name: /^Messages \(/ })

/** Waits long enough for a beep. */
const hearsSomething = (page: Page) => expect(bar(page)).toContainText(/0:0[2-9]/)

test('speech is transcribed into the message, a recording can be saved, and an answer can be read aloud', async ({
  userPage: page,
  server,
  account,
}) => {
  server.openAi.transcriptions = { segments: [{ start: 0, end: 1, text: 'Remember the lighthouse.' }] }
  await page.goto('/chat')

  await composer(page).fill('Please:')
  await microphone(page).click()
  await hearsSomething(page)
  await expect(bar(page).getByRole('img', { name: 'Volume' })).toBeVisible()
  await expectAccessible(page)
  await bar(page).getByRole('button', { name: 'Done' }).click()
  await expect(composer(page)).toHaveValue('Please: Remember the lighthouse.')
  await expect(composer(page)).toBeFocused()
  const transcriptionRequests = server.openAi.requests.filter(({ path }) => path === '/v1/audio/transcriptions')
  expect(transcriptionRequests.map(({ body }) => body.language)).toEqual(['en'])

  // started by keyboard, and cancelled
  await microphone(page).press('Enter')
  await expect(bar(page).getByRole('button', { name: 'Done' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(bar(page)).toBeHidden()
  await expect(composer(page)).toHaveValue('Please: Remember the lighthouse.')

  // the button is held, and released
  await microphone(page).hover()
  await page.mouse.down()
  await hearsSomething(page)
  await page.mouse.up()
  await expect(composer(page)).toHaveValue('Please: Remember the lighthouse. Remember the lighthouse.')

  await microphone(page).click()
  await hearsSomething(page)
  await bar(page).getByRole('button', { name: 'Save to your memory as a voice note' }).click()
  await expect(notice(page)).toContainText('Voice note saved')
  const library = await server.call<{ media_items: { media_type: string; metadata: { original_filename: string } }[] }>(
    'GET',
    '/media/library',
    account,
  )
  expect(library.media_items).toMatchObject([
    { media_type: 'audio', metadata: { original_filename: expect.stringMatching(/^Voice note .*\.webm$/) } },
  ])

  server.openAi.when('Please', { text: `## Hello\n\n${'It is **bright** today. '.repeat(60)}` })
  await composer(page).press('Enter')
  const answer = page.getByRole('article', { name: 'Answer from Mira' })
  await answer.getByRole('button', { name: 'Read aloud' }).click()
  // Stopping earlier may cancel the request before it's sent.
  await expect
    .poll(() => server.openAi.requests.filter(({ path }) => path === '/v1/audio/speech').map(({ body }) => body.input))
    .toEqual(expect.arrayContaining([expect.stringMatching(/^Hello\.\nIt is bright today\. It is/)]))
  await answer.getByRole('button', { name: 'Stop reading' }).click()
  await expect(answer.getByRole('button', { name: 'Read aloud' })).toBeVisible()
})

test('the microphone stays off when its button is released before the engine is known', async ({ userPage: page }) => {
  await page.addInitScript(() => {
    const devices = navigator.mediaDevices
    const getUserMedia = devices.getUserMedia.bind(devices)
    devices.getUserMedia = (constraints) => {
      document.documentElement.dataset.hasAsked = 'yes'
      return getUserMedia(constraints)
    }
  })
  let configReleased = Promise.resolve()
  let isUnavailable = true
  await page.route('**/api/config', async (route) => {
    const response = await route.fetch()
    const config = await response.json()
    if (isUnavailable) config.capabilities.transcription = false
    isUnavailable = true
    await configReleased
    await route.fulfill({ response, json: config })
  })
  /** Presses the button, calls `act`, and only then lets the server report its engine. */
  const pressAnd = async (act: () => Promise<void>) => {
    await page.goto('/chat')
    await expect(composer(page)).toBeVisible()
    const configGate = Promise.withResolvers<void>()
    configReleased = configGate.promise
    isUnavailable = false
    await microphone(page).hover()
    await page.mouse.down()
    await act()
    const configResponse = page.waitForResponse('**/api/config')
    configGate.resolve()
    await (await configResponse).finished()
    await page.evaluate(() => fetch('/api/config'))
  }
  const hasAsked = () => page.locator('html[data-has-asked]').count()

  await pressAnd(async () => {
    const pressedAt = await page.evaluate(() => performance.now())
    await page.waitForFunction((moment) => performance.now() > moment + 500, pressedAt)
    await page.mouse.up()
  })
  expect(await hasAsked()).toBe(0)
  await pressAnd(() => page.mouse.up())
  await expect.poll(hasAsked).toBe(1)
})

test('an engine that was unavailable when the page was opened is used as soon as it is available', async ({
  userPage: page,
}) => {
  let isUnavailable = true
  await page.route('**/api/config', async (route) => {
    const response = await route.fetch()
    const config = await response.json()
    if (isUnavailable) config.capabilities.transcription = false
    await route.fulfill({ response, json: config })
  })
  await page.goto('/chat')
  await expect(composer(page)).toBeVisible()
  isUnavailable = false
  await microphone(page).click()
  await expect(bar(page).getByRole('img', { name: 'Volume' })).toBeVisible()
  await page.keyboard.press('Escape')
})

test('a denied and a missing microphone are explained', async ({ userPage: page }) => {
  await page.goto('/chat')
  for (const [refusal, sentence] of [
    ['NotAllowedError', 'Microphone access isn’t allowed'],
    ['NotFoundError', 'No microphone was found'],
  ] as const) {
    await page.evaluate((name) => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', name))
    }, refusal)
    await microphone(page).click()
    await expect(notice(page)).toContainText(sentence)
  }
  await expect(bar(page)).toBeHidden()
})

test('without an engine, the browser’s own speech functions are used once the user has agreed', async ({
  userPage: page,
}) => {
  await page.route('**/api/config', async (route) => {
    const response = await route.fetch()
    const config = await response.json()
    Object.assign(config.capabilities, { transcription: false, speech: false })
    await route.fulfill({ response, json: config })
  })
  await page.addInitScript(() => {
    class Recogniser {
      onresult?: (event: object) => void
      onend?: () => void
      start() {}
      stop() {
        this.onresult?.({ results: [[{ transcript: 'Said to the browser' }]] })
        this.onend?.()
      }
      abort() {
        this.onend?.()
      }
    }
    Object.assign(window, { webkitSpeechRecognition: Recogniser, SpeechRecognition: undefined })
  })
  await page.goto('/chat')
  await microphone(page).click()
  await expect(page.getByRole('alertdialog')).toContainText('it may send what you say to the company that makes it')
  await page.getByRole('button', { name: 'Use it' }).click()
  await bar(page).getByRole('button', { name: 'Done' }).click()
  await expect(composer(page)).toHaveValue('Said to the browser')
  // the user is asked only once
  await microphone(page).click()
  await expect(bar(page)).toBeVisible()
  await page.keyboard.press('Escape')

  await composer(page).press('Enter')
  // this browser has no voices
  await page.getByRole('button', { name: 'Read aloud' }).click()
  await expect(notice(page)).toContainText('this browser has no voice of its own')

  await page.evaluate(() => Object.assign(window, { webkitSpeechRecognition: undefined }))
  await microphone(page).click()
  await expect(notice(page)).toContainText('Speech can’t be transcribed here')
})

test('users without the voice permission see no microphone', async ({ server, openPageAs }) => {
  const page = await openPageAs(await server.createAccount({ can_use_voice: false }))
  await page.goto('/chat')
  await expect(composer(page)).toBeVisible()
  await expect(microphone(page)).toHaveCount(0)
})
