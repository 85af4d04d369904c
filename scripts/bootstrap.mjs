// Needs only Node >= 20.19 and npm: fetches the pinned pnpm, installs missing packages, then runs the named task.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { mistakeInEnvFile } from './env-file.mjs'

const root = join(import.meta.dirname, '..')
const binDir = join(root, 'node_modules/.bin')
const isWindows = process.platform === 'win32'

/** Steps of each npm script, in order; the last one runs in the foreground until it ends, and sets the exit code. */
const tasks = {
  start: [turbo('build'), server('dist/server.mjs')],
  build: [turbo('build')],
  dev: [
    ['node', 'apps/api/src/compile-readers.ts', 'src'],
    ['node', 'scripts/dev.mjs'],
  ],
  check: [turbo('generate'), ['node', 'scripts/check.mjs']],
  test: [['node', 'scripts/test.mjs']],
  'test-long': [['node', 'scripts/test.mjs', '--long']],
  'test-browsers': [turbo('build'), ['node', 'e2e/other-browsers.ts']],
  sbom: [['node', 'scripts/sbom.mjs']],
  screenshots: [turbo('build'), ['node', 'scripts/screenshots.mjs']],
  backup: [turbo('generate'), server('src/backup.ts')],
  restore: [turbo('generate'), server('src/restore.ts')],
  'check-files': [turbo('generate'), server('src/check-files.ts')],
  'move-files': [turbo('generate'), server('src/move-files.ts')],
  mira: [turbo('build', '@mira/cli'), ['node', 'apps/cli/bin/mira.mjs']],
  'reset-password': [turbo('generate'), server('src/reset-password.ts')],
}

function turbo(task, only) {
  return [
    'turbo',
    'run',
    task,
    '--output-logs=errors-only',
    '--log-order=grouped',
    ...(only ? [`--filter=${only}`] : []),
  ]
}

/**
 * Command for a server entry point, with the settings of .env, on the Node.js installed with the packages. A small young
 * generation is enough, since most objects are short-lived; V8's default takes 100 MB more during the start.
 */
function server(file) {
  const settings = existsSync(join(root, '.env')) ? ['--env-file=.env'] : []
  return ['node', '--max-semi-space-size=4', ...settings, `apps/api/${file}`]
}

requireNode(20, 19)
requireReadableSettings()
const env = {
  ...process.env,
  TURBO_TELEMETRY_DISABLED: '1',
  TURBO_NO_UPDATE_NOTIFIER: '1',
  DO_NOT_TRACK: '1',
  // fewer malloc arenas, and free memory returned to the system: some 60 MB less when idle
  MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? '2',
  MALLOC_TRIM_THRESHOLD_: process.env.MALLOC_TRIM_THRESHOLD_ ?? '131072',
  PATH: binDir + delimiter + process.env.PATH,
}
installMissing()
requireRuntime()
const [name, ...rest] = process.argv.slice(2)
const steps = tasks[name] ?? [[name]]
for (const step of steps.slice(0, -1)) runQuietly(step)
runInForeground([...steps.at(-1), ...rest])

function requireNode(major, minor) {
  const [installedMajor, installedMinor] = process.versions.node.split('.').map(Number)
  if (installedMajor > major || (installedMajor === major && installedMinor >= minor)) return
  console.error(`Mira needs Node ${major}.${minor} or newer; this is ${process.version}.`)
  process.exit(1)
}

function requireReadableSettings() {
  const file = join(root, '.env')
  const mistake = existsSync(file) ? mistakeInEnvFile(file) : null
  if (mistake === null) return
  console.error(`Mira cannot start. ${mistake}`)
  process.exit(1)
}

/** Makes sure that the server can run: on Linux, Node.js comes with the packages; on other systems, the installed version must be new enough. */
function requireRuntime() {
  if (!existsSync(join(binDir, 'node'))) requireNode(22, 18)
}

/** Installs the packages, once per lock file and platform. Later calls only compare a hash. */
function installMissing() {
  const stampFile = join(root, 'node_modules/.bootstrap')
  const stamp = createHash('sha256')
    .update(readFileSync(join(root, 'pnpm-lock.yaml')))
    .update(`${process.platform}-${process.arch}`)
    .digest('hex')
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return
  console.info('Installing packages (the first time takes about half a minute) …')
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const args = ['exec', '--yes', '--', packageManager, 'install', '--frozen-lockfile', '--reporter=append-only']
  const npm = process.env.npm_execpath
  // pnpm's output is shown only when it fails
  const options = { cwd: root, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }
  const result = npm?.endsWith('npm-cli.js')
    ? spawnSync(process.execPath, [npm, ...args], options)
    : spawnSync('npm', args, { ...options, shell: isWindows })
  if (result.status !== 0) {
    console.error(`${result.stdout ?? ''}${result.stderr ?? ''}\nThe packages couldn’t be installed.`)
    process.exit(1)
  }
  mkdirSync(join(root, 'node_modules'), { recursive: true })
  writeFileSync(stampFile, stamp)
}

/** On Windows, programs of packages are .cmd files, which need a shell; it would split a path with spaces, such as an archive's. */
function needsShell(command) {
  return isWindows && command !== 'node'
}

function runQuietly([command, ...args]) {
  if (command === 'turbo') console.info('Building what has changed …')
  const result = spawnSync(command, args, { cwd: root, env, encoding: 'utf8', shell: needsShell(command) })
  if (result.status === 0) return
  console.error(`${result.stdout ?? ''}${result.stderr ?? ''}`)
  process.exit(result.status ?? 1)
}

/** Runs the last step of a task, directly rather than through npm or pnpm, so that it gets signals. */
function runInForeground([command, ...args]) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', env, shell: needsShell(command) })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // npm doesn't forward SIGTERM: if npm has exited, the task has to stop, too
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) child.kill('SIGTERM')
  }, 500).unref()
  child.on('error', (error) => {
    console.error(`${command} couldn’t be started: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 0)))
}
