import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type { MeJson } from '@mira/shared'
import type { Page } from '@playwright/test'
import { type OidcServer, startOidcServer } from '../apps/api/test/oidc-server.ts'
import { test as base, expect, expectAccessible } from './support/fixtures.ts'
import type { Account, TestServer } from './support/server.ts'

// the API's package, which also generates the secrets; the root doesn't have it
const { Secret, TOTP } = createRequire(new URL('../apps/api/package.json', import.meta.url))('otpauth') as {
  Secret: { fromBase32(text: string): unknown }
  TOTP: new (options: { secret: unknown }) => { generate(options?: { timestamp: number }): string }
}

const OWN_PASSWORD = 'quiet-lantern-orchard-52'

/** Server at a host name that allows passkeys, with a sign-in provider and a generated first password. */
const test = base.extend<object, { provider: OidcServer }>({
  provider: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern
    async ({}, use) => {
      const portProbe = createServer().listen(0, '127.0.0.1')
      await once(portProbe, 'listening')
      const { port } = portProbe.address() as AddressInfo
      portProbe.close()
      const provider = await startOidcServer(`http://localhost:${port}/login/oidc`)
      await use(provider)
      await provider.close()
    },
    { scope: 'worker' },
  ],
  serverEnvironment: [
    async ({ provider }, use) => {
      const { origin: publicUrl, port } = new URL(provider.redirectUri)
      await use({
        ADMIN_PASSWORD: '',
        PORT: port,
        PUBLIC_URL: publicUrl,
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: provider.clientId,
        OIDC_NAME: 'Our house',
        OIDC_CLIENT_SECRET: provider.clientSecret,
        OIDC_ADMIN_CLAIM: 'groups=mira-admins',
      })
    },
    { scope: 'worker' },
  ],
})

const dashboard = (page: Page) => expect(page).toHaveURL(/\/dashboard/)
const openSecurity = (page: Page) => page.goto('/dashboard?tab=settings')

