import { readdirSync } from 'node:fs'
import { configDefaults, defineConfig } from 'vitest/config'
import { excludedDatabaseTests, excludedLongTests } from '../../scripts/long-tests.ts'
import { LongestFirst } from './test/longest-first.ts'

const withoutDatabase = [
  'src/access.test.ts',
  'src/{engines,parsers,offline}/**',
  'src/platform/{http,lib,messages,net,sandbox,storage}/**',
  'src/modules/chat/agents/kinds/**',
  'src/platform/database/{additive-migrations,availability,drift,lock,restored-folders}.test.ts',
  'src/modules/studio/effects/{catalogue,effects.routes,item-sources.routes}.test.ts',
  'src/modules/library/items/{documents,videos,hostile,phone-pictures}.routes*.test.ts',
  'src/modules/admin/models/models.routes.test.ts',
  'src/modules/{library/web-pages/pages,chat/voice/voice,chat/web/web}.routes.test.ts',
  'src/modules/admin/system/openapi.routes.test.ts',
  'test/**',
]

// Test files that each run in a separate process: they end processes or workers, decode a lot in their own process, test how
// the database is stored, use a failing disk, replace a module, or depend on a clock that other tests set. Loading the app and
// opening a database takes each of them some seconds of CPU time. All other files share one process per worker, which does that
// only once.
const separateProcess = [
  'src/{engines/local,platform/sandbox}/**/*.test.ts',
  'src/parsers/video/{av,ffmpeg/run-program}.test.ts',
  // these tests draw their pictures as SVG, which is turned off for a whole process once the app reads pictures in it
  'src/parsers/{ocr/find-text,ocr/ocr-tesseract.long,office/document-reader,pdf/pdf-reader}.test.ts',
  'src/parsers/image/{picture-processes,phone/broken-exif,phone/phone-pictures}.test.ts',
  'src/platform/net/safe-fetcher.test.ts',
  'src/platform/database/{drift,embedded,lock,maintenance.long,migrate,new-id,pooler,restored-folders,server}.test.ts',
  'src/platform/queue/queue{,.recovery.long}.test.ts',
  'src/platform/storage/whole-file.test.ts',
  'src/{server,roles}.test.ts',
  'src/modules/admin/backups/restore{,-leftovers,-server}.test.ts',
  'src/modules/studio/effects/{catalogue,effect-pool}.test.ts',
  'src/modules/library/items/crash.long.test.ts',
]

// with another database, tests that never use one, and tests of files, of other servers or of requests refused before the
// first query, would tell nothing new
const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
const sources = files.filter((file) => file.startsWith('src/'))
const exclude = [
  ...configDefaults.exclude,
  ...excludedLongTests(sources),
  ...(process.env.TEST_DATABASE_URL === undefined ? [] : [...withoutDatabase, ...excludedDatabaseTests(sources)]),
]

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['{src,test}/**/*.test.ts'],
          exclude: [...exclude, ...separateProcess],
          isolate: false,
          setupFiles: ['test/shared-setup.ts'],
          env: { TEST_SHARES_WORKER: '1' },
        },
      },
      // a process that ends soon doesn't need optimised code of its WebAssembly database: compiling it is a sixth of its work
      { extends: true, test: { name: 'own', include: separateProcess, exclude, execArgv: ['--liftoff-only'] } },
    ],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/copied-databases.ts'],
    sequence: { sequencer: LongestFirst },
    pool: 'forks',
    // workers wait (for timers, files, other processes) for a quarter of their time, so a third worker uses the idle time of
    // two processors
    maxWorkers: 3,
    // a shared machine may be three times slower than usual; long timeouts only delay tests that fail
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
