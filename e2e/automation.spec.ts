import type { Page } from '@playwright/test'
import { expect, expectAccessible, test, themesAndWidths } from './support/fixtures.ts'

const TAB = '/dashboard?tab=automation'
const status = '**/api/automation/status'
const health = '**/api/automation/health'

/** Opens the tab and waits for a text. */
async function open(page: Page, text: string): Promise<void> {
  await page.goto(TAB)
  await expect(page.getByText(text).first()).toBeVisible({ timeout: 30_000 })
}

test('each failure to load the automation is shown with its reason and advice, and can be retried', async ({
  adminPage: page,
}) => {
  await page.route(health, (route) => route.fulfill({ status: 404, json: { detail: 'Not found' } }))
  await open(page, 'Automation API not available. Please ensure Phase 6 is properly installed.')
  await expect(page.getByText('Automation Not Available', { exact: true })).toBeVisible()
  await expect(page.getByText(/is not yet installed or configured\. Please complete Phase 6 setup\./)).toBeVisible()
  await expect(page.getByText('Check that you have admin permissions.')).toBeVisible()
  await expectAccessible(page)

  const retry = page.getByRole('button', { name: 'Retry Connection' })
  const expectAfterRetry = async (sentence: string) => {
    await retry.click()
    await expect(page.getByText(sentence)).toBeVisible()
  }
  await page.unroute(health)
  await page.route(health, (route) => route.fulfill({ status: 500, body: 'broken' }))
  await expectAfterRetry('API Error: 500 - broken')
  await page.unroute(health)
  await page.route(health, (route) => route.abort())
  await expectAfterRetry('Connection failed: Failed to fetch. Please check if the backend is running.')
  await page.unroute(health)

  await page.route(status, (route) => route.fulfill({ status: 503, body: '' }))
  await expectAfterRetry('HTTP 503: Service Unavailable')
  await page.unroute(status)
  await page.route(status, (route) => route.fulfill({ contentType: 'text/html', body: '<p>proxy</p>' }))
  await expectAfterRetry('Expected JSON, got: text/html. Response: <p>proxy</p>')
  await page.unroute(status)
  await page.route(status, (route) => route.fulfill({ json: { success: false } }))
  await expectAfterRetry('Invalid response format from automation status endpoint')
  await page.unroute(status)
  await page.route(status, (route) => route.abort())
  await expectAfterRetry('Status fetch failed: Failed to fetch')
  await page.unroute(status)

  const nothing = { scheduler_running: false, active_jobs: 0, current_runs: 0, tasks: {} }
  await page.route(status, (route) => route.fulfill({ json: { success: true, automation_status: nothing } }))
  await expectAfterRetry('No Automation Tasks Found')
  await expect(page.getByText('Scheduler: Stopped')).toBeVisible()
})

