import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkImports, MIN_MODULES } from './import-rules.mjs'

const root = join(import.meta.dirname, '..')
const { forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs')

/** Planted file per rule, which breaks that rule, and only that one where possible. */
const plants = {
  'everything-resolves': ['apps/api/src/platform/http/planted-missing.ts', "import './nowhere.ts'"],
  'no-cycles': [
    'apps/api/src/platform/queue/planted-circle-a.ts',
    "import './planted-circle-b.ts'\nexport const a = 1",
  ],
  'no-cycles-of-types': [
    'apps/api/src/platform/queue/planted-type-circle-a.ts',
    "import type { B } from './planted-type-circle-b.ts'\nexport type A = B[] | 1",
  ],
  'shared-imports-nothing': ['packages/shared/src/planted.ts', "import 'node:fs'"],
  'the-client-knows-the-contract': ['packages/client/src/planted.ts', "import 'node:fs'"],
  'the-page-takes-constants-not-schemas': [
    'apps/web/src/lib/planted-schema.ts',
    "import { chatEventSchema } from '@mira/shared'\nexport const x = chatEventSchema",
  ],
  'constants-are-plain': ['packages/shared/src/constants/planted.ts', "import '../chat.ts'"],
  'apps-meet-only-in-shared': [
    'apps/web/src/lib/planted.ts',
    "import type { Config } from '../../../api/src/config.ts'",
  ],
  'features-stand-alone': [
    'apps/web/src/features/insights/planted-neighbour.ts',
    "export type { Reminder } from '../automation/reminders/planted-target.ts'",
  ],
  'web-layers-point-down': [
    'apps/web/src/lib/planted-layer.ts',
    "export type { Reminder } from '../features/automation/reminders/planted-target.ts'",
  ],
  'only-the-app-joins-features': [
    'apps/web/src/features/insights/planted-root.ts',
    "export { navigation } from '../../app/planted-target.ts'",
  ],
  'ui-is-plain': ['apps/web/src/ui/planted.ts', "import { can } from '@mira/shared'\nexport const x = can"],
  'platform-is-the-base': [
    'apps/api/src/platform/database/planted.ts',
    "import type { Planted } from '../../modules/identity/planted-target.ts'",
  ],
  'lib-is-plain': ['apps/api/src/platform/lib/planted.ts', "import type { Config } from '../../config.ts'"],
  'engines-know-no-module': [
    'apps/api/src/engines/planted.ts',
    "import type { Planted } from '../modules/identity/planted-target.ts'",
  ],
  'parsers-take-constants-not-schemas': [
    'apps/api/src/parsers/planted-schema.ts',
    "import { chatEventSchema } from '@mira/shared'\nexport const x = chatEventSchema",
  ],
  ...Object.fromEntries(
    ['identity', 'library', 'search', 'studio', 'chat', 'automation', 'admin'].map((name) => [
      `${name}-imports-downwards`,
      [
        `apps/api/src/modules/${name}/planted-upwards.ts`,
        "import type { Planted } from '../gateways/openai/planted-target.ts'",
      ],
    ]),
  ),
  'gateways-imports-downwards': [
    'apps/api/src/modules/gateways/planted-upwards.ts',
    "import type { Planted } from '../../app.ts'",
  ],
  'modules-meet-through-their-index': [
    'apps/api/src/modules/admin/planted-inside.ts',
    "import type { Planted } from '../identity/planted-target.ts'",
  ],
  'service-knows-no-http': [
    'apps/api/src/modules/admin/insights/planted.service.ts',
    "import type { FastifyRequest } from 'fastify'",
  ],
  'routes-go-through-services': [
    'apps/api/src/modules/admin/insights/planted.routes.ts',
    "import type { InsightsStore } from './insights.store.ts'",
  ],
  'entries-are-started-not-imported': [
    'apps/api/src/parsers/image/planted-entry.ts',
    "export { planted } from './planted-process.ts'",
  ],
  'product-knows-no-tests': [
    'apps/api/src/platform/http/planted-test.ts',
    "import '../../../test/database-template.ts'",
  ],
  'the-server-runs-on-its-dependencies': ['apps/api/src/platform/http/planted-dev.ts', "import 'supertest'"],
}

let copy
let result

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'mira-imports-'))
  const isSource = (path) => !/\/(node_modules|dist|generated|\.turbo)(\/|$)/.test(path.slice(root.length))
  for (const name of ['apps', 'packages', 'scripts', 'package.json', '.dependency-cruiser.cjs']) {
    await cp(join(root, name), join(copy, name), { recursive: true, filter: isSource })
  }
  for (const name of ['apps/api', 'apps/cli', 'apps/web', 'packages/client', 'packages/shared'])
    await linkPackages(name)
  for (const [path, content] of Object.values(plants)) await plant(path, content)
  await plant('apps/api/src/platform/queue/planted-circle-b.ts', "import './planted-circle-a.ts'\nexport const b = 1")
  await plant(
    'apps/api/src/platform/queue/planted-type-circle-b.ts',
    "import type { A } from './planted-type-circle-a.ts'\nexport type B = A | 2",
  )
  const target = 'export interface Planted {}'
  await plant('apps/api/src/modules/identity/planted-target.ts', target)
  await plant('apps/api/src/modules/gateways/openai/planted-target.ts', target)
  await plant('apps/api/src/parsers/image/planted-process.ts', 'export const planted = 1')
  await plant('apps/web/src/app/planted-target.ts', 'export const navigation = 1')
  await plant('apps/web/src/features/automation/reminders/planted-target.ts', 'export interface Reminder {}')
  result = await checkImports(copy)
})
afterAll(async () => {
  await rm(copy, { recursive: true, force: true })
})

async function plant(path, content) {
  await mkdir(dirname(join(copy, path)), { recursive: true })
  await writeFile(join(copy, path), `${content}\n`)
}

/** Links a package of the copy to the real one's dependencies, but to the copy's own contract. */
async function linkPackages(name) {
  const from = join(root, name, 'node_modules')
  const to = join(copy, name, 'node_modules')
  await mkdir(join(to, '@mira'), { recursive: true })
  await symlink(join(copy, 'packages/shared'), join(to, '@mira/shared'))
  for (const entry of await readdir(from)) {
    if (entry !== '@mira' && !entry.startsWith('.')) await symlink(join(from, entry), join(to, entry))
  }
}

test('every import rule has a violation planted', () => {
  expect(Object.keys(plants).sort()).toEqual(forbidden.map(({ name }) => name).sort())
})

test.each(Object.entries(plants))('reports a violation of the rule %s', (rule, [path]) => {
  expect(result.violations).toContainEqual(expect.objectContaining({ rule, from: path }))
})

test('sees enough modules to find anything', () => {
  expect(result.modules).toBeGreaterThanOrEqual(MIN_MODULES)
})
