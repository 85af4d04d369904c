import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { TestTasks } from '../../../test/task-module.ts'
import type { PictureTasks } from '../../parsers/image/picture-process.ts'
import { findProgram, programSearchPath } from '../lib/find-program.ts'
import { compiledReaders, readerSources } from './compiled-readers.ts'
import { createCompiledLinks, moduleOf, startParserService } from './parser-service.ts'
import { createSandboxing, type Sandboxing } from './sandboxing.ts'
import { openTaskFolder } from './task-folder.ts'
import { createTaskProcess, type TaskProcess } from './task-process.ts'

const timeoutMs = 20_000
const NOBODY = { uid: 65_534, gid: 65_534 }
const noInput = undefined as never
/** True when this machine can run a program. */
const canRun = (program: string, ...args: string[]) => spawnSync(program, args).status === 0
const isAvailable = {
  bubblewrap: canRun('bwrap', '--unshare-all', '--ro-bind', '/', '/', '--', '/bin/true'),
  namespaces: canRun('unshare', '--user', '--map-root-user', '--mount', '--net', '--pid', '--fork', '--', '/bin/true'),
}
if (!Object.values(isAvailable).includes(true)) {
  console.warn('This machine allows no namespaces: the sandbox tests are skipped.')
}

let dataDir: string
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'mira-sandbox-'))
  mkdirSync(join(dataDir, 'files', 'another-person'), { recursive: true })
  writeFileSync(join(dataDir, 'files', 'another-person', 'diary.txt'), 'their diary')
  writeFileSync(join(dataDir, 'files', 'mine.txt'), 'my letter')
  writeFileSync(join(dataDir, 'jwt-secret'), 'the key to everything')
})
afterAll(() => rmSync(dataDir, { recursive: true }))

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

function start(sandboxing: Sandboxing): TaskProcess<TestTasks> {
  const module = new URL('../../../test/task-module.ts', import.meta.url)
  const task = createTaskProcess<TestTasks>({ sandboxing, module, name: 'test', memoryLimitMb: 300 })
  open.push(task)
  return task
}
const reachesNothing = { network: false, secrets: false, files: false }