async function typePassword(page: Page, { user, password }: Pick<Account, 'user' | 'password'>): Promise<void> {
  await page.getByLabel('Username').fill(user.username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Replaces a generated first password, which a new server has after a failed test. */
async function replaceFirstPassword({ call, admin: { token, password } }: TestServer): Promise<void> {
  const { must_change_password: isGenerated } = await call<MeJson>('GET', '/auth/me', { token })
  if (!isGenerated) return
  await call('POST', '/auth/password', { token, body: { current_password: password, new_password: OWN_PASSWORD } })
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL(/\/login$/)
}

test('a generated password opens only the screen on which the user sets their own', async ({ adminPage, server }) => {
  await adminPage.goto('/chat')
  await expect(adminPage.getByRole('heading', { level: 1 })).toHaveText('Choose your own password')
  await expectAccessible(adminPage)
  await adminPage.getByLabel('Current Password').fill(server.admin.password)
  await adminPage.getByLabel('New Password').fill('too-short-1')
  await adminPage.getByRole('button', { name: 'Set password' }).click()
  await expect(adminPage.getByText('Use at least 12 characters.')).toBeVisible()
  await adminPage.getByLabel('New Password').fill(OWN_PASSWORD)
  await adminPage.getByRole('button', { name: 'Set password' }).click()
  await expect(adminPage).toHaveURL(/\/chat$/)
  await expect(adminPage.getByRole('link', { name: 'Dashboard' }).first()).toBeVisible()
})

test('a passkey is added, named, used to sign in, and removed', async ({ userPage: page, account }) => {
  const devices = await page.context().newCDPSession(page)
  await devices.send('WebAuthn.enable')
  await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
  await openSecurity(page)
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await expect(page.getByText('“Chrome on Linux” was added', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Rename Chrome on Linux' }).click()
  await page.getByLabel('Name', { exact: true }).fill('My laptop')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Remove My laptop' })).toBeVisible()
  await expectAccessible(page)

  await signOut(page)
  // the virtual authenticator may accept the browser's autofill offer first
  const button = page.getByRole('button', { name: 'Sign in with a passkey' })
  await Promise.race([button.click().catch(() => {}), page.waitForURL(/\/dashboard/)])
  await dashboard(page)
  await expect(page.getByRole('heading', { level: 1 })).toContainText(account.user.full_name ?? '')

  await openSecurity(page)
  await page.getByRole('button', { name: 'Remove My laptop' }).click()
  await page.getByRole('button', { name: 'Remove', exact: true }).last().click()
  await expect(page.getByText('No passkeys')).toBeVisible()
})

test('authenticator codes are set up, required after the password, and replaceable by a recovery code', async ({
  userPage: page,
  account,
}) => {
  await openSecurity(page)
  await page.getByRole('button', { name: 'Set up' }).click()
  await expect(page.getByRole('img', { name: 'QR code for the authenticator app' })).toBeVisible()
  await expectAccessible(page)
  const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? ''
  const app = new TOTP({ secret: Secret.fromBase32(secret) })
  const firstCode = app.generate()
  await page.getByLabel('Six-digit code').fill(firstCode)
  await page.getByRole('button', { name: 'Turn on' }).click()
  const codes = page.getByRole('list', { name: 'Your recovery codes' }).getByRole('listitem')
  await expect(codes).toHaveCount(10)
  const recoveryCode = (await codes.first().textContent()) ?? ''
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  expect((await download).suggestedFilename()).toBe(`${account.user.username}-recovery-codes.txt`)
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText('10 recovery codes left')).toBeVisible()

  await signOut(page)
  await typePassword(page, account)
  await expect(page.getByRole('heading', { name: 'Enter your code' })).toBeVisible()
  await expect(page.getByLabel('Six-digit code')).toBeFocused()
  await expectAccessible(page)
  // it was used during the setup
  await page.getByLabel('Six-digit code').fill(firstCode)
  await expect(page.getByRole('alert')).toHaveText('This code is wrong or was used already.')
  await page.getByLabel('Six-digit code').fill(app.generate({ timestamp: Date.now() + 30_000 }))
  await dashboard(page)

  await signOut(page)
  await typePassword(page, account)
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByLabel('Recovery code').fill(recoveryCode)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await dashboard(page)
  await openSecurity(page)
  await expect(page.getByText('9 recovery codes left')).toBeVisible()
  await page.getByRole('button', { name: 'Turn off' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Turn off' }).click()
  await expect(page.getByRole('button', { name: 'Set up' })).toBeVisible()
})

test('a user signed in at the provider continues to the requested page', async ({ page, provider }) => {
  provider.identity = { sub: 'grace', email: 'grace@example.org', email_verified: true, name: 'Grace Hopper' }
  await page.goto('/dashboard?tab=settings')
  await expect(page).toHaveURL(/\/login$/)
  await page.getByRole('button', { name: 'Continue with Our house' }).click()
  await expect(page).toHaveURL(/tab=settings$/)
  await expect(page.getByLabel('Full Name')).toHaveValue('Grace Hopper')
  await expect(page.getByLabel('Email')).toHaveValue('grace@example.org')
  // a user without a password sets one without a current one
  await expect(page.getByLabel('New Password')).toBeVisible()
  await expect(page.getByLabel('Current Password')).toHaveCount(0)
})

test('a provider response that this tab didn’t request signs nobody in', async ({ page }) => {
  await page.goto('/login/oidc?code=stolen&state=stolen')
  await expect(page.getByRole('alert')).toHaveText('This sign-in wasn’t started in this tab. Start again.')
  await expect(page).toHaveURL(/\/login\/oidc$/)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Back to sign in' }).click()
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible()
})

test('an administrator invites a user, who creates their own account', async ({ adminPage, page, server }) => {
  await replaceFirstPassword(server)
  await adminPage.goto('/admin')
  await adminPage.getByRole('button', { name: 'Invite' }).click()
  await adminPage.getByRole('textbox', { name: 'Email' }).fill('linus@example.org')
  await expectAccessible(adminPage)
  await adminPage.getByRole('button', { name: 'Create link' }).click()
  const link = (await adminPage.getByRole('dialog').locator('code').textContent()) ?? ''
  expect(link).toMatch(/\/invitation#[\w-]{43}$/)
  await adminPage.getByRole('button', { name: 'Done' }).click()
  await expect(adminPage.getByText('Open', { exact: true })).toBeVisible()

  await page.goto(link)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Join Mira')
  await expect(page.getByLabel('Username')).toHaveValue('linus')
  await expectAccessible(page)
  await page.getByLabel('Password', { exact: true }).fill('password12345')
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByText(/too easy to guess/)).toBeVisible()
  await page.getByLabel('Password', { exact: true }).fill(OWN_PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await dashboard(page)

  await adminPage.reload()
  await expect(adminPage.getByText('Accepted', { exact: true })).toBeVisible()
  await signOut(page)
  await page.goto(link)
  await expect(page.getByRole('alert')).toHaveText(/was used, was revoked/)
})
