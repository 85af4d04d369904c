import type { Page } from '@playwright/test'
import { createConversation, sendMessage } from './support/conversations.ts'
import { expect, test } from './support/fixtures.ts'
import { upload } from './support/library.ts'
import { findOverflows } from './support/screens.ts'
import type { Account, TestServer } from './support/server.ts'

const languages = ['en', 'es', 'fr', 'de']
const WIDTH = 360

const everyPermission = { can_chat: true, can_upload: true, can_use_voice: true, can_use_agents: true }

/**
 * Roles with their number of dashboard tabs. Administrators see all tabs of the others and the admin panel, so the others are
 * checked only in the language with the longest words.
 */
const cases = [
  { who: 'an administrator', role: 'admin', tabs: 7, languages },
  { who: 'a user', role: 'user', tabs: 6, languages: ['de'] },
  { who: 'a guest', role: 'guest', tabs: 6, languages: ['de'] },
] as const

/** Creates content for every tab, with words that are too long for a line. */
async function createContent(server: TestServer, account: Account): Promise<void> {
  const { token } = account
  await createConversation(server, account, 'A conversation with a name that is far too long for a narrow window')
  await sendMessage(server, account, `A question with a word that is long: ${'x'.repeat(120)}`)
  await server.call('POST', '/agents/CalculatorAgent/run', { token, body: { input: '6 * 7' } })
  await upload(server, account, `${'a_very_long_name_without_any_gap_'.repeat(3)}.txt`, 'The harbour opens at nine.')
  await server.call('GET', `/media/search?query=${'harbour'.repeat(12)}`, { token })
}

/** Opens each tab and returns its faults. */
async function checkTabs(page: Page, tabs: number, language: string): Promise<string[]> {
  const faults: string[] = []
  // a tab may contain further tabs
  const bar = page.getByRole('tablist').first()
  await expect(page.locator('html')).toHaveAttribute('lang', language)
  await expect(bar.getByRole('tab')).toHaveCount(tabs)
  for (const tab of await bar.getByRole('tab').all()) {
    const name = (await tab.textContent()) ?? ''
    const panel = page.getByRole('tabpanel', { name, exact: true })
    await tab.click()
    await expect(panel).not.toBeEmpty()
    await expect(panel.locator('[aria-busy=true], .animate-pulse')).toHaveCount(0)
    faults.push(...(await findOverflows(page)).map((one) => `${language}, ${name}: ${one} overflows`))
    // keys of missing texts, and placeholders without a value
    const [content = ''] = await page.locator('main').allInnerTexts()
    const unresolved = content.match(/\{\w+\}|\b[a-z]+(-[a-z]+)?\.[a-z]\w*\.\w+/g) ?? []
    faults.push(...unresolved.map((text) => `${language}, ${name}: shows ${text}`))
  }
  return faults
}

for (const { who, role, tabs, languages: roleLanguages } of cases) {
  test(`${who} sees every tab on a phone in ${roleLanguages.join(', ')} without overflow or missing texts`, async ({
    server,
    openPageAs,
  }) => {
    const account = await server.createAccount({ role, ...everyPermission })
    await createContent(server, account)
    const page = await openPageAs(account)
    await page.setViewportSize({ width: WIDTH, height: 800 })
    const faults: string[] = []
    page.on('console', (message) => {
      if (/(MISSING|INVALID|INSUFFICIENT|FORMATTING)_\w+/.test(message.text())) faults.push(message.text())
    })
    await page.goto('/dashboard')
    for (const language of roleLanguages) {
      await page.evaluate((chosen) => localStorage.setItem('settings', JSON.stringify({ language: chosen })), language)
      await page.goto('/dashboard')
      faults.push(...(await checkTabs(page, tabs, language)))
      if (role !== 'admin') continue
      await page.goto('/admin')
      faults.push(...(await checkTabs(page, 4, language)))
    }
    expect(faults).toEqual([])
  })
}
