import type { Page } from '@playwright/test'
import { haveConversation, sendMessage } from './support/conversations.ts'
import { expect, test } from './support/fixtures.ts'
import { upload } from './support/library.ts'
import { stickingOut } from './support/screens.ts'
import type { Account, TestServer } from './support/server.ts'

const languages = ['en', 'es', 'fr', 'de']
const WIDTH = 360

const everyPermission = { can_chat: true, can_upload: true, can_use_voice: true, can_use_agents: true }

/**
 * Each role, and how many tabs of the dashboard its person has. An administrator reads all that others do, and the admin
 * panel: others read theirs in the language with the longest words alone.
 */
const cases = [
  { who: 'an administrator', role: 'admin', tabs: 7, languages },
  { who: 'a user', role: 'user', tabs: 6, languages: ['de'] },
  { who: 'a guest', role: 'guest', tabs: 6, languages: ['de'] },
] as const

/** Something in every tab, with words that are too long for a line. */
async function useEverything(server: TestServer, account: Account): Promise<void> {
  const { token } = account
  await haveConversation(server, account, 'A conversation with a name that is far too long for a narrow window')
  await sendMessage(server, account, `A question with a word that is long: ${'x'.repeat(120)}`)
  await server.call('POST', '/agents/CalculatorAgent/run', { token, body: { input: '6 * 7' } })
  await upload(server, account, `${'a_very_long_name_without_any_gap_'.repeat(3)}.txt`, 'The harbour opens at nine.')
  await server.call('GET', `/media/search?query=${'harbour'.repeat(12)}`, { token })
}

/** Opens one tab after the other and tells what is wrong with any of them. */
async function lookThrough(page: Page, tabs: number, language: string): Promise<string[]> {
  const found: string[] = []
  // a tab may have tabs of its own inside
  const bar = page.getByRole('tablist').first()
  await expect(page.locator('html')).toHaveAttribute('lang', language)
  await expect(bar.getByRole('tab')).toHaveCount(tabs)
  for (const tab of await bar.getByRole('tab').all()) {
    const name = (await tab.textContent()) ?? ''
    const panel = page.getByRole('tabpanel', { name, exact: true })
    await tab.click()
    await expect(panel).not.toBeEmpty()
    await expect(panel.locator('[aria-busy=true], .animate-pulse')).toHaveCount(0)
    found.push(...(await stickingOut(page)).map((one) => `${language}, ${name}: ${one} sticks out`))
    // what is left of a text that has no wording, or that nothing was filled into
    const [said = ''] = await page.locator('main').allInnerTexts()
    const unworded = said.match(/\{\w+\}|\b[a-z]+(-[a-z]+)?\.[a-z]\w*\.\w+/g) ?? []
    found.push(...unworded.map((text) => `${language}, ${name}: says ${text}`))
  }
  return found
}

for (const { who, role, tabs, languages: read } of cases) {
  test(`${who} reads every tab on a phone in ${read.join(', ')}, whole and worded`, async ({ server, openPageAs }) => {
    const account = await server.createAccount({ role, ...everyPermission })
    await useEverything(server, account)
    const page = await openPageAs(account)
    await page.setViewportSize({ width: WIDTH, height: 800 })
    const found: string[] = []
    page.on('console', (message) => {
      if (/(MISSING|INVALID|INSUFFICIENT|FORMATTING)_\w+/.test(message.text())) found.push(message.text())
    })
    await page.goto('/dashboard')
    for (const language of read) {
      await page.evaluate((chosen) => localStorage.setItem('settings', JSON.stringify({ language: chosen })), language)
      await page.goto('/dashboard')
      found.push(...(await lookThrough(page, tabs, language)))
      if (role !== 'admin') continue
      await page.goto('/admin')
      found.push(...(await lookThrough(page, 4, language)))
    }
    expect(found).toEqual([])
  })
}
