import { closeSync, lstatSync, mkdirSync, openSync, readFileSync, readlinkSync } from 'node:fs'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ParserCheck } from '@mira/shared'
import { ValidationError } from '../../errors.ts'
import { asReason, type Sentence, say } from '../../sentences.ts'
import { findProgram, programSearchPath } from '../lib/find-program.ts'
import { removeTree } from '../lib/remove-tree.ts'
import type { ProcessLog } from './process-protocol.ts'
import {
  type Command,
  createLocalSandbox,
  createNoSandbox,
  type ProcessToStart,
  type ReachableResources,
  type Sandbox,
} from './sandbox.ts'
import { createServiceSandbox } from './sandbox-service.ts'
import { trySandbox } from './sandbox-trial.ts'
import { isOwnTaskFolder } from './task-folder.ts'

/** A path of this machine that is visible in a sandbox, at the same path. */
interface VisiblePath {
  path: string
  how: 'read' | 'write' | 'link'
  /** Target of a symbolic link. */
  target?: string
}

const root = resolve(import.meta.dirname, '../../../../..')
/** Programs and libraries of the system; `/bin` and the like are mostly symlinks. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store']
/** Files of the system for library lookup, time zone and processor count. */
const systemFiles = [
  ...['/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/ld-musl-x86_64.path', '/etc/alternatives'],
  ...['/etc/localtime', '/sys/devices/system/cpu'],
]
/** Product files visible in a sandbox: the code and its packages. Their parent folder may contain `.env` and the data. */
const productFiles = [
  ...['package.json', 'node_modules', 'packages/shared/package.json', 'packages/shared/src'],
  ...['packages/shared/node_modules', 'apps/api/package.json', 'apps/api/node_modules', 'apps/api/src'],
].map((name) => join(root, name))

/** All paths that a process in a sandbox can see. */
function visiblePathsOf({ module, reads, taskFolder }: ProcessToStart): VisiblePath[] {
  const [systemPaths, productPaths] = [
    [...systemFolders, ...systemFiles, ...libraryFolders()],
    [...productFiles, process.execPath, dirname(fileURLToPath(module)), ...reads],
  ]
  return [
    ...withoutRepeats([...systemPaths, ...productPaths]).flatMap(visiblePath),
    ...visiblePath(taskFolder.inputFolder),
    { path: taskFolder.outputFolder, how: 'write' },
  ]
}

function libraryFolders(): string[] {
  return (process.env.LD_LIBRARY_PATH ?? '').split(':').filter((folder) => folder.startsWith('/'))
}

/** Drops duplicate paths, and paths inside another path of the list. */
function withoutRepeats(paths: string[]): string[] {
  return paths.filter(
    (path, index) =>
      !paths.some((other, otherIndex) => (other === path ? otherIndex < index : path.startsWith(`${other}/`))),
  )
}

/** Describes a path for a sandbox. @returns a list of one; empty when the path doesn't exist. */
function visiblePath(path: string): VisiblePath[] {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return []
  // symlinks are replaced by their targets, except the system's own in place of folders
  if (stats.isSymbolicLink() && systemFolders.includes(path)) {
    return [{ path, how: 'link', target: readlinkSync(path) }]
  }
  return [{ path, how: 'read' }]
}

/**
 * Sandbox made with bubblewrap: an empty root with only the paths that the process needs, no network, no other visible
 * processes, no capabilities.
 * @param program path of bubblewrap.
 */
function createBubblewrapSandbox({ directory, program }: { directory: string; program: string }): Sandbox {
  return createLocalSandbox({
    kind: 'bubblewrap',
    directory,
    wrap: (command, toStart) => ({
      program,
      args: [...bubblewrapArguments(toStart), '--', command.program, ...command.args],
    }),
  })
}

function bubblewrapArguments(toStart: ProcessToStart): Command['args'] {
  return [
    '--unshare-all',
    // no nested user namespaces: creating them exposes parts of the kernel to attacks
    ...['--unshare-user', '--disable-userns'],
    ...['--cap-drop', 'ALL'],
    '--die-with-parent',
    '--new-session',
    ...['--hostname', 'sandbox'],
    // mounted before the visible paths, which may be in the system's in-memory folders (/dev/shm)
    ...['--proc', '/proc'],
    // read-only, because the process owns these files if the server runs as root, even without capabilities
    ...['sys', 'sysrq-trigger', 'irq', 'bus'].flatMap((name) => ['--ro-bind-try', `/proc/${name}`, `/proc/${name}`]),
    ...['--dev', '/dev'],
    ...visiblePathsOf(toStart).flatMap(({ path, how, target }) => {
      if (how === 'link') return ['--symlink', target ?? '', path]
      return [how === 'write' ? '--bind' : '--ro-bind', path, path]
    }),
    // both are in memory, which the process could otherwise fill
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...['--chdir', '/'],
  ]
}

