import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from './steps.mjs'
import { countPlaywright, countVitest } from './test-reports.mjs'

const root = join(import.meta.dirname, '..')

/** Runs vitest on these files in a folder of their own and counts its report. */
async function runVitest(files) {
  const folder = await mkdtemp(join(tmpdir(), 'mira-reports-'))
  try {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
    const report = join(folder, 'report.json')
    const { code } = await run([
      'vitest',
      'run',
      '--root',
      folder,
      '--config',
      join(folder, 'vitest.config.mjs'),
      '--reporter=json',
      `--outputFile=${report}`,
    ])
    const text = await readFile(report, 'utf8').catch(() => 'null')
    return { code, counts: countVitest(JSON.parse(text), code) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const config = 'export default {}'
const passing = "import { test } from 'vitest'\ntest('a', () => {})\ntest.skip('b', () => {})"

test('passed, failed and skipped tests are counted as vitest reports them', async () => {
  const { code, counts } = await runVitest({
    'vitest.config.mjs': config,
    'a.test.mjs': passing,
    'b.test.mjs': "import { test } from 'vitest'\ntest('c', () => { throw new Error('no') })\ntest('d', () => {})",
  })
  expect(code).toBe(1)
  expect(counts).toEqual({ passed: 2, failed: 1, skipped: 1 })
})

test('a file that cannot be loaded counts as a failure', async () => {
  const { counts } = await runVitest({
    'vitest.config.mjs': config,
    'a.test.mjs': passing,
    'b.test.mjs': "import './nowhere.mjs'",
  })
  expect(counts).toEqual({ passed: 1, failed: 1, skipped: 1 })
})

test('an error outside of every test counts as a failure', async () => {
  const { counts } = await runVitest({
    'vitest.config.mjs': config,
    'a.test.mjs': `${passing}\nsetTimeout(() => { throw new Error('late') }, 1)\ntest('c', () => new Promise((r) => setTimeout(r, 30)))`,
  })
  expect(counts.failed).toBe(1)
})

test('no test at all, and a runner that cannot start, count as a failure', async () => {
  expect((await runVitest({ 'vitest.config.mjs': config })).counts).toEqual({ passed: 0, failed: 1, skipped: 0 })
  expect((await runVitest({ 'vitest.config.mjs': 'throw new Error()' })).counts).toEqual({
    passed: 0,
    failed: 1,
    skipped: 0,
  })
})

test('browser tests that needed a second try have passed; those that never ran have not', () => {
  const stats = { expected: 5, unexpected: 1, flaky: 1, skipped: 2 }
  expect(countPlaywright({ stats }, 1)).toEqual({ passed: 6, failed: 1, skipped: 2 })
  expect(countPlaywright({ stats: { expected: 0, unexpected: 0, flaky: 0, skipped: 0 } }, 1)).toEqual({
    passed: 0,
    failed: 1,
    skipped: 0,
  })
  expect(countPlaywright(null, 1)).toEqual({ passed: 0, failed: 1, skipped: 0 })
})
