import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from '@playwright/test'
import { chromiumLaunchOptions } from './e2e/support/browser.ts'
import { excludedLongTests } from './scripts/long-tests.ts'

/** Browser tests: each worker starts a server of its own (e2e/support/fixtures.ts) that serves the built web app. */
export default defineConfig({
  testDir: 'e2e',
  testIgnore: excludedLongTests(readdirSync(join(import.meta.dirname, 'e2e'))).map((file) => `**/${file}`),
  outputDir: 'test-results',
  // a browser and its server wait for each other: with one pair for each of two processors a third of their time is idle
  workers: 3,
  fullyParallel: false,
  forbidOnly: process.env.CI !== undefined,
  // a shared machine may be three times slower than usual; these cost only what fails
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    launchOptions: await chromiumLaunchOptions(),
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    timezoneId: 'UTC',
    // requests that a test answers itself would pass it by; who needs the service worker lets it in
    serviceWorkers: 'block',
    // what turns and fades while a test waits is drawn by the processors that it waits for; who looks at motion asks for it
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
    // what waits for something that never comes holds up a third of the run
    actionTimeout: 60_000,
  },
})
