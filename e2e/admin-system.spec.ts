import type { SystemOverviewJson, SystemPointJson } from '@mira/shared'
import type { Page } from '@playwright/test'
import { expect, expectAccessible, test, themesAndWidths } from './support/fixtures.ts'

const address = '/admin?tab=system'

/** Replaces the measurements in the server's response with a day of values that has a gap of two hours. */
async function mockDay(page: Page): Promise<void> {
  await page.route('**/api/admin/system', async (route) => {
    const response = await route.fetch()
    const overview = (await response.json()) as SystemOverviewJson
    const series = overview.series.map(
      (point, index): SystemPointJson =>
        index > 100 && index < 124
          ? point
          : {
              ...point,
              ...{
                requests: 40 + (index % 17),
                request_errors: index % 50 === 0 ? 1 : 0,
                cpu_share: 0.1 + (index % 9) / 50,
              },
              ...{ memory_bytes: 2e8 + index * 1e5, event_loop_delay_p99_ms: 2 + (index % 5) },
              ...{ database_bytes: 3e7 + index * 1e4, storage_bytes: 5e8 },
            },
    )
    const known_items: SystemOverviewJson['known_items'] = {
      ...{ measured_at: '2026-11-22T03:00:00Z', asked: 100, found: 97 },
      words: { asked: 100, found: 95 },
      meaning: { asked: 100, found: 61 },
    }
    await route.fulfill({ response, json: { ...overview, series, known_items } })
  })
}

test('an administrator sees the measurements as figures, charts and a table', async ({ server, adminPage: page }) => {
  await page.goto('/admin')
  await page.getByRole('tab', { name: 'System Overview' }).click()
  await expect(page).toHaveURL(/tab=system/)
  const figures = page.getByRole('region', { name: 'System figures' })
  for (const label of ['Sessions', 'Uptime', 'Memory Usage', 'Disk Usage', 'API Calls', 'Error Rate']) {
    await expect(figures.getByText(label, { exact: true })).toBeVisible()
  }
  const { versions } = await server.call<SystemOverviewJson>('GET', '/admin/system', server.admin)
  await expect(page.getByText(versions.postgresql, { exact: true })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Queues' }).getByText('process-media')).toBeVisible()

  await expect(page.getByText(/^Not tested yet/)).toBeVisible()

  await mockDay(page)
  await page.reload()
  await expect(page.getByText('Search finds 97 of 100 known items')).toBeVisible()
  await expect(page.getByText('61 of 100 · 61%')).toBeVisible()
  await expect(page.getByRole('img', { name: /^API calls over the last 24 hours: \d+ now, 56 at most$/ })).toBeVisible()
  await page.getByRole('button', { name: 'Show as table' }).click()
  const rows = page.getByRole('region', { name: 'Last 24 Hours' }).getByRole('row')
  await expect(rows).toHaveCount(289)
  await expect(rows.filter({ hasText: '—' })).toHaveCount(23)
})

test('only administrators see the system overview', async ({ server, userPage: page, account }) => {
  await page.goto(address)
  await expect(page).toHaveURL(/\/dashboard$/)
  const response = await fetch(`${server.url}/api/admin/system`, {
    headers: { authorization: `Bearer ${account.token}` },
  })
  expect(response.status).toBe(403)
})

for (const { colorScheme, width } of themesAndWidths) {
  test.describe(`in the ${colorScheme} theme at ${width} px`, () => {
    test.use({ colorScheme, viewport: { width, height: 800 } })

    test('the system overview passes axe and doesn’t overflow in any language', async ({ adminPage: page }) => {
      await mockDay(page)
      await page.goto(address)
      await expect(page.getByRole('img', { name: /^API calls over/ })).toBeVisible()
      await expectAccessible(page)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
      // wide windows have room for every language
      for (const language of width < 400 ? ['es', 'fr', 'de'] : []) {
        await page.evaluate((chosen) => {
          localStorage.setItem(
            'settings',
            JSON.stringify({ ...JSON.parse(localStorage.getItem('settings') ?? '{}'), language: chosen }),
          )
        }, language)
        await page.reload()
        await expect(page.locator('html')).toHaveAttribute('lang', language)
        await expect(page.getByRole('img').first()).toBeVisible()
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
      }
    })
  })
}
