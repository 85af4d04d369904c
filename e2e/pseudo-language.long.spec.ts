import type { Page } from '@playwright/test'
import { createConversation, sendMessage } from './support/conversations.ts'
import { expect, test } from './support/fixtures.ts'
import { upload } from './support/library.ts'
import { findUntranslatedTexts, usePseudoLanguage } from './support/pseudo-language.ts'
import { findOverflows } from './support/screens.ts'

// separate server, because the names of other tests' accounts would count as untranslated
test.use({ serverEnvironment: { ASSISTANT_NAME: 'Mira' } })

/**
 * Texts that are the same in every language: names, words of users and models, formats, and codes for administrators.
 */
const untranslatable = [
  /^(Mira|Ada|ada|admin|\S+@\S+|harbour(\.txt)?|A short title|Hello there)$/,
  /^· +· \w+Agent · [\d,]+ m?s$/,
  /^\w+Agent$/,
  /^(\w{2,4}, )+\w{2,4}$/,
  /^(embedded|node|disk|pg-boss|linux x64|arm64|https?:\/\/\S*|MIT|Apache-2\.0|[a-z]+(-[a-z]+)+|\w+-?\w*\/[\w.-]+)$/,
  /^(remote|built-in|local) · .+$/,
  /^(method|role): \w+$/,
]

/** Texts formatted by the browser in the language: dates, days of the week, months, hours. */
const formattedDates =
  /^(\d\d Uhr|\d+\. \w+\.?|(Mon|Diens|Donners|Frei|Sams|Sonn)tag|Mittwoch|\p{L}+ 20\d\d|harbour · \d+\.\d+\.20\d\d)$/u

const isAllowed = (text: string) => [...untranslatable, formattedDates].some((pattern) => pattern.test(text))

async function checkScreen(page: Page, where: string): Promise<string[]> {
  await expect(page.locator('main')).toContainText('⟦')
  await expect(page.locator('main').locator('[aria-busy=true], .animate-pulse')).toHaveCount(0)
  const untranslated = (await findUntranslatedTexts(page)).filter((text) => !isAllowed(text))
  const faults = [
    ...untranslated.map((text) => `untranslated: “${text}”`),
    ...(await findOverflows(page)).map((one) => `${one} overflows`),
  ]
  return faults.map((one) => `${where}: ${one}`)
}

test('every screen takes all its texts from the message files, and has room for longer ones', async ({
  server,
  openPageAs,
}) => {
  const permissions = { can_chat: true, can_upload: true, can_use_voice: true, can_use_agents: true }
  const account = await server.createAccount({ role: 'admin', username: 'ada', full_name: 'Ada', ...permissions })
  await createConversation(server, account, 'harbour')
  await sendMessage(server, account, 'harbour')
  await server.call('POST', '/agents/CalculatorAgent/run', { token: account.token, body: { input: '6 * 7' } })
  await upload(server, account, 'harbour.txt', 'harbour')

  const page = await openPageAs(account)
  await page.setViewportSize({ width: 390, height: 800 })
  await usePseudoLanguage(page)
  const faults: string[] = []
  for (const screen of ['/chat', '/agents', '/upload', '/gallery', '/effects', '/memory', '/dashboard', '/admin']) {
    await page.goto(screen)
    await expect(page.locator('html')).toHaveAttribute('lang', 'de')
    if (screen !== '/dashboard' && screen !== '/admin') {
      faults.push(...(await checkScreen(page, screen)))
      continue
    }
    const bar = page.getByRole('tablist').first()
    await expect(bar).toBeVisible()
    for (const tab of await bar.getByRole('tab').all()) {
      const name = (await tab.textContent()) ?? ''
      await tab.click()
      await expect(page.getByRole('tabpanel', { name, exact: true })).not.toBeEmpty()
      faults.push(...(await checkScreen(page, `${screen}, ${name}`)))
    }
  }
  expect([...new Set(faults)]).toEqual([])
})
