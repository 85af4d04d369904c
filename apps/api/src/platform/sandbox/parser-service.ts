import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { readdir, rm, rmdir, stat } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { removeTree } from '../lib/remove-tree.ts'
import { apiFolder, compiledReaders, nameForUser } from './compiled-readers.ts'
import { readMessages, writeMessage } from './process-protocol.ts'
import { createNoSandbox, type ProcessLink, type ProcessListener, startAsUser } from './sandbox.ts'
import { type FromService, MAX_MESSAGE_BYTES, type ProcessOrder, type ToService } from './sandbox-service.ts'
import type { TaskFolder } from './task-folder.ts'

/** Names of modules that serve tasks; nothing else is started. */
const TASK_MODULE = /^(?:src\/.+-process\.ts|dist\/[\w-]+-process\.mjs)$/
const TASK_FOLDER_NAME = /^[0-9a-f]{8}-[0-9a-f-]{36}$/
/** Range of user ids without an account name, one for each process; below 65536, the limit of rootless containers. */
const FIRST_USER = 20_000
const LAST_USER = 59_999

/** Shell commands that are run as a user: they kill all of the user's processes and delete the user's files in a folder. */
const CLEAN_UP = 'kill -9 -1; chmod -R u+rwX -- "$1"; find "$1" -mindepth 1 -delete'

/**
 * Starts processes for a server in another container, one per connection, and ends each with its connection. As root it
 * gives each process its own user and folder; otherwise all share a user, which the server detects when it tests the sandbox.
 * @param socket path to listen on, in a folder that only this service can write.
 */
export async function startParserService(socket: string): Promise<Server> {
  // left behind by a killed service
  await rm(socket, { force: true })
  const users = createUsers()
  const compiled = createCompiledLinks(process.env.DATA_DIR ?? tmpdir())
  const swept = new Map<string, Promise<void>>()

  const serve = (connection: Socket) => {
    const started: { link: ProcessLink; end(): Promise<void> }[] = []
    const report = (message: FromService) => writeMessage(connection, message)
    const listener: ProcessListener = {
      onMessage: (message) => report({ kind: 'message', message }),
      onOutput: (text) => report({ kind: 'said', text }),
      onEnd: (end) => {
        report({ kind: 'end', end })
        connection.end()
      },
    }
    const fail = (error: unknown) => {
      const message = error instanceof Error ? error.message : String(error)
      report({ kind: 'end', end: { code: null, signal: null, errorOutput: message, isUnstartable: true } })
      connection.end()
    }
    const begin = async (spec: ProcessOrder) => {
      const { module, settings, heapLimitMb, environment } = spec
      const taskFolder = taskFolderOf(spec)
      const folder = dirname(taskFolder.outputFolder)
      const sweeping = swept.get(folder) ?? sweep(folder)
      swept.set(folder, sweeping)
      try {
        await sweeping
      } catch (error) {
        // The next process tries again.
        swept.delete(folder)
        throw error
      }
      const processToStart = { module: moduleOf(module), settings, heapLimitMb, environment, reads: [], taskFolder }
      if (!users.canSwitchUser) {
        mkdirSync(taskFolder.outputFolder, { mode: 0o700 })
        const link = createNoSandbox(folder).start(processToStart, listener)
        const end = () => {
          link.kill()
          return removeTree(taskFolder.outputFolder)
        }
        started.push({ link, end })
      } else {
        const user = users.take()
        try {
          chownTaskFolder(taskFolder, user)
        } catch (error) {
          users.release(user)
          throw error
        }
        const end = async () => {
          await cleanUp(taskFolder.outputFolder, user)
          users.release(user)
        }
        const link = startAsUser(
          { ...processToStart, environment: { ...environment, ...compiled.of(user) } },
          user,
          listener,
        )
        started.push({ link, end })
      }
      if (connection.destroyed) await endAll()
    }
    const endAll = async () => {
      for (const { end } of started.splice(0)) await end()
    }
    let beginning: Promise<void> | undefined
    connection.on('error', () => connection.destroy())
    connection.on('close', () => void endAll().catch(logLeftover))
    readMessages(connection, MAX_MESSAGE_BYTES, (message) => {
      const request = message as ToService
      if (request.kind === 'start') beginning ??= begin(request.what).catch(fail)
      else void beginning?.then(() => started[0]?.link.send(request.message))
    })
  }

  const server = createServer(serve)
  await new Promise<void>((listening, fail) => server.on('error', fail).listen(socket, listening))
  if (users.canSwitchUser) {
    // only the server, which has the folder's group, may connect, not the processes started here
    chmodSync(socket, 0o660)
    chownSync(socket, 0, (await stat(dirname(socket))).gid)
  }
  return server
}

