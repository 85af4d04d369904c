// `npm run screenshots`: takes the screenshots of the README, on a separate server without a model.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { textPdf } from '../apps/api/test/pdf-files.ts'
import { drawSignPhoto, textImage } from '../apps/api/test/written-pictures.ts'
import { chromiumLaunchOptions } from '../e2e/support/browser.ts'
import { startTestServer } from '../e2e/support/server.ts'

const root = join(import.meta.dirname, '..')
const sharp = createRequire(join(root, 'apps/api/package.json'))('sharp')
const MAX_BYTES = 200_000
const size = { width: 1280, height: 900 }

/** A drawn landscape in place of a photo; the number determines its colours and shapes. */
function landscape(number) {
  const [width, height] = number % 3 === 0 ? [900, 1200] : [1400, 1000]
  const hue = (number * 67 + 190) % 360
  const peak = 38 + ((number * 13) % 20)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 100 100" preserveAspectRatio="xMidYMid slice">
    <defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="hsl(${hue} 55% 62%)"/><stop offset="1" stop-color="hsl(${(hue + 30) % 360} 70% 88%)"/></linearGradient></defs>
    <rect width="100" height="100" fill="url(#sky)"/><circle cx="${20 + ((number * 17) % 60)}" cy="26" r="7" fill="hsl(45 90% 85%)"/>
    <path d="M0 70 L22 ${peak} L40 62 L63 ${peak - 6} L84 60 L100 48 V100 H0Z" fill="hsl(${(hue + 60) % 360} 28% 46%)"/>
    <path d="M0 82 Q25 ${66 + (number % 7)} 50 78 T100 74 V100 H0Z" fill="hsl(${(hue + 90) % 360} 32% 32%)"/></svg>`
  return sharp(Buffer.from(svg)).jpeg({ quality: 85 }).toBuffer()
}

/** Sample documents and pictures of a household, with their file names. */
async function householdFiles() {
  const page = { width: 1000, height: 640 }
  const sheet = { width: 595, height: 380 }
  const letter = [
    'Dear Anna,',
    'the rent for your flat rises',
    'to 950 euros in October.',
    'Kind regards, Walter Brandt',
  ]
  const boiler = [
    'Service report for the gas boiler',
    'The boiler was serviced on 14 March 2026.',
    'The next service is due in March 2027.',
    'Invoice: 189 euros, paid by transfer.',
  ]
  const lease = [
    'Lease for the bicycle cellar',
    'The deposit of 60 euros is returned',
    'when both keys are handed back.',
  ]
  const names = [
    'lake.jpg',
    'ridge.jpg',
    'valley.jpg',
    'morning.jpg',
    'harbour.jpg',
    'dunes.jpg',
    'hike.jpg',
    'evening.jpg',
  ]
  const photos = await Promise.all(names.map(async (name, index) => [name, await landscape(index + 1)]))
  return [
    ['letter-from-the-landlord.png', await textImage(letter, page)],
    ['boiler-service.pdf', await textPdf([{ lines: boiler, fontSize: 22, ...sheet }])],
    ...photos,
    ['bicycle-cellar.pdf', await textPdf([{ lines: lease, fontSize: 24, ...sheet }])],
    ['bakery.jpg', await drawSignPhoto('Bakery Lindner')],
  ]
}

async function upload(server, { token }, name, content) {
  const form = new FormData()
  form.append('file', new Blob([content]), name)
  form.append('wait', '30')
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${server.url}/api/media/upload`, { method: 'POST', headers, body: form })
  if (!response.ok) throw new Error(`${name} was refused: ${await response.text()}`)
}

/** Takes a screenshot once pictures are loaded and animations have ended. @throws Error when it's too large for a README. */
async function take(page, name) {
  await page.waitForFunction(() =>
    [...document.images].every(({ complete, naturalWidth }) => complete && naturalWidth > 0),
  )
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'))
  const filename = join(root, 'docs/pictures', `${name}.png`)
  const { size: bytes } = await sharp(await page.screenshot())
    .png({ palette: true, quality: 85, effort: 10 })
    .toFile(filename)
  if (bytes > MAX_BYTES) throw new Error(`${filename} has ${bytes} bytes, more than ${MAX_BYTES}`)
  console.info(`docs/pictures/${name}.png  ${Math.round(bytes / 1000)} kB`)
}

const server = await startTestServer({ OPENAI_BASE_URL: '', OPENAI_API_KEY: '', CHAT_MODEL: '' })
const browser = await chromium.launch(await chromiumLaunchOptions())
try {
  const account = await server.createAccount({ username: 'anna', full_name: 'Anna Berger' })
  for (const [name, content] of await householdFiles()) await upload(server, account, name, content)
  const context = await browser.newContext({
    viewport: size,
    locale: 'en-US',
    timezoneId: 'UTC',
    storageState: {
      cookies: [],
      origins: [{ origin: server.url, localStorage: [{ name: 'token', value: account.token }] }],
    },
  })
  const page = await context.newPage()

  await page.goto(`${server.url}/chat`)
  await page.getByRole('textbox', { name: 'Message' }).fill('When is the next service of the boiler due?')
  await page.keyboard.press('Enter')
  await page.getByText('boiler-service.pdf').first().waitFor()
  await page.getByRole('button', { name: /Copy/ }).first().waitFor()
  await take(page, 'chat')

  await page.goto(`${server.url}/memory`)
  await page.getByRole('combobox', { name: 'What are you looking for?' }).fill('euros')
  await page.getByRole('button', { name: 'Search Memory' }).click()
  await page.getByRole('region', { name: /^Search Results/ }).waitFor()
  await take(page, 'memory')

  await page.goto(`${server.url}/gallery`)
  await page
    .getByRole('link', { name: /lake\.jpg/ })
    .first()
    .waitFor()
  await take(page, 'gallery')
} finally {
  await browser.close()
  await server.stop()
}
