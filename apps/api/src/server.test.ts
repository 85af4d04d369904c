import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { TEST_PASSWORD } from '../test/factories.ts'
import { type ProcessUnderTest, prepareInstance, startProcess, type TestInstance } from '../test/server-process.ts'

const onEmbedded = test.skipIf(process.env.TEST_DATABASE_URL !== undefined)
const onServer = test.runIf(process.env.TEST_DATABASE_URL !== undefined)

// Each test starts processes, some of them one after the other.
vi.setConfig({ testTimeout: 180_000 })

let instance: TestInstance
let processes: ProcessUnderTest[]
beforeEach(async () => {
  processes = []
  instance = await prepareInstance()
})
afterEach(async () => {
  for (const processUnderTest of processes) processUnderTest.kill('SIGKILL')
  await Promise.all(processes.map(({ exited }) => exited))
  await instance.remove()
})

const start = (environment: Record<string, string> = {}) => {
  const processUnderTest = startProcess('server.ts', {
    ...instance.environment,
    ADMIN_PASSWORD: TEST_PASSWORD,
    ...environment,
  })
  processes.push(processUnderTest)
  return processUnderTest
}
const resetPassword = (...args: string[]) => {
  const processUnderTest = startProcess('reset-password.ts', instance.environment, args)
  processes.push(processUnderTest)
  return processUnderTest
}

const login = (address: string, password: string, username = 'admin') =>
  fetch(`${address}/api/auth/login`, { method: 'POST', body: new URLSearchParams({ username, password }) })

const tokenOf = async (response: Response) => ((await response.json()) as { access_token: string }).access_token

const me = (address: string, token: string) =>
  fetch(`${address}/api/auth/me`, { headers: { authorization: `Bearer ${token}` } })

const until = (condition: () => boolean) => expect.poll(condition, { timeout: 60_000, interval: 10 }).toBe(true)

describe('the server explains in one sentence why it can’t start, and exits with code 1', () => {
  test('when variables are invalid, listing all of them', async () => {
    const { exited, output } = start({ PORT: 'http', LOG_LEVEL: 'loud', TRUST_PROXY: 'nginx' })
    expect(await exited).toBe(1)
    expect(output()).toBe(
      'Mira cannot start. The configuration is wrong: PORT must be a number from 0 to 65535; ' +
        'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent; ' +
        'TRUST_PROXY must be true, false, a number of proxies, or addresses separated by commas.\n',
    )
  })

  test('when the data folder isn’t writable', async () => {
    const file = join(instance.environment.DATA_DIR, 'a-file')
    writeFileSync(file, '')
    const { exited, output } = start({ DATA_DIR: join(file, 'data') })
    expect(await exited).toBe(1)
    expect(output()).toMatch(/^Mira cannot start\. DATA_DIR .*a-file\/data isn.t writable: .*\n$/)
  })

  test('when it can’t listen on its address; a password generated before that stays valid', async () => {
    const otherServer = createServer().listen(0, '127.0.0.1')
    await until(() => otherServer.listening)
    const address = otherServer.address()
    const port = String(typeof address === 'object' ? address?.port : '')
    const failed = start({ PORT: port, ADMIN_PASSWORD: '', LOG_LEVEL: 'error' })
    expect(await failed.exited).toBe(1)
    const [, password = ''] = /The account admin was created with the password (\S+) /.exec(failed.output()) ?? []
    expect(failed.output().trim().split('\n').at(-1)).toBe(
      `Mira cannot start. Port ${port} is already in use. Stop the other program, or set PORT to another number.`,
    )
    const elsewhere = start({ HOST: '203.0.113.1', LOG_LEVEL: 'error' })
    expect(await elsewhere.exited).toBe(1)
    expect(elsewhere.output()).toBe('Mira cannot start. HOST 203.0.113.1 is not an address of this machine.\n')
    otherServer.close()
    const again = start({ PORT: port })
    expect((await login(await again.ready, password)).status).toBe(200)
  })

  onEmbedded('when another process uses the data folder', async () => {
    const first = start()
    await first.ready
    const second = start({ LOG_LEVEL: 'error' })
    expect(await second.exited).toBe(1)
    expect(second.output()).toBe(
      `Mira cannot start. DATA_DIR ${instance.environment.DATA_DIR} is already used by process ${first.pid}. ` +
        'Stop it first, or choose another DATA_DIR.\n',
    )
    expect((await login(await first.ready, TEST_PASSWORD)).status).toBe(200)
  })

  onServer('when its JWT_SECRET differs from that of the other servers on the database', async () => {
    const first = start({ JWT_SECRET: 'the secret that all servers share' })
    await first.ready
    const otherProcessUnderTest = start({ JWT_SECRET: 'a secret that none of them knows.', LOG_LEVEL: 'error' })
    expect(await otherProcessUnderTest.exited).toBe(1)
    expect(otherProcessUnderTest.output()).toMatch(
      /^Mira cannot start\. JWT_SECRET differs from the one .* share JWT_SECRET\. .*\n$/,
    )
    const same = start({ JWT_SECRET: 'the secret that all servers share' })
    const token = await tokenOf(await login(await first.ready, TEST_PASSWORD))
    expect((await me(await same.ready, token)).status).toBe(200)
  })
})

