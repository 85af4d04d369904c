import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { createMira, type Mira } from '@mira/client'
import envPaths from 'env-paths'
import { Failure } from './failure.ts'

/** Server address and API token of a user. */
export interface Account {
  url: string
  token: string
}

const folder = () => process.env.MIRA_CONFIG_DIR ?? envPaths('mira', { suffix: '' }).config
const file = () => join(folder(), 'account.json')

/** Keeps the account for later calls, where only its owner can read it. */
export async function keepAccount(account: Account): Promise<string> {
  await mkdir(folder(), { recursive: true, mode: 0o700 })
  await writeFile(file(), `${JSON.stringify(account, null, 2)}\n`, { mode: 0o600 })
  // a file that was there keeps its mode
  await chmod(file(), 0o600)
  return file()
}

/** Forgets the account that is kept. */
export async function forgetAccount(): Promise<void> {
  await rm(file(), { force: true })
}

/**
 * MIRA_URL and MIRA_TOKEN, else what `mira login` kept.
 * @throws Failure when there is neither.
 */
export async function currentAccount(): Promise<Account> {
  const { MIRA_URL: url, MIRA_TOKEN: token } = process.env
  if (url && token) return { url, token }
  const kept = await readFile(file(), 'utf8').catch(() => null)
  if (kept === null) throw new Failure('Nobody is signed in. Run `mira login`, or set MIRA_URL and MIRA_TOKEN.')
  try {
    const account = JSON.parse(kept) as Partial<Account>
    if (account.url && account.token) return atAddress({ url: account.url, token: account.token }, { url, token })
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(`${file()} cannot be read. Run \`mira login\` again.`, { cause: error })
  }
  throw new Failure(`${file()} names no server. Run \`mira login\` again.`)
}

/** @throws Failure for another address without a token of its own: it isn't given the one that is kept. */
function atAddress(
  stored: Account,
  { url = '', token = '' }: { url?: string | undefined; token?: string | undefined },
): Account {
  const isElsewhere = url !== '' && (!URL.canParse(url) || new URL(url).origin !== new URL(stored.url).origin)
  if (isElsewhere && token === '')
    throw new Failure(
      `The token that is kept belongs to ${stored.url}. Set MIRA_TOKEN for ${url}, or run \`mira login\`.`,
    )
  return { url: url || stored.url, token: token || stored.token }
}

/** The API, as the current account. @throws Failure when there is none. */
export async function currentMira(): Promise<Mira> {
  return createMira(await currentAccount())
}
