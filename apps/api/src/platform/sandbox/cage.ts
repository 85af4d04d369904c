import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { programSearchPath } from '../lib/find-program.ts'
import { compiledReaders } from './compiled-readers.ts'
import type { TaskFolder } from './lent-folders.ts'
import {
  CHANNEL_FD,
  type FromProcess,
  type ProcessArgument,
  type ProcessSettings,
  readMessages,
  requireMessage,
  type ToProcess,
  writeMessage,
} from './process-protocol.ts'

/** Resources that a process could reach without needing them. */
export interface Reached {
  network: boolean
  /** Keys, passwords, the environment of this server. */
  secrets: boolean
  /** Users' files that aren't among its inputs. */
  files: boolean
}

/** Sandboxes of the processes that parse untrusted files, the strongest first. */
export const cageKinds = ['bubblewrap', 'namespaces', 'service', 'none'] as const
export type CageKind = (typeof cageKinds)[number]

/** A process as it is to be started. */
export interface ProcessToStart {
  /** A module that calls serveTasks. */
  module: URL
  settings: ProcessSettings
  /** Most memory for JavaScript objects, in megabytes. */
  heapLimitMb: number
  environment: Record<string, string>
  /** Folders and files that it reads besides the product's own code: data of its engine, never of users. */
  reads: string[]
  taskFolder: TaskFolder
}

export interface ProcessEnd {
  code: number | null
  signal: string | null
  /** Last lines of its output. */
  errorOutput: string
  /** It did not even begin. */
  isUnstartable: boolean
}

export interface ProcessListener {
  onMessage(message: FromProcess): void
  onOutput(text: string): void
  /** Once, at last. */
  onEnd(end: ProcessEnd): void
}

/** A process that was started, here or next door. */
export interface ProcessLink {
  /** Id of the process that is killed to end it; 0 when it is not on this machine. */
  pid: number
  send(message: ToProcess): void
  kill(): void
  /** Lets this program end although the process is there. */
  rest(): void
  wake(): void
}

/** A way to start processes. */
export interface Cage {
  kind: CageKind
  /** Parent of its task folders. */
  directory: string
  /** Socket of its service, when it has one. */
  socket?: string
  start(what: ProcessToStart, listener: ProcessListener): ProcessLink
}

/** A program with its arguments. */
export interface Command {
  program: string
  words: string[]
}

/** Nothing secret is in these; everything else stays here. */
const inheritedVariables = ['LANG', 'LC_ALL', 'TZ', 'LD_LIBRARY_PATH', 'SystemRoot']
/**
 * Keep freed memory in the C library: such a process works on one large thing after the other and then ends, so it
 * reuses memory in large pages. Returning each block to the system costs several times the actual work, above all in a
 * virtual machine (docs/log/performance.md).
 */
const memoryVariables = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(32 * 1024 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(256 * 1024 * 1024),
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
}
/** Part of util-linux. */
const PRLIMIT = '/usr/bin/prlimit'
/** An idle Node already maps half a gigabyte, and each thread 8 MB for its stack: libraries start some for each processor. */
const MEMORY_MARGIN_MB = 4_096
const MAX_OPEN_FILES = 4_096
const MAX_THREADS = 1_024
/** Pictures and sound go by the disk; speech is the largest of the others. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024
/** Length of the stored tail of its output. */
const KEPT_CHARACTERS = 1_000

/** Starts processes on this machine. @param around puts a command into its cage. */
export function createLocalCage({
  kind,
  directory,
  around,
}: Pick<Cage, 'kind' | 'directory'> & { around(command: Command, what: ProcessToStart): Command }): Cage {
  return {
    kind,
    directory,
    start: (what, listener) => startHere(around(limited(nodeCommand(what), what, true), what), what, listener),
  }
}

/** Starts processes with nothing around them but their bounds of memory and time, and without secrets in their environment. */
export function createOpenCage(directory: string): Cage {
  return {
    kind: 'none',
    directory,
    start: (what, listener) => startHere(limited(nodeCommand(what), what, false), what, listener),
  }
}