describe('starting', () => {
  test('prints one block with the address, the username and, the first time, the password', async () => {
    const first = start({ ADMIN_PASSWORD: '', LOG_LEVEL: 'error' })
    const address = await first.ready
    await until(() => first.output().includes('Ctrl-C'))
    const [, password = ''] = /^ {2}Password {2}(\S{20,}) /m.exec(first.output()) ?? []
    expect(first.output()).toBe(
      `\nMira is ready.\n\n  Open      ${address}\n  Sign in   admin\n  Password  ${password}   (shown once: keep it, or ` +
        'change it in Settings)\n\nPress Ctrl-C to stop.\n\n',
    )
    const token = await tokenOf(await login(address, password))
    first.kill('SIGTERM')
    expect(await first.exited).toBe(0)

    const second = start({ ADMIN_PASSWORD: '', LOG_LEVEL: 'error' })
    const secondAddress = await second.ready
    await until(() => second.output().includes('Ctrl-C'))
    expect(second.output()).toBe(
      `\nMira is ready.\n\n  Open      ${secondAddress}\n  Sign in   admin\n\nPress Ctrl-C to stop.\n\n`,
    )
    // Sessions outlive a restart.
    expect((await me(secondAddress, token)).status).toBe(200)
    // Two signals have the same effect as one.
    second.kill('SIGHUP')
    second.kill('SIGTERM')
    expect(await second.exited).toBe(0)
  })
})

describe('stopping', () => {
  onEmbedded('a signal ends a server that is starting, and the next one starts', async () => {
    const first = start()
    await Promise.race([until(() => existsSync(join(instance.environment.DATA_DIR, 'database.lock'))), first.exited])
    // On a slow machine it may be up by now.
    first.kill('SIGTERM')
    expect(await first.exited, first.output()).toBe(0)
    await start().ready
  })

  test('a signal ends a server that waits for its database', async () => {
    const { kill, exited, output } = start({ DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/nothing' })
    await until(() => output().includes('waiting for the database'))
    kill('SIGTERM')
    expect(await exited).toBe(0)
  })
})

test('an uncaught error is logged, and the server keeps serving', async () => {
  const uncaughtErrors = `
    process.on('SIGUSR2', () => {
      setTimeout(() => { throw new Error('thrown in a timer') })
      Promise.reject(new Error('rejected by a promise'))
    })`
  const server = start({ NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(uncaughtErrors)}` })
  const address = await server.ready
  server.kill('SIGUSR2')
  await until(() => /thrown in a timer/.test(server.output()) && /rejected by a promise/.test(server.output()))
  expect((await login(address, TEST_PASSWORD)).status).toBe(200)
  server.kill('SIGINT')
  expect(await server.exited).toBe(0)
})

describe('resetting a password from the command line', () => {
  test('gives access to an account again while the server is stopped, and ends its sessions; a new secret is allowed as well', async () => {
    const secret = { JWT_SECRET: 'the secret that all servers share' }
    const server = start(secret)
    const token = await tokenOf(await login(await server.ready, TEST_PASSWORD))
    if (instance.environment.DATABASE_URL === undefined) {
      const tooEarly = resetPassword()
      expect(await tooEarly.exited).toBe(1)
      expect(tooEarly.output()).toBe(
        `Nothing was changed. DATA_DIR ${instance.environment.DATA_DIR} is already used by process ${server.pid}. ` +
          'Stop it first, or choose another DATA_DIR.\n',
      )
    }
    server.kill('SIGTERM')
    await server.exited
    const reset = resetPassword()
    expect(await reset.exited).toBe(0)
    const [, password = ''] = /^The password of admin is now\n\n {2}(\S{20,})\n/m.exec(reset.output()) ?? []
    const next = start(secret)
    const address = await next.ready
    expect((await login(address, password)).status).toBe(200)
    expect((await login(address, TEST_PASSWORD)).status).toBe(401)
    expect((await me(address, token)).status).toBe(401)

    // A lost JWT_SECRET can be replaced as well.
    next.kill('SIGTERM')
    await next.exited
    const withNewSecret = resetPassword('--new-secret')
    expect(await withNewSecret.exited).toBe(0)
    expect(withNewSecret.output()).toBe(
      '\nThe next server to start sets the JWT_SECRET. Everyone has to sign in again.\n\n',
    )
    const last = start({ JWT_SECRET: 'a secret that none of them knows.' })
    expect((await login(await last.ready, password)).status).toBe(200)
  })

  test('reports an unknown user, and prints the usage when called incorrectly', async () => {
    const unknownUser = resetPassword('nobody')
    expect(await unknownUser.exited).toBe(1)
    expect(unknownUser.output()).toBe('Nothing was changed. There is no user “nobody”.\n')
    for (const args of [['--nonsense'], ['admin', 'another'], ['admin', '--new-secret']]) {
      const wrong = resetPassword(...args)
      expect(await wrong.exited).toBe(1)
      expect(wrong.output()).toMatch(/^Nothing was changed\. Usage: npm run admin:reset-password .*\n$/)
    }
  })
})
