import { createHash } from 'node:crypto'
import { expect, expectAccessible, test, themesAndWidths } from './support/fixtures.ts'

const verifier = 'a-verifier-that-is-long-enough-to-be-one-of-rfc-7636'

test('a program asks for access, gets the allowed scopes, and loses access in the settings', async ({
  openPageAs,
  account,
  server,
}) => {
  const page = await openPageAs(account)
  const redirectUri = new URL('/program-was-here', server.url)
  const registration = await page.request.post(`${server.url}/oauth/register`, {
    data: { client_name: 'Notebook', redirect_uris: [redirectUri.href] },
  })
  const { client_id: clientId } = (await registration.json()) as { client_id: string }
  const authorizeUrl = new URL('/oauth/authorize', server.url)
  const parameters = {
    ...{
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri.href,
      scope: 'read chat upload',
      state: 's',
    },
    ...{ code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
  }
  for (const [name, value] of Object.entries(parameters)) authorizeUrl.searchParams.set(name, value)

  await page.goto(authorizeUrl.href)
  await expect(page.getByRole('heading', { name: 'Give Notebook access to Mira?' })).toBeVisible()
  await expect(page.getByText(redirectUri.href)).toBeVisible()
  await expect(page.getByRole('checkbox', { name: 'Search and read everything in your memory' })).toBeDisabled()
  for (const { colorScheme, width } of themesAndWidths) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    await expectAccessible(page)
    if (process.env.PICTURES)
      await page.screenshot({ path: `${process.env.PICTURES}/connect-${colorScheme}-${width}.png`, fullPage: true })
  }
  await page.getByRole('checkbox', { name: 'Add notes and files' }).uncheck()
  await page.getByRole('button', { name: 'Allow access' }).click()
  await page.waitForURL(({ pathname }) => pathname === redirectUri.pathname)
  const callback = new URL(page.url()).searchParams
  const tokenResponse = await page.request.post(`${server.url}/oauth/token`, {
    form: {
      ...{ grant_type: 'authorization_code', client_id: clientId, code: callback.get('code') ?? '' },
      ...{ redirect_uri: redirectUri.href, code_verifier: verifier },
    },
  })
  expect(await tokenResponse.json()).toMatchObject({ scope: 'read chat' })

  await page.goto('/dashboard?tab=settings')
  await page.getByRole('button', { name: 'Remove access for Notebook' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('No program has access')).toBeVisible()
})