test('tasks are triggered and scheduled, and their runs are listed with details', async ({ adminPage: page }) => {
  await page.route('**/api/automation/runs?*', (route) => route.fulfill({ json: { runs: [], next_cursor: null } }))
  await open(page, 'Scheduler: Running')
  await page.getByRole('tab', { name: 'Recent Runs' }).click()
  await expect(page.getByText('No automation runs found.')).toBeVisible()
  await page.unroute('**/api/automation/runs?*')
  await page.getByRole('tab', { name: 'Weekly Summaries' }).click()
  await expect(page.getByText('No weekly summaries available yet.')).toBeVisible()
  const viewTabs = page.getByRole('tablist', { name: 'Views of the automation' })
  await viewTabs.getByRole('tab', { name: 'Overview' }).click()

  await page.route('**/api/automation/trigger', (route) => route.fulfill({ status: 409, json: { detail: 'Busy.' } }))
  const trigger = (name: string) => page.getByRole('button', { name: `Trigger Now: ${name}` })
  await trigger('Summary Generation').click()
  await expect(page.getByText('Failed to trigger task: Busy.').first()).toBeVisible()
  await page.unroute('**/api/automation/trigger')
  await page.route('**/api/automation/trigger', (route) => route.abort())
  await trigger('Summary Generation').click()
  await expect(page.getByText('Error triggering task: Failed to fetch').first()).toBeVisible()
  await page.unroute('**/api/automation/trigger')
  for (const [name, type] of [
    ['Summary Generation', 'summary_generation'],
    ['Model Fine-tuning', 'model_finetuning'],
  ] as const) {
    await trigger(name).click()
    await expect(page.getByText(`Task ${type} triggered successfully!`).first()).toBeVisible()
  }
  await expect(viewTabs.getByRole('tab', { name: 'Overview' })).toHaveAttribute('aria-selected', 'true')
  const cards = page.getByRole('tabpanel', { name: 'Overview' }).getByRole('listitem')
  await expect(cards.filter({ hasText: 'Completed' })).toHaveCount(2, { timeout: 30_000 })

  await viewTabs.getByRole('tab', { name: 'Tasks' }).click()
  await expect(page.getByText('At 03:00 (UTC)')).toBeVisible()
  await expect(page.getByText('Not scheduled').first()).toBeVisible()
  await page.getByRole('button', { name: 'Edit schedule of Model Fine-tuning' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('When').selectOption('own')
  await dialog.getByLabel('Cron expression').fill('0 99 * * *')
  await dialog.getByRole('button', { name: 'Save schedule' }).click()
  await expect(dialog.getByText(/This schedule can’t be used/)).toBeVisible()
  await dialog.getByLabel('When').selectOption('monthly')
  await expect(dialog.getByText('At 05:00, on day 1 of the month')).toBeVisible()
  await dialog.getByRole('button', { name: 'Save schedule' }).click()
  await expect(dialog.getByText('Schedule saved')).toBeVisible()
  await expect(dialog.getByRole('listitem')).toHaveCount(5)
  // the next runs are hidden while the time zone is unsaved, and then shown in it
  await dialog.getByLabel('Time zone').fill('Mars/Base')
  await expect(dialog.getByRole('listitem')).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Save schedule' }).click()
  await expect(dialog.getByText(/This isn’t a time zone/)).toBeVisible()
  await dialog.getByLabel('Time zone').fill('Asia/Tokyo')
  await dialog.getByRole('button', { name: 'Save schedule' }).click()
  await expect(dialog.getByText('Next five runs (Asia/Tokyo)')).toBeVisible()
  await expect(dialog.getByRole('listitem').filter({ hasText: '5:00' })).toHaveCount(5)
  await expectAccessible(page)
  await page.keyboard.press('Escape')

  await viewTabs.getByRole('tab', { name: 'Recent Runs' }).click()
  const runs = page.getByRole('list', { name: 'Recent Runs' }).getByRole('listitem')
  await expect(runs).toHaveCount(2)
  await runs
    .filter({ hasText: 'Summary Generation' })
    .getByRole('button', { name: /^Details/ })
    .click()
  await expect(dialog.getByText(/^Week of /)).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Run again' })).toBeVisible()
  await page.keyboard.press('Escape')

  for (const { colorScheme, width } of themesAndWidths) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    for (const tab of ['Overview', 'Tasks', 'Recent Runs', 'Weekly Summaries']) {
      await viewTabs.getByRole('tab', { name: tab }).click()
      await expect(viewTabs.getByRole('tab', { name: tab })).toHaveAttribute('aria-selected', 'true')
      await expectAccessible(page)
    }
    await expect(page.getByText('Success rate')).toBeVisible()
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
  }
})

test('the details of a run are shown in the user’s language', async ({ adminPage: page }) => {
  await page.addInitScript(() => localStorage.setItem('settings', JSON.stringify({ language: 'de' })))
  await open(page, 'Zeitplaner: Läuft')
  await page.getByRole('button', { name: /^Jetzt auslösen: Feinabstimmung/ }).click()
  await page.getByRole('tab', { name: 'Letzte Durchgänge' }).click()
  const details = page.getByRole('button', { name: /^Einzelheiten.*Feinabstimmung/ }).first()
  await details.click({ timeout: 30_000 })
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('Trainingsdaten', { exact: true })).toBeVisible({ timeout: 30_000 })
  await expect(dialog.getByText(/freigegebenen Antworten sind in den Trainingsdaten\.$/)).toBeVisible()
})