describe.each(['bubblewrap', 'namespaces'] as const)('in a sandbox of %s', (kind) => {
  describe.skipIf(!isAvailable[kind])('a process', () => {
    let sandboxing: Sandboxing
    beforeAll(() => {
      sandboxing = { ...createSandboxing({ dataDir, isOnlyProcess: false, kinds: [kind] }), onlyUser: 'ana' }
    })

    test('is tested before it reads anything, and reaches nothing', async () => {
      expect((await sandboxing.choose()).kind).toBe(kind)
      expect(sandboxing.check()).toEqual({ state: 'ok', engine: kind, reaches: reachesNothing })
    })

    test('is sandboxed for an unprivileged user without sbin in PATH', async () => {
      const script = fileURLToPath(new URL('../../../test/sandbox-trial-alone.ts', import.meta.url))
      // Another user can only run files that they may read: a checkout in a private folder is tested as this user.
      const isReadableByOthers =
        spawnSync(process.execPath, ['--version'], { ...NOBODY, cwd: dirname(script) }).status === 0
      const nobody = process.getuid?.() === 0 && isReadableByOthers ? NOBODY : {}
      const temporary = mkdtempSync('/tmp/mira-sandbox-nobody-')
      chmodSync(temporary, 0o777)
      onTestFinished(() => rmSync(temporary, { recursive: true }))
      const program = await findProgram(kind === 'bubblewrap' ? 'bwrap' : 'unshare', programSearchPath())
      const environment = { PATH: `${dirname(program ?? '')}:/usr/bin:/bin`, TMPDIR: temporary }
      const output = execFileSync(process.execPath, [script, kind], { ...nobody, cwd: '/', env: environment })
      expect(JSON.parse(output.toString())).toEqual({ state: 'ok', engine: kind, reaches: reachesNothing })
    })

    test('reads its input files, but no secrets or files of others', async () => {
      const child = start(sandboxing)
      const ownFile = join(dataDir, 'files', 'mine.txt')
      expect(
        await child.run('read', async (taskFolder) => ({ filename: await taskFolder.provide(ownFile) }), { timeoutMs }),
      ).toBe('my letter')
      for (const name of ['jwt-secret', 'files/mine.txt', 'files/another-person/diary.txt']) {
        await expect(child.run('read', { filename: join(dataDir, name) }, { timeoutMs })).rejects.toMatchObject({
          code: 'ENOENT',
        })
      }
      const projectFile = join(fileURLToPath(new URL('../../../../..', import.meta.url)), 'docker-compose.yml')
      await expect(child.run('read', { filename: projectFile }, { timeoutMs })).rejects.toMatchObject({
        code: 'ENOENT',
      })
      await expect(child.run('read', { filename: '/etc/passwd' }, { timeoutMs })).rejects.toMatchObject({
        code: 'ENOENT',
      })
    })

    test('sees no input files of the previous task', async () => {
      const child = start(sandboxing)
      const inputFiles: string[] = []
      await child.run(
        'read',
        async (taskFolder) => {
          inputFiles.push(await taskFolder.provide(join(dataDir, 'files', 'mine.txt')))
          return { filename: inputFiles[0] ?? '' }
        },
        { timeoutMs },
      )
      await expect(child.run('read', { filename: inputFiles[0] ?? '' }, { timeoutMs })).rejects.toMatchObject({
        code: 'ENOENT',
      })
    })

    test('cannot change its input files or the code of the server', async () => {
      const child = start(sandboxing)
      const ownFile = join(dataDir, 'files', 'mine.txt')
      const provide = async (taskFolder: { provide(filename: string): Promise<string> }) => ({
        filename: await taskFolder.provide(ownFile),
      })
      await expect(child.run('write', provide, { timeoutMs })).rejects.toMatchObject({ code: 'EROFS' })
      expect(readFileSync(ownFile, 'utf8')).toBe('my letter')
      const code = fileURLToPath(new URL('./sandbox.ts', import.meta.url))
      await expect(child.run('write', { filename: code }, { timeoutMs })).rejects.toMatchObject({ code: 'EROFS' })
      // Whatever one process wrote there, the next one would run.
      const compiled = join(compiledReaders, 'planted')
      await expect(child.run('write', { filename: compiled }, { timeoutMs })).rejects.toMatchObject({ code: 'EROFS' })
      await expect(child.run('write', { filename: '/left' }, { timeoutMs })).rejects.toMatchObject({ code: 'EROFS' })
    })

    test('cannot open a connection, not even to this machine', async () => {
      const localServer = createServer().listen(0, '127.0.0.1')
      open.push({ close: () => localServer.close() })
      await vi.waitFor(() => expect(localServer.listening).toBe(true), 30_000)
      const { port } = localServer.address() as { port: number }
      await expect(start(sandboxing).run('connect', { port }, { timeoutMs })).rejects.toMatchObject({
        reason: 'failed',
      })
    })

    test('sees no other process, and has no privileges', async () => {
      const view = await start(sandboxing).run('inspectEnvironment', noInput, { timeoutMs })
      expect(view.processes.length).toBeLessThan(6)
      expect(view.processes).not.toContain(process.pid)
      expect(view.capabilities).toMatch(/^0+$/)
      expect(view.canMakeNamespaces).toBe(false)
      expect(view.canSetKernel).toBe(false)
    })

    test('is killed when it grows or hangs, as without a sandbox', { timeout: 60_000 }, async () => {
      const child = start(sandboxing)
      await expect(child.run('growOutside', noInput, { timeoutMs })).rejects.toMatchObject({ reason: 'memory' })
      await expect(child.run('spin', noInput, { timeoutMs: 500 })).rejects.toMatchObject({ reason: 'timeout' })
      expect(await child.run('wait', { ms: 0 }, { timeoutMs })).toBe('waited')
    })
  })
})