const script = fileURLToPath(new URL('./sandbox-namespaces.sh', import.meta.url))
const namespaces = ['--user', '--map-root-user', '--mount', '--net', '--pid', '--ipc', '--uts']

/**
 * Sandbox made with `unshare` of util-linux, with the same restrictions. Nearly every Linux system has it, but not every one
 * allows its users to create namespaces.
 * @param program path of unshare.
 */
function createNamespacesSandbox({ directory, program }: { directory: string; program: string }): Sandbox {
  return createLocalSandbox({
    kind: 'namespaces',
    directory,
    wrap(command, toStart) {
      // each process mounts its own empty root over this folder
      const mountPoint = join(directory, 'root')
      mkdirSync(mountPoint, { recursive: true, mode: 0o700 })
      const optionsOf = readOnlyMounts()
      const mounts = visiblePathsOf(toStart).flatMap(({ how, path, target = '-' }) => {
        return [how, path, how === 'read' ? optionsOf(path) : target]
      })
      return {
        program,
        args: [
          ...[...namespaces, '--fork', '--kill-child=KILL', '--propagation', 'private', '--'],
          ...['/bin/sh', script, mountPoint, ...mounts, '--', command.program, ...command.args],
        ],
      }
    },
  })
}

/** Mount flags that a namespace may not drop. */
const KEPT_FLAGS = /^(?:nosuid|nodev|noexec|nosymfollow|noatime|nodiratime|relatime)$/

/** Returns a function that gives the options for mounting a path read-only, with the restrictions of the path's own mount. */
function readOnlyMounts(): (path: string) => string {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
  const flagsById = new Map(mounts.map(([id, , , , , flags = '']) => [id, flags]))
  return (path) => {
    const file = openSync(path, 'r')
    try {
      const id = /^mnt_id:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, 'utf8'))?.[1]
      const flags = (flagsById.get(id) ?? '').split(',').filter((flag) => KEPT_FLAGS.test(flag))
      return ['ro', ...flags].join(',')
    } finally {
      closeSync(file)
    }
  }
}

/** Chooses the sandbox for all processes that parse untrusted files. */
export interface Sandboxing {
  /**
   * The strongest sandbox that passed its trial; its kind is `none` when no sandbox did. The first call starts the trials, and
   * callers wait for them, except with a parser service.
   */
  choose(): Promise<Sandbox>
  /** Kind of the sandbox and the resources that the trial reached; null until a trial has finished. */
  check(): ParserCheck | null
  /** @throws ValidationError when a sandbox is required but none works. */
  requireSandbox(): void
  /** Treats all users as this one, in benchmarks and tests, where a process for each user would take too long. */
  onlyUser?: string
  close(): void
}

export interface SandboxingOptions {
  /** Data folder; task folders are created in it, so that inputs can be hard links instead of copies. */
  dataDir: string
  /** True when no other server uses the folder, so that all existing task folders are leftovers. */
  isOnlyProcess: boolean
  /** Socket of a parser service; when undefined, processes run on this machine. */
  serviceSocket?: string | undefined
  /** Refuse files while no sandbox works. */
  isRequired?: boolean
  /** Allowed sandboxes of this machine, strongest first; all by default. */
  kinds?: readonly ('bubblewrap' | 'namespaces')[]
  /** Folders searched for bubblewrap and unshare, in PATH's format; by default PATH and the system's own. */
  searchPath?: string
  warn?: ProcessLog | undefined
}

const REFUSED = say('files_refused', {})
const RETRY_SERVICE_MS = 5_000
const NO_SERVICE = say('no_parser_service', {})
/** Task folders untouched for this long were left behind by a killed process. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000

/**
 * Tries the sandboxes of this machine, strongest first, and uses the first that works. A configured parser service is always
 * used: while it's unavailable, no files are read.
 */
