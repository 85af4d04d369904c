import { hostname } from 'node:os'
import process from 'node:process'
import { text as readAll } from 'node:stream/consumers'
import { password as askPassword, input } from '@inquirer/prompts'
import { createMira } from '@mira/client'
import type { PublicConfig } from '@mira/shared'
import type { TokenScope } from '@mira/shared/constants/accounts'
import { cutText } from '@mira/shared/constants/cut-text'
import type { CommandModule } from 'yargs'
import { saveAccount } from '../account.ts'
import { addressOf } from '../address.ts'
import { Failure } from '../failure.ts'
import { note } from '../output.ts'

/** All scopes except admin, which no command needs. */
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
  describe: 'Sign in to a Mira server; stores its address and an API token for your user on this machine',
  builder: (yargs) =>
    yargs
      .positional('address', { type: 'string', describe: 'Address of the server, such as http://localhost:3000' })
      .option('username', { type: 'string', describe: 'Username to sign in with' })
      .option('token', {
        type: 'boolean',
        default: false,
        describe: 'Read an API token from standard input instead of asking for a password',
      })
      .option('password-stdin', {
        type: 'boolean',
        default: false,
        describe: 'Read the password from standard input',
      }) as never,
  async handler({ address, token, username, passwordStdin }) {
    const { url, name } = await findServer(addressOf(address ?? (await input({ message: 'Address of the server' }))))
    const apiToken = token ? await readToken() : await createToken(url, username, passwordStdin)
    const me = await createMira({ url, token: apiToken }).call('GET /auth/me')
    const file = await saveAccount({ url, token: apiToken })
    note(`Signed in to ${name} at ${url} as ${me.username}. The token is stored in ${file}.`)
  },
}

/**
 * Name and final address of a server, checked before sending anything secret: a proxy may redirect to https.
 * @throws Failure when a redirect leads to another host, or from https to http.
 */
async function findServer(address: string): Promise<{ url: string; name: string }> {
  const response = await createMira({ url: address, token: null }).callForResponse('GET /config')
  const config = (await response.json().catch(() => null)) as Partial<PublicConfig> | null
  if (!config?.assistant_name) throw new Failure(`No Mira server was found at ${address}.`)
  const [requested, final] = [new URL(address), new URL(response.url)]
  const url = final.origin + final.pathname.replace(/\/api\/config$/, '')
  if (final.hostname !== requested.hostname || (requested.protocol === 'https:' && final.protocol !== 'https:'))
    throw new Failure(`${address} redirects to ${url}. Use that address if it’s yours.`)
  return { url, name: config.assistant_name }
}

async function readToken(): Promise<string> {
  const text = process.stdin.isTTY ? await askPassword({ message: 'API token' }) : await readAll(process.stdin)
  const token = text.trim()
  if (token === '') throw new Failure('No token was given. Create one in Settings → API Tokens.')
  return token
}

/** Signs in with password and code, creates a token for this machine, and ends the session. */
async function createToken(url: string, usernameOption: string | undefined, isPiped: boolean): Promise<string> {
  if (!process.stdin.isTTY && !isPiped)
    throw new Failure('Standard input isn’t a terminal. Use --password-stdin or --token.')
  const username = usernameOption ?? (await input({ message: 'Username' }))
  const password = isPiped
    ? (await readAll(process.stdin)).replace(/\r?\n$/, '')
    : await askPassword({ message: 'Password' })
  const form = new FormData()
  form.set('username', username)
  form.set('password', password)
  const response = await createMira({ url, token: null }).call('POST /auth/login', { form })
  const session = 'challenge' in response ? await enterCode(url, response.challenge) : response
  const signedIn = createMira({ url, token: session.access_token })
  const { token } = await signedIn.call('POST /auth/tokens', {
    json: { name: cutText(`mira on ${hostname()}`, 80), scopes },
  })
  await signedIn.call('POST /auth/logout')
  if (!token) throw new Failure('The server created no token.')
  return token
}

async function enterCode(url: string, challenge: string) {
  const code = await input({ message: 'Code from your authenticator app' })
  const json = { challenge, code }
  return createMira({ url, token: null }).call('POST /auth/totp/sign-in', { json })
}
