import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { silentLog } from '../../../test/database-template.ts'
import { StartupError } from '../../errors.ts'
import { openEmbedded } from './embedded.ts'
import { lockDataDir } from './lock.ts'
import {
  finishRestore,
  isOnOtherDisk,
  placeRestored,
  removeInterruptedRestore,
  requireMovable,
  UnfinishedRestoreError,
} from './restored-folders.ts'

let mounts: string | null = null
vi.mock('node:fs/promises', async (original) => {
  const promises = await original<typeof import('node:fs/promises')>()
  const readFile = (path: string, ...rest: []) =>
    path === '/proc/self/mountinfo' && mounts !== null ? Promise.resolve(mounts) : promises.readFile(path, ...rest)
  return { ...promises, readFile }
})

const workDir = mkdtempSync(join(tmpdir(), 'mira-restored-folders-'))
afterAll(() => rmSync(workDir, { recursive: true, force: true }))

const plan = { names: ['database', 'files'] as ('database' | 'files')[], aside: 'replaced-1' }

/** Creates a DATA_DIR with existing data and a staged restore. */
function newDataDir(): string {
  const dataDir = mkdtempSync(join(workDir, 'data-'))
  for (const [file, content] of Object.entries({
    'database/rows': 'old',
    'files/letter': 'old',
    'restoring/database/rows': 'restored',
    'restoring/files/letter': 'restored',
  })) {
    mkdirSync(dirname(join(dataDir, file)), { recursive: true })
    writeFileSync(join(dataDir, file), content)
  }
  return dataDir
}

function expectRestored(dataDir: string): void {
  const read = (file: string) => readFileSync(join(dataDir, file), 'utf8')
  expect(readdirSync(dataDir).sort()).toEqual(['database', 'files', 'replaced-1'])
  expect([read('database/rows'), read('files/letter')]).toEqual(['restored', 'restored'])
  expect([read('replaced-1/database/rows'), read('replaced-1/files/letter')]).toEqual(['old', 'old'])
}

test('a restore puts its folders in place and sets the old ones aside', async () => {
  const dataDir = newDataDir()
  await placeRestored(dataDir, plan, () => {})
  expectRestored(dataDir)
})

test.each([0, 1, 2, 3, 4])(
  'a restore that is killed after %i of its four moves is finished by the next start',
  async (moveCount) => {
    const dataDir = newDataDir()
    const move = (from: string, to: string) => {
      mkdirSync(dirname(join(dataDir, to)), { recursive: true })
      renameSync(join(dataDir, from), join(dataDir, to))
    }
    writeFileSync(join(dataDir, 'restoring/moves.json'), JSON.stringify(plan))
    const moves = ['database', 'files'].flatMap((name) => [
      () => move(name, `replaced-1/${name}`),
      () => move(`restoring/${name}`, name),
    ])
    for (const next of moves.slice(0, moveCount)) next()
    await finishRestore(dataDir, () => {})
    expectRestored(dataDir)
  },
)

test('a restore that fails between its moves says where everything is, and is finished once the cause is gone', async () => {
  const dataDir = newDataDir()
  const obstacle = join(dataDir, 'replaced-1/files')
  mkdirSync(join(obstacle, 'folder'), { recursive: true })
  const failing = placeRestored(dataDir, plan, () => {})
  await expect(failing).rejects.toThrow(UnfinishedRestoreError)
  await expect(failing).rejects.toThrow(`is in DATA_DIR ${dataDir}, in the newest folder replaced-…`)
  rmSync(obstacle, { recursive: true })
  await finishRestore(dataDir, () => {})
  expectRestored(dataDir)
})

test('a folder on a separate disk is refused in advance, because replacing it would fail halfway', async () => {
  await requireMovable(newDataDir(), plan.names)
  await requireMovable(mkdtempSync(join(workDir, 'data-')), plan.names)
  await expect(requireMovable('/', ['proc'])).rejects.toThrow('/proc is a disk of its own')
})

test('a restore whose folders another process removed changes nothing', async () => {
  const dataDir = newDataDir()
  rmSync(join(dataDir, 'restoring/files'), { recursive: true })
  await expect(placeRestored(dataDir, plan, () => {})).rejects.toThrow(/Another process removed .*Restore again/)
  expect(readFileSync(join(dataDir, 'database/rows'), 'utf8')).toBe('old')
  expect(existsSync(join(dataDir, 'replaced-1'))).toBe(false)
})

test('folders that are mounted, or inside a mounted one, count as another disk', async () => {
  const dataDir = newDataDir()
  const volume = mkdtempSync(join(workDir, 'volume-'))
  mkdirSync(join(volume, 'below'))
  symlinkSync(join(volume, 'below'), join(dataDir, 'linked'))
  const mountsOf = (...paths: string[]) => paths.map((path) => `1 1 0:1 / ${path} rw`).join('\n')
  mounts = mountsOf('/', dataDir)
  expect(await isOnOtherDisk(dataDir, 'files')).toBe(false)
  mounts = mountsOf('/', dataDir, join(dataDir, 'files'))
  expect(await isOnOtherDisk(dataDir, 'files')).toBe(true)
  mounts = mountsOf('/')
  expect(await isOnOtherDisk(dataDir, 'linked')).toBe(false)
  mounts = mountsOf('/', volume)
  expect(await isOnOtherDisk(dataDir, 'linked')).toBe(true)
  mounts = null
})

test('the next start removes the leftovers of a restore that was killed before its last step', async () => {
  const dataDir = newDataDir()
  await finishRestore(dataDir, () => {})
  expect(readdirSync(dataDir).sort()).toEqual(['database', 'files'])

  const otherDataDir = newDataDir()
  const unlock = await lockDataDir(otherDataDir)
  await removeInterruptedRestore(otherDataDir, () => {})
  expect(readdirSync(otherDataDir)).toContain('restoring')
  unlock()
  await removeInterruptedRestore(otherDataDir, () => {})
  expect(readdirSync(otherDataDir).sort()).toEqual(['database', 'files'])
})

test('a restore that reaches its last step while its lock is checked stays', { timeout: 30_000 }, async () => {
  const dataDir = newDataDir()
  const lock = join(dataDir, 'database.lock')
  writeFileSync(lock, JSON.stringify({ pid: 7, started: '1', host: 'another-container' }))
  utimesSync(lock, 0, 0)
  const removing = removeInterruptedRestore(dataDir, () => {})
  writeFileSync(join(dataDir, 'restoring/moves.json'), JSON.stringify(plan))
  await removing
  expect(readdirSync(dataDir)).toContain('restoring')
})

test('a start that cannot finish a restore says so, and creates no empty database', async () => {
  const dataDir = newDataDir()
  rmSync(join(dataDir, 'database'), { recursive: true })
  writeFileSync(join(dataDir, 'restoring/moves.json'), 'damaged')
  for (let attempt = 0; attempt < 2; attempt++) {
    const started = openEmbedded({ dataDir, log: silentLog })
    await expect(started).rejects.toThrow(StartupError)
    await expect(started).rejects.toThrow(/A restore was interrupted.*Fix the cause and start again/)
  }
  expect(existsSync(join(dataDir, 'database'))).toBe(false)
})
