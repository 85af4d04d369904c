import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { currentAccount, saveAccount } from './account.ts'

afterEach(() => vi.unstubAllEnvs())

test('uses the stored token for no other server', async () => {
  vi.stubEnv('MIRA_CONFIG_DIR', mkdtempSync(join(tmpdir(), 'mira-account-')))
  await saveAccount({ url: 'https://mira.example', token: 'kept' })
  expect(await currentAccount()).toEqual({ url: 'https://mira.example', token: 'kept' })
  vi.stubEnv('MIRA_URL', 'https://mira.example/')
  expect(await currentAccount()).toEqual({ url: 'https://mira.example', token: 'kept' })
  vi.stubEnv('MIRA_URL', 'https://test.example')
  await expect(currentAccount()).rejects.toThrow('belongs to https://mira.example')
  vi.stubEnv('MIRA_TOKEN', 'other')
  expect(await currentAccount()).toEqual({ url: 'https://test.example', token: 'other' })
  vi.stubEnv('MIRA_URL', ' HTTPS://Test.example:3000/ ')
  expect(await currentAccount()).toEqual({ url: 'https://test.example:3000', token: 'other' })
  vi.stubEnv('MIRA_URL', 'localhost:3000')
  expect(await currentAccount()).toEqual({ url: 'http://localhost:3000', token: 'other' })
  // Otherwise the token would be sent in clear text.
  vi.stubEnv('MIRA_URL', 'test.example')
  await expect(currentAccount()).rejects.toThrow('has to begin with https://')
  vi.stubEnv('MIRA_URL', 'http://')
  await expect(currentAccount()).rejects.toThrow('Enter one such as http://localhost:3000.')
})