describe('without a sandbox', () => {
  test('processes run, and the check and a warning say so', async () => {
    const warn = vi.fn()
    const sandboxing = createSandboxing({ dataDir, isOnlyProcess: false, kinds: [], warn })
    const ownFile = join(dataDir, 'files', 'mine.txt')
    const child = start(sandboxing)
    expect(
      await child.run('read', async (taskFolder) => ({ filename: await taskFolder.provide(ownFile) }), { timeoutMs }),
    ).toBe('my letter')
    const reason = 'File parsing isn’t sandboxed. Install bubblewrap and restart.'
    expect(sandboxing.check()).toMatchObject({ state: 'off', engine: 'none', reason })
    expect(sandboxing.check()?.reaches).toEqual({ network: true, secrets: true, files: true })
    expect(warn).toHaveBeenCalledWith({ tried: [] }, reason)
  })

  test('files are refused when a sandbox is required, but models still run', async () => {
    const sandboxing = createSandboxing({ dataDir, isOnlyProcess: false, kinds: [], isRequired: true })
    const refused = { status: 422, code: 'files_refused' }
    await expect(start(sandboxing).run('wait', { ms: 0 }, { timeoutMs })).rejects.toMatchObject(refused)
    expect(sandboxing.check()).toMatchObject({ state: 'error', engine: 'none' })
    const module = new URL('../../../test/task-module.ts', import.meta.url)
    const model = createTaskProcess<TestTasks>({
      sandboxing,
      module,
      name: 'test',
      memoryLimitMb: 300,
      isForEverybody: true,
    })
    open.push(model)
    expect(await model.run('wait', { ms: 0 }, { timeoutMs })).toBe('waited')
  })

  test('a leaky sandbox is not used', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mira-false-sandbox-'))
    open.push({ close: () => rmSync(folder, { recursive: true }) })
    // Looks like bubblewrap, but runs the command after `--` without a sandbox.
    const script = '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n'
    writeFileSync(join(folder, 'bwrap'), script, { mode: 0o755 })
    const warn = vi.fn()
    const sandboxing = createSandboxing({ dataDir, isOnlyProcess: false, searchPath: folder, warn })
    expect((await sandboxing.choose()).kind).toBe('none')
    const [{ tried }] = warn.mock.calls[0] as [{ tried: string[] }]
    expect(tried).toEqual(['bubblewrap: it still reaches network, secrets, files'])
  })
})

