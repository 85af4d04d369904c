import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page, Request } from '@playwright/test'
import { encodeWav } from '../apps/api/src/parsers/audio/wav.ts'
import { chromiumLaunchOptions } from './support/browser.ts'
import { answers, composer, questions } from './support/chat-page.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

const SAMPLE_RATE = 16_000
const WAV_HEADER_BYTES = 44
const SILENCE_SECONDS = { before: 1, after: 8 }

/** File that the fake microphone plays in a loop: a sentence spoken by espeak-ng, with silence around it. */
function makeMicrophoneFile(): string {
  const spoken = readFileSync(new URL('support/speech.wav', import.meta.url)).subarray(WAV_HEADER_BYTES)
  const samples = new Int16Array(Uint8Array.from(spoken).buffer)
  const { before, after } = SILENCE_SECONDS
  const padded = new Int16Array(samples.length + (before + after) * SAMPLE_RATE)
  padded.set(samples, before * SAMPLE_RATE)
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'mira-speech-')), 'heard.wav')
  writeFileSync(file, encodeWav(padded, SAMPLE_RATE))
  return file
}

declare global {
  interface Window {
    /** Number of open microphones, and of sounds being played. */
    soundsOfTest: () => { listening: number; speaking: number }
  }
}

/** Runs in the page and tracks opened microphones and played sounds. */
function countSounds() {
  const tracks: MediaStreamTrack[] = []
  const players = new Set<HTMLMediaElement>()
  const devices = navigator.mediaDevices
  const open = devices.getUserMedia.bind(devices)
  devices.getUserMedia = async (constraints) => {
    const stream = await open(constraints)
    tracks.push(...stream.getTracks())
    return stream
  }
  const { play } = HTMLMediaElement.prototype
  HTMLMediaElement.prototype.play = function () {
    players.add(this)
    return play.call(this)
  }
  window.soundsOfTest = () => ({
    listening: tracks.filter(({ readyState }) => readyState === 'live').length,
    speaking: [...players].filter(({ paused }) => !paused).length,
  })
}

const chromium = await chromiumLaunchOptions()
const args = [
  ...chromium.args,
  // a headless browser can't ask the user
  '--use-fake-ui-for-media-stream',
  '--use-fake-device-for-media-stream',
  `--use-file-for-fake-audio-capture=${makeMicrophoneFile()}`,
  '--autoplay-policy=no-user-gesture-required',
]
test.use({ launchOptions: { ...chromium, args } })

const bar = (page: Page) => page.getByRole('group', { name: 'Voice chat with Mira' })
const step = (page: Page) => bar(page).getByRole('status')

for (const colorScheme of ['light', 'dark'] as const) {
  test(`a voice chat works in the ${colorScheme} theme`, async ({ userPage: page, server }) => {
    test.slow()
    await page.emulateMedia({ colorScheme })
    await page.addInitScript(countSounds)
    server.openAi.transcriptions = { segments: [{ start: 0, end: 2, text: 'Which river is the longest?' }] }
    // long enough to be still read aloud when the sentence is repeated
    server.openAi.when('Which river', { text: 'The Tagus is the longest river. '.repeat(40), delayMs: 100 })
    const sounds = () => page.evaluate(() => window.soundsOfTest())
    await page.goto('/chat')
    await page.getByRole('button', { name: 'Voice chat' }).click()
    await expect(step(page)).toHaveText(/Listening|Hearing/)
    await expectAccessible(page)

    await expect(questions(page).first()).toContainText('Which river is the longest?')
    await expect(step(page)).toHaveText('Mira is speaking')
    await expect.poll(sounds).toEqual({ listening: 1, speaking: 1 })
    await expectAccessible(page)
    // the rest is the same in both themes
    if (colorScheme === 'dark') return
    const spokenTexts = () =>
      server.openAi.requests
        .filter(({ path: requestPath }) => requestPath === '/v1/audio/speech')
        .map(({ body }) => body.input)
    // sentence by sentence, while the answer is being written
    expect(spokenTexts()[0]).toMatch(/^The Tagus is the longest river\./)
    expect(spokenTexts()[0]?.length).toBeLessThan(200)

    // the sentence is repeated during the answer
    await expect(step(page)).toHaveText('Hearing you…', { timeout: 30_000 })
    await expect.poll(sounds).toEqual({ listening: 1, speaking: 0 })
    const released = Promise.withResolvers<void>()
    server.openAi.speech = { until: released.promise }
    const countBefore = spokenTexts().length
    await expect(questions(page)).toHaveCount(2, { timeout: 30_000 })
    await expect(answers(page).first()).toContainText('[Interrupted]')
    await expect(step(page)).toHaveText('Mira is speaking', { timeout: 30_000 })

    // a sentence is being synthesised when the voice chat ends
    await expect.poll(() => spokenTexts().length).toBe(countBefore + 1)
    const isSentence = (request: Request) => request.url().endsWith('/api/voice/speak')
    const hasArrived = Promise.race([
      page.waitForEvent('requestfinished', isSentence),
      page.waitForEvent('requestfailed', isSentence),
    ])
    await bar(page).getByRole('button', { name: 'End' }).click()
    await expect(bar(page)).toBeHidden()
    await expect(composer(page)).toBeVisible()
    released.resolve()
    server.openAi.speech = {}
    await hasArrived
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    // the microphone is off and nothing is played
    await expect.poll(sounds).toEqual({ listening: 0, speaking: 0 })
    expect(spokenTexts()).toHaveLength(countBefore + 1)
    await expect(questions(page)).toHaveCount(2)
  })
}

test('a denied microphone ends the voice chat before it starts, with a message', async ({ userPage: page }) => {
  await page.addInitScript(() => {
    navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'))
  })
  await page.goto('/chat')
  await page.getByRole('button', { name: 'Voice chat' }).click()
  await expect(page.getByRole('region', { name: /^Messages \(/ })).toContainText('Microphone access isn’t allowed')
  await expect(bar(page)).toBeHidden()
  await expect(composer(page)).toBeVisible()
})
