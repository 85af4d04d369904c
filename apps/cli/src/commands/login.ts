import { hostname } from 'node:os'
import process from 'node:process'
import { text as readAll } from 'node:stream/consumers'
import { password as askPassword, input } from '@inquirer/prompts'
import { createMira } from '@mira/client'
import type { PublicConfig } from '@mira/shared'
import type { TokenScope } from '@mira/shared/constants/accounts'
import type { CommandModule } from 'yargs'
import { keepAccount } from '../account.ts'
import { Failure } from '../failure.ts'
import { note } from '../output.ts'

/** All scopes except admin, which uploading and asking do not need. */
const scopes: TokenScope[] = ['read', 'write', 'chat', 'upload', 'agents']

interface Options {
  address?: string
  token: boolean
  username?: string
  passwordStdin: boolean
}

/** `mira login`: creates an API token, or accepts one, and stores it. */
export const login: CommandModule<object, Options> = {
  command: 'login [address]',
  describe: 'Sign in to a Mira; its address and an API token are kept for this user of this machine',
  builder: (given) =>
    given
      .positional('address', { type: 'string', describe: 'The address of the server, such as http://localhost:3000' })
      .option('username', { type: 'string', describe: 'The name to sign in with' })
      .option('token', {
        type: 'boolean',
        default: false,
        describe: 'Read an API token from the standard input instead of asking for a password',
      })
      .option('password-stdin', {
        type: 'boolean',
        default: false,
        describe: 'Read the password from the standard input',
      }) as never,
  async handler({ address, token, username, passwordStdin }) {
    const { url, name } = await findServer(addressOf(address ?? (await input({ message: 'Address of the server' }))))
    const made = token ? await readToken() : await makeToken(url, username, passwordStdin)
    const me = await createMira({ url, token: made }).call('GET /auth/me')
    const file = await keepAccount({ url, token: made })
    note(`Signed in to ${name} at ${url} as ${me.username}. The token is kept in ${file}.`)
  },
}

function addressOf(given: string): string {
  const whole = /^https?:\/\//.test(given) ? given : `http://${given}`
  if (!URL.canParse(whole)) throw new Failure(`${given} is no address. Give one such as http://localhost:3000.`)
  const url = new URL(whole)
  return url.origin + url.pathname.replace(/\/+$/, '')
}

/**
 * Name and final address of a server, before anything secret is sent: a proxy may redirect to https.
 * @throws Failure when a redirect leads to another host, or from https to http.
 */
async function findServer(address: string): Promise<{ url: string; name: string }> {
  const response = await createMira({ url: address, token: null }).callForResponse('GET /config')
  const config = (await response.json().catch(() => null)) as Partial<PublicConfig> | null
  if (!config?.assistant_name) throw new Failure(`There is no Mira at ${address}.`)
  const [asked, final] = [new URL(address), new URL(response.url)]
  const url = final.origin + final.pathname.replace(/\/api\/config$/, '')
  if (final.hostname !== asked.hostname || (asked.protocol === 'https:' && final.protocol !== 'https:'))
    throw new Failure(`${address} leads to ${url}. Give that address if it's yours.`)
  return { url, name: config.assistant_name }
}

async function readToken(): Promise<string> {
  const given = process.stdin.isTTY ? await askPassword({ message: 'API token' }) : await readAll(process.stdin)
  const token = given.trim()
  if (token === '')
    throw new Failure('No token was given. Make one in Settings → API tokens, and hand it over on the standard input.')
  return token
}

/** Signs in with a password and a code, makes a token for this machine, and ends the session. */
async function makeToken(url: string, given: string | undefined, isPiped: boolean): Promise<string> {
  if (!process.stdin.isTTY && !isPiped)
    throw new Failure('Nobody can be asked for a password here. Use --password-stdin, or --token.')
  const username = given ?? (await input({ message: 'Username' }))
  const password = isPiped
    ? (await readAll(process.stdin)).replace(/\r?\n$/, '')
    : await askPassword({ message: 'Password' })
  const form = new FormData()
  form.set('username', username)
  form.set('password', password)
  const response = await createMira({ url, token: null }).call('POST /auth/login', { form })
  const session = 'challenge' in response ? await enterCode(url, response.challenge) : response
  const signedIn = createMira({ url, token: session.access_token })
  const made = await signedIn.call('POST /auth/tokens', {
    json: { name: `mira on ${hostname()}`.slice(0, 80), scopes },
  })
  await signedIn.call('POST /auth/logout')
  if (!made.token) throw new Failure('The server made no token.')
  return made.token
}

async function enterCode(url: string, challenge: string) {
  const code = await input({ message: 'Code of your authenticator app' })
  const json = { challenge, code }
  return createMira({ url, token: null }).call('POST /auth/totp/sign-in', { json })
}