/** Starts a process as another user of this machine, who runs nothing else. */
export function startAsUser(what: ProcessToStart, userId: number, listener: ProcessListener): ProcessLink {
  return startHere(limited(nodeCommand(what), what, true), what, listener, userId)
}

/**
 * Has the kernel bound a command as well, for the case that a file took the process over and its own guard with it.
 * @param isAlone whether its user, or its user namespace, runs nothing else: only then can its processes be counted.
 */
function limited(command: Command, { settings }: ProcessToStart, isAlone: boolean): Command {
  if (!existsSync(PRLIMIT)) return command
  const dataBytes = (MEMORY_MARGIN_MB + 2 * settings.memoryLimitMb) * 1024 * 1024
  const limits = ['--core=0', `--nofile=${MAX_OPEN_FILES}`, `--data=${dataBytes}`]
  if (isAlone) limits.push(`--nproc=${MAX_THREADS}`)
  return { program: PRLIMIT, words: [...limits, '--', command.program, ...command.words] }
}

function nodeCommand({ module, settings, heapLimitMb, taskFolder }: ProcessToStart): Command {
  const argument: ProcessArgument = { ...settings, outputFolder: taskFolder.outputFolder }
  const words = [
    `--max-old-space-size=${Math.floor(heapLimitMb)}`,
    // otherwise new objects take up to 100 MB before those that aren't used are let go
    '--max-semi-space-size=8',
    '--disable-warning=ExperimentalWarning',
    fileURLToPath(module),
    JSON.stringify(argument),
  ]
  return { program: process.execPath, words }
}

function startHere(
  { program, words }: Command,
  what: ProcessToStart,
  listener: ProcessListener,
  userId?: number,
): ProcessLink {
  // libraries ask for a home while they load, and a cage knows no user who has one
  const child = spawn(program, words, {
    env: {
      ...pick(process.env, inheritedVariables),
      // what builds the sandbox (pivot_root) lies in /usr/sbin, which isn't on an ordinary user's PATH
      PATH: programSearchPath(),
      ...memoryVariables,
      TMPDIR: what.taskFolder.outputFolder,
      HOME: what.taskFolder.outputFolder,
      // compiling what is imported would be up to a third of what starting takes
      NODE_COMPILE_CACHE: compiledReaders,
      ...what.environment,
    },
    // not Node's own channel, which reads whatever a process says that was taken over, however long
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    // a group of its own, so that what the process starts is killed with it
    detached: process.platform !== 'win32',
    ...(userId === undefined ? {} : { uid: userId, gid: userId }),
  })
  let errorOutput = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    listener.onOutput(text)
    errorOutput = (errorOutput + text).slice(-KEPT_CHARACTERS)
  })
  child.on('error', (error) => {
    if (child.pid !== undefined) return
    listener.onEnd({ code: null, signal: null, errorOutput: error.message, isUnstartable: true })
  })
  // not `exit`: what it said last arrives after that
  child.on('close', (code, signal) => listener.onEnd({ code, signal, errorOutput, isUnstartable: false }))
  const channel = child.stdio[CHANNEL_FD] as Socket
  readMessages(channel, MAX_MESSAGE_BYTES, (message) => listener.onMessage(requireMessage(message)))
  channel.on('error', () => {
    if (child.exitCode === null && child.signalCode === null) killGroup(child)
  })
  return {
    pid: child.pid ?? 0,
    send: (message) => writeMessage(channel, message),
    kill: () => killGroup(child),
    rest: () => {
      child.unref()
      channel.unref()
      hold(child.stderr, 'unref')
    },
    wake: () => {
      child.ref()
      channel.ref()
      hold(child.stderr, 'ref')
    },
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || process.platform === 'win32') {
    child.kill('SIGKILL')
    return
  }
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function pick(environment: NodeJS.ProcessEnv, names: string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  )
}

/** Has a pipe keep this program running, or not: types know no such pipes. */
function hold(stream: unknown, how: 'ref' | 'unref'): void {
  if (stream instanceof Socket) stream[how]()
}