export function createSandboxing(options: SandboxingOptions): Sandboxing {
  const { dataDir, isOnlyProcess, serviceSocket, isRequired = false, warn } = options
  const directory = join(dataDir, 'desks')
  const closing = new AbortController()
  let choosing: Promise<Sandbox> | undefined
  let check: ParserCheck | null = null

  /** Tries a sandbox. @returns the failure; null when it works. */
  const tryOut = async (sandbox: Sandbox): Promise<string | null> => {
    const { reached, failure } = await trySandbox(sandbox, dataDir)
    const isIsolated = !Object.values(reached).includes(true)
    if (failure === null && isIsolated) {
      check = { state: 'ok', engine: sandbox.kind, reaches: reached }
      return null
    }
    return `${sandbox.kind}: ${isIsolated ? failure : describeReached(reached)}`
  }
  const useService = async (socket: string) => {
    const sandbox = createServiceSandbox({ directory, socket })
    const retryUntilAvailable = async () => {
      for (let failure = await tryOut(sandbox); failure !== null; failure = await tryOut(sandbox)) {
        if (check === null) warn?.({ failure }, NO_SERVICE.text)
        check = { state: 'error', engine: sandbox.kind, reaches: null, ...asReason(NO_SERVICE) }
        await sleep(RETRY_SERVICE_MS, undefined, { ref: false, signal: closing.signal })
      }
    }
    // only rejects when closing
    void retryUntilAvailable().catch(() => {})
    return sandbox
  }
  const chooseSandbox = async () => {
    // the service itself removes its processes' results
    await prepare(directory, isOnlyProcess, serviceSocket === undefined ? ['lent', 'made'] : ['lent'])
    if (serviceSocket !== undefined) return useService(serviceSocket)
    const failures: string[] = []
    for (const sandbox of await candidates(directory, options)) {
      const failure = await tryOut(sandbox)
      if (failure === null) return sandbox
      failures.push(failure)
    }
    const reason = reasonForNoSandbox(failures)
    warn?.({ tried: failures }, reason.text)
    const none = createNoSandbox(directory)
    const { reached } = await trySandbox(none, dataDir)
    check = { state: isRequired ? 'error' : 'off', engine: none.kind, reaches: reached, ...asReason(reason) }
    return none
  }
  return {
    choose: () => {
      choosing ??= chooseSandbox()
      return choosing
    },
    check: () => check,
    requireSandbox: () => {
      if (isRequired && check?.engine === 'none') throw new ValidationError(REFUSED, { code: 'files_refused' })
    },
    close: () => closing.abort(),
  }
}

/** No sandbox, for benchmarks and tests, which only read their own files. @param directory parent of the task folders. */
export function withoutSandbox(directory: string): Sandboxing {
  const sandbox = createNoSandbox(directory)
  return {
    choose: async () => sandbox,
    check: () => null,
    requireSandbox: () => {},
    onlyUser: 'this program',
    close: () => {},
  }
}

/** Creates the parent folders of inputs (`lent`) and results (`made`), and removes leftover task folders from them. */
async function prepare(directory: string, isOnlyProcess: boolean, kinds: ('lent' | 'made')[]): Promise<void> {
  for (const kind of kinds) {
    const folder = join(directory, kind)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    for (const name of await readdir(folder)) {
      if (isOwnTaskFolder(name)) continue
      const age = await stat(join(folder, name)).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0,
      )
      if (isOnlyProcess || age > ABANDONED_AFTER_MS) await removeTree(join(folder, name))
    }
  }
}

async function candidates(directory: string, options: SandboxingOptions): Promise<Sandbox[]> {
  const { kinds = ['bubblewrap', 'namespaces'], searchPath = programSearchPath() } = options
  if (process.platform !== 'linux') return []
  const sandboxes = await Promise.all(
    kinds.map(async (kind) => {
      const program = await findProgram(kind === 'bubblewrap' ? 'bwrap' : 'unshare', searchPath)
      if (program === undefined) return []
      return [(kind === 'bubblewrap' ? createBubblewrapSandbox : createNamespacesSandbox)({ directory, program })]
    }),
  )
  return sandboxes.flat()
}

function describeReached(reached: ReachableResources): string {
  const names = Object.entries(reached).flatMap(([name, isReached]) => (isReached ? [name] : []))
  return `it still reaches ${names.join(', ')}`
}

function reasonForNoSandbox(failures: string[]): Sentence {
  if (process.platform !== 'linux') {
    return say('no_cage_here', {})
  }
  return failures.length === 0 ? say('no_cage', {}) : say('no_cage_held', {})
}