describe('a parser service', () => {
  const socketOf = (name: string) => join(dataDir, `${name}.sock`)
  const sandboxingWith = (socket: string) => {
    const sandboxing = createSandboxing({ dataDir, isOnlyProcess: false, serviceSocket: socket })
    open.push(sandboxing)
    return sandboxing
  }
  const startPictures = (sandboxing: Sandboxing) => {
    const module = new URL('../../parsers/image/picture-process.ts', import.meta.url)
    const pictureProcess = createTaskProcess<PictureTasks>({ sandboxing, module, name: 'pictures', memoryLimitMb: 600 })
    open.push(pictureProcess)
    return pictureProcess
  }

  test('leaves files unread while it is not running, and the check says so', async () => {
    const sandboxing = sandboxingWith(socketOf('nowhere'))
    const hashing = startPictures(sandboxing).run('thumbhash', { picture: new Uint8Array() }, { timeoutMs })
    await expect(hashing).rejects.toMatchObject({ reason: 'unstartable' })
    await vi.waitFor(
      () => expect(sandboxing.check()).toMatchObject({ state: 'error', engine: 'service', reaches: null }),
      {
        timeout: 10_000,
      },
    )
  })

  test('is refused when it is not sandboxed itself', async () => {
    const server = await startParserService(socketOf('open'))
    open.push({ close: () => server.close() })
    const sandboxing = sandboxingWith(socketOf('open'))
    await sandboxing.choose()
    await vi.waitFor(() => expect(sandboxing.check()).toMatchObject({ state: 'error', engine: 'service' }), {
      timeout: 10_000,
    })
  })

  test('starts every module that serves tasks, and no other', () => {
    const source = fileURLToPath(new URL('../..', import.meta.url))
    const names = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
    const servingModules = names.filter((name) => /^serve(Tasks|Av)\(/m.test(readFileSync(join(source, name), 'utf8')))
    expect(servingModules.length).toBeGreaterThan(8)
    for (const name of servingModules) expect(moduleOf(`src/${name}`).pathname).toContain(name)
    expect(readerSources()).toEqual(expect.arrayContaining(servingModules.map((name) => `src/${name}`)))
    for (const name of [
      'src/server.ts',
      'src/platform/sandbox/child.ts',
      '../test/a-process.ts',
      'src/../../a-process.ts',
      'dist/server.mjs',
    ])
      expect(() => moduleOf(name)).toThrow("isn't a task module")
  })

  // Only root may start processes of other users, who can only run files that they may read.
  const isReadableByOthers =
    spawnSync(process.execPath, ['--version'], { ...NOBODY, cwd: import.meta.dirname }).status === 0
  test.skipIf(process.getuid?.() !== 0 || !isReadableByOthers)(
    'lets processes of every user load code that was compiled once',
    () => {
      const parent = mkdtempSync('/tmp/mira-compiled-')
      onTestFinished(() => rmSync(parent, { recursive: true }))
      chmodSync(parent, 0o711)
      const links = createCompiledLinks(parent)
      const print = 'process.stdout.write(require("node:module").getCompileCacheDir())'
      for (const uid of [20_001, 59_999]) {
        const env = { PATH: process.env.PATH, ...links.of(uid) }
        const folder = execFileSync(process.execPath, ['-e', print], { uid, gid: uid, cwd: '/', env, encoding: 'utf8' })
        expect(dirname(realpathSync(folder))).toBe(realpathSync(compiledReaders))
        // Processes of other tests may add further files.
        expect(readdirSync(folder).some((name) => (statSync(join(folder, name)).mode & 0o777) === 0o644)).toBe(true)
      }
    },
  )

  // Only root may give each process a separate user.
  test.skipIf(!isAvailable.bubblewrap || process.getuid?.() !== 0)(
    'counts as a sandbox when it has no network, and a separate user and folder for each process',
    async () => {
      const script = fileURLToPath(new URL('../../parsers.ts', import.meta.url))
      const [inputFolder, outputFolder] = ['lent', 'made'].map((name) => join(dataDir, 'desks', name)) as [
        string,
        string,
      ]
      const socketFolder = join(dataDir, 'door')
      for (const folder of [inputFolder, outputFolder, socketFolder]) mkdirSync(folder, { recursive: true })
      for (const folder of [inputFolder, outputFolder]) chmodSync(folder, 0o711)
      const socket = join(socketFolder, 'parsers.sock')
      const namespaceArgs = ['--unshare-net', '--unshare-pid', '--die-with-parent', '--ro-bind', '/', '/']
      const capabilityArgs = ['CHOWN', 'SETUID', 'SETGID'].flatMap((name) => ['--cap-add', `CAP_${name}`])
      const parentFolderArgs = [dataDir, dirname(inputFolder)].flatMap((folder) => ['--perms', '0711', '--dir', folder])
      const bindArgs = [inputFolder, outputFolder, socketFolder].flatMap((folder) => ['--bind', folder, folder])
      const service = spawn(
        'bwrap',
        [
          ...[...namespaceArgs, '--proc', '/proc', '--dev', '/dev', '--cap-drop', 'ALL', ...capabilityArgs],
          ...['--perms', '0711', '--tmpfs', tmpdir(), ...parentFolderArgs, ...bindArgs, '--', process.execPath, script],
        ],
        {
          env: { PATH: process.env.PATH ?? '', TMPDIR: tmpdir(), PARSER_SOCKET: socket },
          stdio: ['ignore', 'inherit', 'inherit'],
        },
      )
      open.push({ close: () => service.kill('SIGKILL') })
      const sandboxing = sandboxingWith(socket)
      await sandboxing.choose()
      await vi.waitFor(() => expect(sandboxing.check()?.state).toBe('ok'), { timeout: 30_000 })
      expect(sandboxing.check()).toEqual({ state: 'ok', engine: 'service', reaches: reachesNothing })
      await vi.waitFor(() => expect(readdirSync(outputFolder)).toEqual([]), { timeout: 30_000 })
    },
  )
})

describe('a task folder', () => {
  test('hands over no links, pipes or files outside of it', async () => {
    const taskFolder = await openTaskFolder(join(dataDir, 'desks'))
    symlinkSync(join(dataDir, 'jwt-secret'), join(taskFolder.outputFolder, 'cover'))
    const takenFile = join(dataDir, 'taken')
    await expect(taskFolder.take('cover', takenFile)).rejects.toThrow('other than a regular file')
    expect(() => readFileSync(takenFile)).toThrow('ENOENT')
    await expect(taskFolder.take('../../jwt-secret', takenFile)).rejects.toMatchObject({ code: 'ENOENT' })
    execFileSync('mkfifo', [join(taskFolder.outputFolder, 'pipe')])
    await expect(taskFolder.take('pipe', takenFile)).rejects.toThrow('other than a regular file')
    await taskFolder.remove()
  })
})