function createUsers() {
  const usedUsers = new Set<number>()
  let next = FIRST_USER
  return {
    /** True when this service may start processes as other users. */
    canSwitchUser: process.getuid?.() === 0,
    take(): number {
      if (usedUsers.size > LAST_USER - FIRST_USER) throw new Error('Too many processes are running.')
      do next = next === LAST_USER ? FIRST_USER : next + 1
      while (usedUsers.has(next))
      usedUsers.add(next)
      return next
    },
    release: (user: number) => usedUsers.delete(user),
  }
}

/**
 * Lets processes of all users share the compile cache: Node looks for it in a folder whose name ends with the user's id.
 * @param parent Folder in which the links' folder is created; every user must be able to traverse it.
 */
export function createCompiledLinks(parent: string) {
  let folder: string | undefined
  let canLink = true
  const compiled = existsSync(compiledReaders) ? readdirSync(compiledReaders) : []
  process.once('exit', () => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  })
  const linkFor = (user: number) => {
    if (folder === undefined) {
      folder = mkdtempSync(join(parent, 'compiled-'))
      chmodSync(folder, 0o711)
    }
    for (const name of compiled) {
      const link = join(folder, nameForUser(name, user))
      if (lstatSync(link, { throwIfNoEntry: false }) === undefined) symlinkSync(join(compiledReaders, name), link)
    }
    return folder
  }
  return {
    /** Environment of a user's process; without the cache when the parent isn't writable. */
    of(user: number): Record<string, string> {
      if (!canLink) return {}
      try {
        return { NODE_COMPILE_CACHE: linkFor(user) }
      } catch (error) {
        canLink = false
        logError('Parsers start without compiled code.', error)
        return {}
      }
    },
  }
}

/** Creates the output folder for a user, and gives them access to the inputs. Results get the server's group, so that it can read them. */
function chownTaskFolder({ inputFolder, outputFolder }: TaskFolder, user: number): void {
  const server = lstatSync(inputFolder)
  chownSync(inputFolder, server.uid, user)
  mkdirSync(outputFolder)
  // in this order, because after chown the previous owner couldn't change the mode
  chmodSync(outputFolder, 0o2770)
  chownSync(outputFolder, user, server.gid)
}

async function cleanUp(folder: string, user: number): Promise<void> {
  const cleaning = spawn('/bin/sh', ['-c', CLEAN_UP, 'sh', folder], { uid: user, gid: user, stdio: 'ignore' })
  await once(cleaning, 'close')
  await rmdir(folder)
}

/** Removes leftovers of an earlier service's processes. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const leftover = join(folder, name)
    const { uid } = await stat(leftover)
    await (uid >= FIRST_USER && uid <= LAST_USER ? cleanUp(leftover, uid) : removeTree(leftover)).catch(logLeftover)
  }
}

function logError(sentence: string, error: unknown): void {
  console.error(sentence, error)
}

const logLeftover = (error: unknown) => logError('The files of a process could not be removed.', error)

/** URL of a module that serves tasks. @throws Error for any other. @param name path below the API's folder. */
export function moduleOf(name: string): URL {
  // Servers of earlier versions send paths relative to src/, and an earlier name of a module.
  const currentName = name.replace('/paper-process.', '/document-process.')
  const path = resolve(
    apiFolder,
    /^(?:src|dist)\//.test(currentName) ? currentName : `src/${currentName.replace(/-child\.ts$/, '-process.ts')}`,
  )
  if (!TASK_MODULE.test(relative(apiFolder, path))) throw new Error(`${name} isn't a task module.`)
  return pathToFileURL(path)
}

/** Task folder of a process to start. Its methods throw, because only the server may use them. */
function taskFolderOf({ inputFolder, outputFolder }: ProcessOrder): TaskFolder {
  for (const folder of [inputFolder, outputFolder])
    if (!TASK_FOLDER_NAME.test(basename(folder))) throw new Error(`${folder} isn't a task folder.`)
  const refuse = async (): Promise<never> => {
    throw new Error('Only the server may access task folders.')
  }
  return { inputFolder, outputFolder, provide: refuse, take: refuse, read: refuse, clear: refuse, remove: refuse }
}
