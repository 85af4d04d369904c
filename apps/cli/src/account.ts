import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { createMira, type Mira } from '@mira/client'
import envPaths from 'env-paths'
import { addressForToken } from './address.ts'
import { Failure } from './failure.ts'

/** Server address and API token of a user. */
export interface Account {
  url: string
  token: string
}

const folder = () => process.env.MIRA_CONFIG_DIR ?? envPaths('mira', { suffix: '' }).config
const file = () => join(folder(), 'account.json')

/** Stores the account in a file that only its owner can read. @returns the file's path. */
export async function saveAccount(account: Account): Promise<string> {
  await mkdir(folder(), { recursive: true, mode: 0o700 })
  await writeFile(file(), `${JSON.stringify(account, null, 2)}\n`, { mode: 0o600 })
  // an existing file keeps its mode
  await chmod(file(), 0o600)
  return file()
}

/** Deletes the stored account. */
export async function forgetAccount(): Promise<void> {
  await rm(file(), { force: true })
}

/**
 * Account from MIRA_URL and MIRA_TOKEN, or else the account stored by `mira login`.
 * @throws Failure when there is neither.
 */
export async function currentAccount(): Promise<Account> {
  const { MIRA_URL: address, MIRA_TOKEN: token } = process.env
  const url = address ? addressForToken(address) : ''
  if (url && token) return { url, token }
  const stored = await readFile(file(), 'utf8').catch(() => null)
  if (stored === null) throw new Failure('You’re not signed in. Run `mira login`, or set MIRA_URL and MIRA_TOKEN.')
  try {
    const account = JSON.parse(stored) as Partial<Account>
    if (account.url && account.token) return withEnvironment({ url: account.url, token: account.token }, { url, token })
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(`${file()} can’t be read. Run \`mira login\` again.`, { cause: error })
  }
  throw new Failure(`${file()} has no server or token. Run \`mira login\` again.`)
}

/** Stored account, overridden by the environment. @throws Failure rather than sending the stored token to another server. */
function withEnvironment(stored: Account, { url, token = '' }: { url: string; token?: string | undefined }): Account {
  const isElsewhere = url !== '' && new URL(url).origin !== new URL(stored.url).origin
  if (isElsewhere && token === '')
    throw new Failure(`The stored token belongs to ${stored.url}. Set MIRA_TOKEN for ${url}, or run \`mira login\`.`)
  return { url: url || stored.url, token: token || stored.token }
}

/** API client of the current account. @throws Failure when there is none. */
export async function currentMira(): Promise<Mira> {
  return createMira(await currentAccount())
}
